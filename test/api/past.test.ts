import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Mulberry32 } from '../../src/base/mulberry32.ts';
import { accepted, INVALID, prepare, refused } from '../support/admin.ts';
import { atDepth } from '../support/depth.ts';
import { startTestService, type TestService } from '../support/service.ts';

let service: TestService;

beforeAll(async () => {
  service = await startTestService();
  await prepare(service, (draft) => {
    const project = draft.get('projects', 'default');
    if (project) draft.put('projects', { ...project, environments: ['development', 'production'] });
  });
});

afterAll(() => service.close());

const PLACE = { projectId: 'default', environment: 'development' };
const FLAGS = ['a', 'b', 'c', 'd', 'e', 'f'];

/** What the past cannot know, or what depends on the caller and on usage. */
const UNRECORDED = new Set(['lastSeenAt', 'yes', 'no', 'lifecycle', 'favorite', 'updatedAt', 'changedAt']);

function recorded(value: unknown): unknown {
  if (Array.isArray(value)) return inOrder(value.map(recorded));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).flatMap(([key, item]) => (UNRECORDED.has(key) ? [] : [[key, recorded(item)]])),
  );
}

/** Lists of entities have no order of their own. */
function inOrder(list: unknown[]): unknown[] {
  const nameOf = (item: unknown) => String((item as { name?: string } | null)?.name ?? '');
  return list.sort((left, right) => (nameOf(left) < nameOf(right) ? -1 : 1));
}

interface Asked {
  readonly operationId: string;
  readonly params?: Readonly<Record<string, string>>;
}

const ASKED: readonly Asked[] = [
  ...FLAGS.map((featureName) => ({ operationId: 'getFeature', params: { projectId: 'default', featureName } })),
  { operationId: 'getFeatures', params: { projectId: 'default' } },
  { operationId: 'getFeatures', params: { projectId: 'other' } },
  { operationId: 'getSegments' },
  { operationId: 'getAllEnvironments' },
  { operationId: 'getEnvironment', params: { name: 'production' } },
  { operationId: 'getProjectEnvironments', params: { projectId: 'default' } },
  { operationId: 'getContextFields' },
];

async function answers(at?: number): Promise<unknown[]> {
  const found = [];
  for (const { operationId, params = {} } of ASKED) {
    const { status, body } = await service.call(operationId, {
      params,
      ...(at !== undefined && { query: `at=${at}` }),
    });
    found.push([operationId, params, status, status === 200 ? recorded(body) : null]);
  }
  return found;
}

/** One random change, as an admin would make it. It may be refused: then nothing changes. */
async function change(random: Mulberry32): Promise<void> {
  const pick = <T>(list: readonly T[]): T => list[Math.floor(random.next() * list.length)] as T;
  const featureName = pick(FLAGS);
  const environment = pick(['development', 'production']);
  const params = { ...PLACE, environment, featureName, child: featureName, name: environment };
  const { segments, features } = { segments: [1, 2, 3], features: service.running.services.state };
  const strategies =
    features.get('features', featureName)?.environments.find((one) => one.environment === environment)?.strategies ??
    [];
  const strategyId = strategies.length > 0 ? pick(strategies).id : 'missing';
  const rollout = String(Math.floor(random.next() * 101));
  const strategy = {
    name: 'flexibleRollout',
    parameters: { rollout, stickiness: 'default', groupId: featureName },
    segments: random.next() < 0.3 ? [pick(segments)] : [],
    constraints: [],
  };
  const makes: (() => Promise<unknown>)[] = [
    () => service.call('createFeature', { params, body: { name: featureName, type: pick(['release', 'experiment']) } }),
    () => service.call('toggleFeatureEnvironmentOn', { params }),
    () => service.call('toggleFeatureEnvironmentOn', { params }),
    () => service.call('toggleFeatureEnvironmentOff', { params }),
    () => service.call('addFeatureStrategy', { params, body: strategy }),
    () => service.call('updateFeatureStrategy', { params: { ...params, strategyId }, body: strategy }),
    () => service.call('deleteFeatureStrategy', { params: { ...params, strategyId } }),
    () => service.call('updateFeature', { params, body: { name: featureName, description: rollout, type: 'release' } }),
    () => service.call('archiveFeature', { params }),
    () => service.call('reviveFeature', { params }),
    () => service.call('deleteFeature', { params }),
    () => service.call('addFeatureDependency', { params, body: { feature: pick(FLAGS) } }),
    () => service.call('deleteFeatureDependencies', { params }),
    () => service.call('createSegment', { body: { name: `segment ${rollout}`, constraints: [] } }),
    () =>
      service.call('updateSegment', {
        params: { id: pick(segments) },
        body: {
          name: `segment ${rollout}`,
          constraints: [{ contextName: 'userId', operator: 'IN', values: [rollout] }],
        },
      }),
    () => service.call('removeSegment', { params: { id: pick(segments) } }),
    () => service.call('addTag', { params, body: { type: 'simple', value: `tag${rollout}` } }),
    () => service.call('changeProject', { params, body: { newProjectId: 'other' } }),
    () =>
      service.call('changeProject', { params: { ...params, projectId: 'other' }, body: { newProjectId: 'default' } }),
    () => service.call('updateEnvironment', { params, body: { type: pick(['production', 'test']), sortOrder: 1 } }),
    () => service.call('removeEnvironmentFromProject', { params }),
    () => service.call('addEnvironmentToProject', { params, body: { environment } }),
    () => service.call('addEnvironmentToProject', { params, body: { environment } }),
    () => service.call('bulkToggleFeaturesEnvironmentOn', { params, body: { features: FLAGS.slice(0, 3) } }),
  ];
  await pick(makes)();
}

describe('the past', () => {
  it('is answered as it was, at every revision, whatever was changed since', async () => {
    await prepare(service, (draft) => {
      const project = draft.get('projects', 'default');
      if (project) draft.put('projects', { ...project, id: 'other', name: 'other' });
    });
    const first = service.running.services.state.seq;
    const random = new Mulberry32(20_261_124);
    const served = new Map<number, unknown>([[first, await answers()]]);
    while (served.size < atDepth({ quick: 60, full: 600 })) {
      await change(random);
      const { seq } = service.running.services.state;
      if (!served.has(seq)) served.set(seq, await answers());
    }
    for (const [revision, expected] of served) expect(await answers(revision), `at ${revision}`).toEqual(expected);
  });

  it('is named by a revision or a time, and refused outside of what is recorded', async () => {
    const { seq } = service.running.services.state;
    const now = await accepted(service, 'getSegments', { query: `at=${encodeURIComponent(new Date().toISOString())}` });
    expect(now.headers.get('burgee-at-revision')).toBe(String(seq));
    await refused(service, 'getSegments', INVALID, { query: `at=${seq + 1}` });
    await refused(service, 'getSegments', INVALID, { query: 'at=yesterday' });
    const before = await accepted(service, 'getFeatures', { params: PLACE, query: 'at=2020-01-01' });
    expect(before.body.features).toEqual([]);
  });
});
