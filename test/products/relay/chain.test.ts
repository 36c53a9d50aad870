import { afterEach, beforeEach, expect, it } from 'vitest';
import { accepted } from '../../support/admin.ts';
import { FaultyProxy } from '../../support/http/faulty-proxy.ts';
import { startTestRelay, type TestRelay } from '../../support/relay.ts';
import { CLIENT_TOKEN, startTestService, type TestService } from '../../support/service.ts';
import { untilTrue } from '../../support/until.ts';

const START = 'default:development.of-the-start';

let service: TestService;
let proxy: FaultyProxy;
const relays: TestRelay[] = [];

beforeEach(async () => {
  service = await startTestService({ env: { INIT_CLIENT_API_TOKENS: [CLIENT_TOKEN, START].join(',') } });
  proxy = await FaultyProxy.before(service.url);
});

afterEach(async () => {
  for (const relay of relays.splice(0).reverse()) await relay.close();
  await proxy.close();
  await service.close();
});

/** A relay in front of a relay in front of the service. Both know the token of their start. */
async function chain(options: { readonly isStrict?: boolean } = {}): Promise<TestRelay> {
  let url = proxy.url;
  for (const more of [options, {}]) {
    const relay = await startTestRelay(url, { tokens: [START], ...more });
    relays.push(relay);
    await untilTrue(async () => (await statusOf(relay, START)) === 200);
    url = relay.url;
  }
  return relays.at(-1) as TestRelay;
}

async function statusOf({ url }: TestRelay, token: string): Promise<number> {
  const answer = await fetch(`${url}/api/client/features`, { headers: { authorization: token } });
  await answer.arrayBuffer();
  return answer.status;
}

async function newToken(projects: readonly string[]): Promise<string> {
  const body = { type: 'client', tokenName: 'new', environment: 'development', projects };
  return (await accepted(service, 'createApiToken', { body })).body.secret;
}

it('A relay in front of a relay serves a token that neither knows, and refuses one that does not exist', async () => {
  const outer = await chain();
  const token = await newToken(['default']);
  await untilTrue(async () => {
    const status = await statusOf(outer, token);
    expect([200, 503]).toContain(status);
    return status === 200;
  });
  await untilTrue(async () => (await statusOf(outer, 'default:development.made-up')) === 401);
});

it('A new token gets 503, not 401, while the service behind both is away', async () => {
  const outer = await chain();
  const token = await newToken(['default']);
  proxy.fault = 'cut';
  expect(await statusOf(outer, token)).toBe(503);
  expect(await statusOf(outer, START)).toBe(200);
  proxy.fault = 'none';
  await untilTrue(async () => (await statusOf(outer, token)) === 200);
});

it('A token that the inner relay refuses because it is strict is unknown to the outer one', async () => {
  const outer = await chain({ isStrict: true });
  const token = await newToken(['*']);
  await untilTrue(async () => (await statusOf(outer, token)) === 401);
});
