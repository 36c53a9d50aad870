import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { InstanceClient } from '../../../src/products/migrate/instance-client.ts';
import { readOneFeature } from '../../../src/products/migrate/instance-reader.ts';
import { accepted } from '../../support/admin.ts';
import { ADMIN_TOKEN, startTestService, type TestService } from '../../support/service.ts';
import { clientList, runMigrate, startTarget } from './run-migrate.ts';

const VARIANTS = [
  { name: 'one', weight: 400, weightType: 'variable', stickiness: 'userId' },
  {
    name: 'two',
    weight: 600,
    weightType: 'variable',
    stickiness: 'userId',
    overrides: [{ contextName: 'userId', values: ['9'] }],
  },
];

let source: TestService;
let target: TestService;
let unleash: Server;
/** How the proxy returns variants: as Unleash since 4.19 (on request only), or as older versions (one list for all environments). */
let version: 'new' | 'old' = 'new';

/**
 * A proxy of the source that answers for one flag as Unleash does: it returns variants of environments on request only. SDKs receive each
 * dependency twice, which Unleash does in some cases.
 */
function frontOf(url: string): Server {
  return createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const { method = 'GET', url: path = '/', headers } = request;
    const { authorization = '', 'content-type': type = 'application/json' } = headers;
    const body = chunks.length > 0 ? { body: Buffer.concat(chunks) } : {};
    const answer = await fetch(url + path, { method, headers: { authorization, 'content-type': type }, ...body });
    let text = await answer.text();
    if (/^\/api\/admin\/projects\/[^/]+\/features\/[^/]+$/.test(path.split('?')[0] as string) && answer.ok) {
      const { environments, ...flag } = JSON.parse(text);
      const isAsked = version === 'new' && new URL(path, url).searchParams.get('variantEnvironments') === 'true';
      const [first] = environments.filter(({ variants }: { variants: object[] }) => variants.length > 0);
      text = JSON.stringify({
        ...flag,
        ...(version === 'old' && { variants: first?.variants ?? [] }),
        environments: environments.map(({ variants, ...each }: { variants: object[] }) =>
          isAsked ? { ...each, variants } : each,
        ),
      });
    }
    if (/^\/api\/client\/features\b/.test(path) && answer.ok) {
      const { features, ...list } = JSON.parse(text);
      const twice = ({ dependencies = [], ...flag }: { dependencies?: object[] }) => ({
        ...flag,
        dependencies: [...dependencies, ...dependencies],
      });
      text = JSON.stringify({ ...list, features: features.map(twice) });
    }
    response.writeHead(answer.status, { 'content-type': 'application/json' }).end(text);
  });
}

const urlOf = (server: Server) => `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

beforeAll(async () => {
  source = await startTestService();
  target = await startTarget();
  unleash = frontOf(source.url);
  await new Promise<void>((resolve) => unleash.listen(0, '127.0.0.1', resolve));
  for (const name of ['parent', 'child']) {
    const params = { projectId: 'default', featureName: name, environment: 'development' };
    await accepted(source, 'createFeature', { params: { projectId: 'default' }, body: { name } });
    await accepted(source, 'addFeatureStrategy', { params, body: { name: 'default' } });
    await accepted(source, 'toggleFeatureEnvironmentOn', { params });
  }
  await accepted(source, 'overwriteFeatureVariants', {
    params: { projectId: 'default', featureName: 'parent' },
    body: VARIANTS,
  });
  await accepted(source, 'addFeatureDependency', {
    params: { projectId: 'default', child: 'child' },
    body: { feature: 'parent', enabled: true, variants: ['two'] },
  });
});

afterAll(async () => {
  unleash?.closeAllConnections();
  unleash?.close();
  await source?.close();
  await target?.close();
});

it('imports variants of environments, which Unleash returns on request only', async () => {
  const { body: token } = await accepted(source, 'createApiToken', {
    body: { tokenName: 'sdk', type: 'client', environment: 'development', projects: ['*'] },
  });
  const { code, out } = await runMigrate(urlOf(unleash), target.url, '--verify');
  expect(out).toMatch(/ 0 differences/);
  expect(out).not.toMatch(/different definition/);
  expect(code, out).toBe(0);
  const there = await clientList(source, token.secret);
  expect(there.features).toContainEqual(
    expect.objectContaining({ name: 'parent', variants: expect.arrayContaining([expect.anything()]) }),
  );
  expect(await clientList(target, token.secret)).toEqual(there);
});

it('assigns the list to each environment where an instance has one list of variants for all environments', async () => {
  version = 'old';
  const client = new InstanceClient({ role: 'the source', url: urlOf(unleash), token: ADMIN_TOKEN });
  const feature = await readOneFeature(client, 'default', 'parent');
  const names = feature?.environments.map(({ environment, variants }) => [
    environment,
    variants.map(({ name }) => name),
  ]);
  expect(names?.length).toBeGreaterThan(1);
  for (const [, each] of names ?? []) expect(each).toEqual(['one', 'two']);
});
