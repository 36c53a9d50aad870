import { describe, expect, it } from 'vitest';
import { endpoints } from '../../../src/features/registry.ts';
import { type Operation, operationsOfDocument, sendExample, textOfAnswer } from '../../support/example-requests.ts';
import { OF_PEOPLE, seedExamples } from '../../support/example-world.ts';
import { makeConsoleFolder } from '../../support/programs/console-folder.ts';
import { startTestService, type TestService } from '../../support/service.ts';

/** Secrets of integrations are stored only if they can be sealed. */
const SEALED = { SECRETS_KEY: 'what seals the secrets of the examples' };

const IDENTIFIER = 'the service generates the identifier or the secret that the example names';
const PROVIDER = 'an identity provider must be configured first';
const VARIANTS = 'only imported flags have variants of environments: other flags have variants in strategies';

const BY_TOKEN = 'the examples are sent with a personal token, which ends no sessions';

const TEMPLATE_OPERATIONS = [
  'getReleasePlanTemplate',
  'updateReleasePlanTemplate',
  'deleteReleasePlanTemplate',
  'archiveReleasePlanTemplate',
  'addMilestoneToReleasePlanTemplate',
  'updateReleasePlanTemplateMilestone',
  'removeReleasePlanTemplateMilestone',
  'addStrategyToMilestone',
  'updateMilestoneStrategy',
  'removeMilestoneStrategy',
];

/** Examples that a service cannot accept unchanged: the status of the answer, and the reason. */
const ANSWERED_OTHERWISE: Readonly<Record<string, readonly [status: number, why: string]>> = {
  ...Object.fromEntries(
    [
      'getFeatureStrategy',
      'patchFeatureStrategy',
      'updateFeatureStrategy',
      'deleteFeatureStrategy',
      'setStrategySortOrder',
      'updateFeatureStrategySegments',
      'deleteFeatureLink',
      'updateFeatureLink',
      'getPublicSignupToken',
      'updatePublicSignupToken',
      'deleteProjectApiToken',
      'endOwnSession',
      'deleteServiceAccountToken',
      'setFrontendStreamContext',
    ].map((name) => [name, [404, IDENTIFIER] as const]),
  ),
  ...Object.fromEntries(
    ['oidcCallback', 'oidcLogin', 'samlCallback', 'samlLogin'].map((name) => [name, [404, PROVIDER] as const]),
  ),
  ...Object.fromEntries(
    ['patchEnvironmentsFeatureVariants', 'overwriteEnvironmentFeatureVariants'].map((name) => [
      name,
      [403, VARIANTS] as const,
    ]),
  ),
  ...Object.fromEntries(
    [
      ...TEMPLATE_OPERATIONS,
      ...TEMPLATE_OPERATIONS.map((name) => `${name}OfProject`),
      'removeReleasePlan',
      'removeReleasePlanDeprecated',
      'startMilestone',
      'startMilestoneDeprecated',
      'pauseReleasePlan',
      'resumeReleasePlan',
      'changeMilestoneProgression',
      'deleteMilestoneProgression',
      'updateProjectMilestoneStrategy',
      'changeSafeguard',
      'deleteSafeguard',
      'deleteFeatureEnvironmentSafeguard',
    ].map((name) => [name, [404, IDENTIFIER] as const]),
  ),
  addReleasePlan: [400, IDENTIFIER],
  addReleasePlanDeprecated: [400, IDENTIFIER],
  endOwnSession: [403, BY_TOKEN],
  endOwnOtherSessions: [403, BY_TOKEN],
  getMcp: [405, 'this server has no stream'],
  undoRevision: [404, 'the example names a commit that the service has not made'],
  changePasswordByLink: [401, IDENTIFIER],
  sendSignal: [401, IDENTIFIER],
  validateToken: [401, IDENTIFIER],
  addPublicSignupTokenUser: [400, IDENTIFIER],
  validatePublicSignupToken: [400, IDENTIFIER],
  deleteFeatureDependency: [404, 'a parent that others depend on could not be archived, which another example does'],
  removeRoleOfProjectGroup: [404, 'the role must be assigned first'],
  removeRoleOfProjectUser: [404, 'the role must be assigned first'],
};

/** A service with the items that the examples name, and the token for requests. */
interface World {
  readonly service: TestService;
  readonly token: string;
}

/** The problem with the answer to an example; undefined if there is none. */
async function problemOf({ service, token }: World, one: Operation) {
  const response = await sendExample(service.url, one, token);
  const text = await textOfAnswer(response);
  const { operation } = one;
  const [expected, why] = ANSWERED_OTHERWISE[operation.operationId] ?? [];
  const isRight = expected === undefined ? response.status < 400 : response.status === expected && why !== '';
  return isRight ? undefined : `${operation.operationId}: ${response.status} ${text.slice(0, 300)}`;
}

/** Operations that create items come last: no example may succeed only because another example created its item. */
const ORDER = ['get', 'put', 'patch', 'delete', 'post'];

describe('the examples of the OpenAPI document', () => {
  it('are each accepted by their operation', async () => {
    const all = await operationsOfDocument();
    expect(all.map(({ operation }) => operation.operationId).sort()).toEqual(
      endpoints.map(({ operationId }) => operationId).sort(),
    );
    const built = makeConsoleFolder();
    const worlds = new Map<boolean, World>();
    const fresh = async (isOfPeople: boolean) => {
      await worlds.get(isOfPeople)?.service.close();
      const service = await startTestService({ consoleFolder: built.folder, env: SEALED });
      const world = { service, token: await seedExamples(service, isOfPeople) };
      worlds.set(isOfPeople, world);
      return world;
    };
    const wrong: string[] = [];
    for (const one of all.sort((left, right) => ORDER.indexOf(left.method) - ORDER.indexOf(right.method))) {
      const isOfPeople = one.method === 'get' || OF_PEOPLE.test(one.operation.operationId);
      const shared = worlds.get(isOfPeople);
      if (shared && (await problemOf(shared, one)) === undefined) continue;
      // Data of an earlier example may cause the problem: a new service decides.
      const problem = await problemOf(await fresh(isOfPeople), one);
      if (problem !== undefined) wrong.push(problem);
    }
    for (const { service } of worlds.values()) await service.close();
    built.remove();
    expect(wrong).toEqual([]);
  });
});
