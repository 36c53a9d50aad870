import { accepted } from '../support/admin.ts';
import type { TestService } from '../support/service.ts';

/** What a reference state has beside the entities of the examples. */
export interface Reference {
  readonly flags: readonly string[];
  readonly environments: readonly string[];
}

const ENVIRONMENT = 'development';
/** The segment that strategies of reference flags use; `seedExamples` makes it. */
const SEGMENT_ID = 1;

const namesOf = (prefix: string, count: number) => Array.from({ length: count }, (_, index) => `${prefix}-${index}`);

/** A file with these flags, with so many strategies each, for one environment. */
function exportOf(flags: readonly string[], strategies: number): object {
  return {
    features: flags.map((name) => ({ name, type: 'release', project: 'default' })),
    featureStrategies: flags.flatMap((featureName) =>
      Array.from({ length: strategies }, (_, index) => ({
        featureName,
        name: 'flexibleRollout',
        parameters: { rollout: String(index + 1), stickiness: 'default', groupId: featureName },
        constraints: [{ contextName: 'country', operator: 'IN', values: ['NO', 'SE'] }],
        ...(index === 0 && { segments: [SEGMENT_ID] }),
      })),
    ),
    featureEnvironments: flags.map((featureName) => ({ featureName, enabled: true })),
    segments: [{ id: SEGMENT_ID, name: 'swedes', constraints: [] }],
    contextFields: [],
    featureTags: [],
    tagTypes: [],
    dependencies: [],
  };
}

async function importFlags(service: TestService, environment: string, data: object): Promise<void> {
  await accepted(service, 'importFeatures', { body: { project: 'default', environment, data } });
}

async function small(service: TestService): Promise<Reference> {
  const flags = namesOf('flag', 3);
  await importFlags(service, ENVIRONMENT, exportOf(flags, 1));
  return { flags, environments: [ENVIRONMENT] };
}

/** Few flags, each with many strategies in many environments. */
async function wide(service: TestService): Promise<Reference> {
  const flags = namesOf('flag', 20);
  const environments = [ENVIRONMENT, ...namesOf('stage', 15)];
  for (const environment of environments) {
    if (environment !== ENVIRONMENT) {
      await accepted(service, 'createEnvironment', { body: { name: environment, type: 'test' } });
      for (const projectId of ['default', 'shop'])
        await accepted(service, 'addEnvironmentToProject', { params: { projectId }, body: { environment } });
    }
    await importFlags(service, environment, exportOf(flags, 10));
  }
  return { flags, environments };
}

/** Many of everything that people make: flags, projects, users, groups, segments, tags. */
async function many(service: TestService): Promise<Reference> {
  const flags = namesOf('flag', 1_000);
  await importFlags(service, ENVIRONMENT, exportOf(flags, 1));
  for (const name of namesOf('project', 40)) await accepted(service, 'createProject', { body: { id: name, name } });
  for (const username of namesOf('user', 60))
    await accepted(service, 'createUser', { body: { username, rootRole: 2 } });
  for (const name of namesOf('group', 20))
    await accepted(service, 'createGroup', { body: { name, users: [{ user: { id: 1 } }] } });
  for (const name of namesOf('segment', 60))
    await accepted(service, 'createSegment', { body: { name, constraints: [] } });
  for (const value of namesOf('tag', 40)) await accepted(service, 'createTag', { body: { type: 'simple', value } });
  return { flags, environments: [ENVIRONMENT] };
}

/** The three states on which work is counted. */
export const REFERENCE_STATES = { small, wide, many } as const;

export type StateName = keyof typeof REFERENCE_STATES;
