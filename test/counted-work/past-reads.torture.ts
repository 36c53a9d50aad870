import { afterAll, beforeAll, expect, it } from 'vitest';
import { REVISION_HEADER } from '../../src/http/answer.ts';
import { accepted } from '../support/admin.ts';
import { startTestService, type TestService } from '../support/service.ts';
import { WorkCounter } from '../support/work-counter.ts';
import { PAST_READS, pastRead } from './past-reads.ts';

const [FLAGS, BATCH] = [5_000, 100];
/** The past may cost so many times what the present costs, and so much more: every event since then is visited, and passed over. */
const [TIMES_MAX, MORE_MAX] = [3, 15 * FLAGS];
/** The first read of a moment reads the replaced part of each changed flag, applies it, and indexes the flag. */
const MORE_OF_A_FLAG_MAX = 450;

const PLACE = { projectId: 'default', environment: 'development' };
const names = Array.from({ length: FLAGS }, (_, index) => `flag-${index}`);
const counter = new WorkCounter();
let service: TestService;
let revision = 0;
let strategyId = '';

beforeAll(async () => {
  await counter.start();
  service = await startTestService({ isUnchecked: true });
  await accepted(service, 'createSegment', { body: { name: 'swedes', constraints: [] } });
  const data = {
    features: names.map((name) => ({ name, type: 'release', project: 'default' })),
    featureStrategies: names.map((featureName) => ({
      featureName,
      name: 'flexibleRollout',
      constraints: [],
      segments: [1],
      parameters: { rollout: '50', stickiness: 'default', groupId: featureName },
    })),
    featureEnvironments: names.map((featureName) => ({ featureName, enabled: true })),
    segments: [{ id: 1, name: 'swedes', constraints: [] }],
    contextFields: [],
    featureTags: [],
    tagTypes: [],
    dependencies: [],
  };
  await accepted(service, 'importFeatures', { body: { project: 'default', environment: 'development', data } });
  const strategy = { name: 'default' };
  const added = await accepted(service, 'addFeatureStrategy', {
    params: { ...PLACE, featureName: 'flag-1' },
    body: strategy,
  });
  strategyId = added.body.id;
  // Moments at which all flags and the strategy exist.
  for (const operation of PAST_READS) {
    const value = operation.toLowerCase();
    const made = await accepted(service, 'createTag', { body: { type: 'simple', value } });
    revision = Number(made.headers.get(REVISION_HEADER));
  }
  for (let start = 0; start < FLAGS; start += BATCH) {
    const features = names.slice(start, start + BATCH);
    await accepted(service, 'bulkToggleFeaturesEnvironmentOff', { params: PLACE, body: { features } });
  }
}, 300_000);

afterAll(async () => {
  await service.close();
  await counter.stop();
});

const workOf = (operationId: string, at?: number) =>
  counter.of(async () => {
    const { status, text } = await service.call(operationId, pastRead(operationId, strategyId, at));
    expect(status, `${operationId}: ${text.slice(0, 300)}`).toBe(200);
  });

it('reads the past of many endpoints', () => {
  expect(PAST_READS.length).toBeGreaterThan(15);
});

it.each(PAST_READS)(
  `%s costs in the past what it costs now, when ${FLAGS} flags have changed since then`,
  async (operationId) => {
    await workOf(operationId);
    const now = await workOf(operationId);
    // Of the moments before the first batch, each read has its own: no other one has read it.
    const at = revision - PAST_READS.indexOf(operationId);
    const first = await workOf(operationId, at);
    const again = await workOf(operationId, at);
    expect(first).toBeLessThan(TIMES_MAX * now + MORE_MAX + MORE_OF_A_FLAG_MAX * FLAGS);
    expect(again).toBeLessThan(TIMES_MAX * now + MORE_MAX);
  },
);
