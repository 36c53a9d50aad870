import { afterAll, beforeAll, expect, it } from 'vitest';
import { noHoldings } from '../../../src/products/migrate/holdings.ts';
import { InstanceClient } from '../../../src/products/migrate/instance-client.ts';
import { readInstance } from '../../../src/products/migrate/instance-reader.ts';
import { ContextSampler } from '../../../src/products/migrate/verify/sample-contexts.ts';
import { frontendDifferences, randomFlags } from '../../../src/products/migrate/verify/verify-frontend.ts';
import { accepted } from '../../support/admin.ts';
import { startTestRelay, type TestRelay } from '../../support/relay.ts';
import {
  ADMIN_TOKEN,
  CLIENT_TOKEN,
  FRONTEND_TOKEN,
  startTestService,
  type TestService,
} from '../../support/service.ts';

let service: TestService;
/** Sends SDKs the same lists, and hashes non-ASCII text in another way. */
let relay: TestRelay;

const rollout = (stickiness: string, groupId: string) => ({
  name: 'flexibleRollout',
  parameters: { rollout: '50', stickiness, groupId },
});

beforeAll(async () => {
  service = await startTestService();
  for (const [featureName, strategy] of [
    ['everybody', { name: 'default' }],
    ['half', rollout('userId', 'half')],
    ['drawn', rollout('random', 'drawn')],
    ['of-drawn', { name: 'default' }],
  ] as const) {
    const params = { projectId: 'default', featureName, environment: 'development' };
    await accepted(service, 'createFeature', { params, body: { name: featureName } });
    await accepted(service, 'addFeatureStrategy', { params, body: strategy });
    await accepted(service, 'toggleFeatureEnvironmentOn', { params });
  }
  const params = { projectId: 'default', child: 'of-drawn' };
  await accepted(service, 'addFeatureDependency', { params, body: { feature: 'drawn', enabled: true } });
  relay = await startTestRelay(service.url, { tokens: [CLIENT_TOKEN] });
});

afterAll(async () => {
  await relay?.close();
  await service?.close();
});

const clientOf = (url: string) => new InstanceClient({ role: 'a server', url, token: ADMIN_TOKEN });

async function compared(target: string) {
  const holdings = await readInstance(clientOf(service.url));
  const [token] = holdings.apiTokens.filter(({ secret }) => secret === FRONTEND_TOKEN);
  if (!token) throw new Error('the frontend token is missing');
  const sampler = new ContextSampler([], noHoldings(), []);
  const [source, other] = [clientOf(service.url), clientOf(target)];
  return frontendDifferences({ source, target: other, sampler, randomNames: randomFlags(holdings) }, token);
}

it('finds no difference between a server and itself, and skips flags with random results', async () => {
  const { answers, differences } = await compared(service.url);
  expect(differences).toEqual([]);
  expect(answers).toBeGreaterThan(30);
  const randomNames = randomFlags(await readInstance(clientOf(service.url)));
  expect([...randomNames].sort()).toEqual(['drawn', 'of-drawn']);
});

it('finds flags that servers evaluate differently although SDKs get the same lists', async () => {
  const { differences } = await compared(relay.url);
  expect(differences).toEqual([
    expect.stringMatching(/^half is "o(n|ff)" in the source and "o(n|ff)" in the target for .*å/),
  ]);
});
