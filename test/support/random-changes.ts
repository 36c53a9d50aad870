import type { Mulberry32 } from '../../src/base/mulberry32.ts';
import { REVISION_HEADER } from '../../src/http/answer.ts';
import { prepare } from './admin.ts';
import type { CallResult, TestService } from './service.ts';

export const PLACE = { projectId: 'default', environment: 'development' };
/** Ids of the segments that exist at first. */
const SEGMENTS = [1, 2, 3];
export const FLAGS = ['a', 'b', 'c', 'd', 'e', 'f'];

/** Two projects, each with two environments. */
export async function prepareProjects(service: TestService): Promise<void> {
  await prepare(service, (draft) => {
    const project = draft.get('projects', 'default');
    if (!project) return;
    const environments = ['development', 'production'];
    draft.put('projects', { ...project, environments });
    draft.put('projects', { ...project, id: 'other', name: 'other', environments });
    for (const id of SEGMENTS) {
      const fields = { id, name: `segment ${id}`, description: null, project: null, constraints: [] };
      draft.put('segments', { ...fields, createdBy: 'test', createdAt: '2026-01-01T00:00:00.000Z' });
    }
    draft.put('counters', { value: SEGMENTS.length }, 'segments');
  });
}

/** One random change, as an admin would make it. It may be refused: then nothing changes. Returns the revision that its answer has. */
export async function changeAtRandom(service: TestService, random: Mulberry32): Promise<number> {
  const pick = <T>(list: readonly T[]): T => list[Math.floor(random.next() * list.length)] as T;
  const featureName = pick(FLAGS);
  const environment = pick(['development', 'production']);
  const params = { ...PLACE, environment, featureName, child: featureName, name: environment };
  const { state } = service.running.services;
  const strategies =
    state.get('features', featureName)?.environments.find((one) => one.environment === environment)?.strategies ?? [];
  const strategyId = strategies.length > 0 ? pick(strategies).id : 'missing';
  const rollout = String(Math.floor(random.next() * 101));
  const strategy = {
    name: 'flexibleRollout',
    parameters: { rollout, stickiness: 'default', groupId: featureName },
    segments: random.next() < 0.5 ? [pick(SEGMENTS)] : [],
    constraints: [],
  };
  const changeSegment = () =>
    service.call('updateSegment', {
      params: { id: pick(SEGMENTS) },
      body: {
        name: `segment ${rollout}`,
        constraints: [{ contextName: 'userId', operator: 'IN', values: [rollout] }],
      },
    });
  const makes: (() => Promise<CallResult | undefined>)[] = [
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
    () => service.call('reviveFeature', { params }),
    () => service.call('reviveFeature', { params }),
    () => service.call('createFeature', { params, body: { name: featureName } }),
    () => service.call('addFeatureDependency', { params, body: { feature: pick(FLAGS) } }),
    () => service.call('deleteFeatureDependencies', { params }),
    () => service.call('createSegment', { body: { name: `segment ${rollout}`, constraints: [] } }),
    changeSegment,
    changeSegment,
    changeSegment,
    () =>
      random.next() < 0.05
        ? service.call('removeSegment', { params: { id: pick(SEGMENTS) } })
        : Promise.resolve(undefined),
    () => service.call('addTag', { params, body: { type: 'simple', value: `tag${rollout}` } }),
    () => service.call('changeProject', { params, body: { newProjectId: 'other' } }),
    () =>
      service.call('changeProject', { params: { ...params, projectId: 'other' }, body: { newProjectId: 'default' } }),
    () => service.call('updateEnvironment', { params, body: { type: pick(['production', 'test']), sortOrder: 1 } }),
    () => (random.next() < 0.3 ? service.call('removeEnvironmentFromProject', { params }) : Promise.resolve(undefined)),
    () => service.call('addEnvironmentToProject', { params, body: { environment } }),
    () => service.call('addEnvironmentToProject', { params, body: { environment } }),
    () => service.call('bulkToggleFeaturesEnvironmentOn', { params, body: { features: FLAGS.slice(0, 3) } }),
  ];
  const answer = await pick(makes)();
  return Number(answer?.headers.get(REVISION_HEADER));
}
