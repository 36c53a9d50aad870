import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { MASK } from '../../../src/features/addons/parameters.ts';
import { accepted } from '../../support/admin.ts';
import { ADDON_ENV, webhookTo } from '../../support/http/receiver.ts';
import { startTestService, type TestService } from '../../support/service.ts';
import { runMigrate, startTarget } from './run-migrate.ts';

/** A part of an address, as a source may show it that hides secrets in another way than Burgee does. */
const SHOWN_ADDRESS = 'https://hooks.example.org/***';
const SHOWN = '0123456789abcdefghijkl';

let source: TestService;
let target: TestService;
let proxy: Server;
let address: string;
const secrets = { secure: '', plain: '' };

const make = async (tokenName: string) =>
  (await accepted(source, 'createApiToken', { body: { tokenName, type: 'client', environment: 'development' } })).body
    .secret as string;

/** Answers as Unleash 8.2 does for tokens that it stores as hashes: the list has `secure` and only the first part of the secret. */
beforeAll(async () => {
  [source, target] = await Promise.all([startTestService({ env: ADDON_ENV }), startTarget(ADDON_ENV)]);
  secrets.secure = await make('secure');
  secrets.plain = await make('plain');
  await accepted(source, 'createAddon', { body: webhookTo('https://hooks.example.org/a-secret', { enabled: false }) });
  proxy = createServer(async ({ url = '', headers }, response) => {
    const answer = await fetch(source.url + url, { headers: { authorization: headers.authorization ?? '' } });
    const body = (await answer.text())
      .replaceAll(`"${MASK}"`, `"${SHOWN_ADDRESS}"`)
      .replace(
        new RegExp(`("secret":)"${secrets.secure.replaceAll('*', '\\*')}"(.*?"secure":)false`),
        `$1"${SHOWN}"$2true`,
      );
    response.writeHead(answer.status, { 'content-type': answer.headers.get('content-type') ?? '' }).end(body);
  });
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
  address = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`;
});

afterAll(async () => {
  proxy.closeAllConnections();
  proxy.close();
  await Promise.all([source.close(), target.close()]);
});

const statusOf = async (token: string) =>
  (await fetch(`${target.url}/api/client/features`, { headers: { authorization: token } })).status;

it('imports no token of which the source shows only a part, names it, ends with 3, and imports the others', async () => {
  const { code, out } = await runMigrate(address, target.url);
  expect(code).toBe(3);
  expect(out).toContain(
    'API tokens: secure: the source does not show its whole secret: start this service with ADOPT_TOKENS_FROM',
  );
  expect(await statusOf(secrets.plain)).toBe(200);
  for (const token of [SHOWN, `*:development.${SHOWN}`, `*:development.v2_${SHOWN}`, secrets.secure])
    expect(await statusOf(token)).toBe(401);
  const { tokens } = (await accepted(target, 'getAllApiTokens')).body;
  expect(tokens.map(({ tokenName }: { tokenName: string }) => tokenName)).not.toContain('secure');
});

it('imports no parameter of an integration that the source states to be a secret, whatever it shows of it', async () => {
  const { addons } = (await accepted(target, 'getAddons')).body;
  expect(addons).toHaveLength(1);
  expect(JSON.stringify(addons)).not.toContain(SHOWN_ADDRESS);
  const { out } = await runMigrate(address, target.url);
  expect(out).toMatch(/integration webhook: .* enter its secrets here \(url/);
});

it('does not name a token that the target has adopted already', async () => {
  const adopting = await startTarget({ INIT_CLIENT_API_TOKENS: `*:development.v2_${SHOWN}_the-rest` });
  const { code, out } = await runMigrate(address, adopting.url);
  expect(code, out).toBe(0);
  expect(out).not.toContain('does not show its whole secret');
  await adopting.close();
});
