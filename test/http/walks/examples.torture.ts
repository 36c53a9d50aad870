import { describe, expect, it } from 'vitest';
import { documentText } from '../../../src/features/documentation/document.ts';
import { endpoints, FEATURE_HTTP } from '../../../src/features/registry.ts';
import { OF_PEOPLE, seedExamples } from '../../support/example-world.ts';
import { makeConsoleFolder } from '../../support/programs/console-folder.ts';
import { CLIENT_TOKEN, FRONTEND_TOKEN, SCIM_TOKEN, startTestService, type TestService } from '../../support/service.ts';

// biome-ignore lint/suspicious/noExplicitAny: the test reads the document without types
type Any = any;

/** Secrets of integrations are stored only if they can be sealed. */
const SEALED = { SECRETS_KEY: 'what seals the secrets of the examples' };

const IDENTIFIER = 'the service generates the identifier or the secret that the example names';
const PROVIDER = 'an identity provider must be configured first';
const VARIANTS = 'only imported flags have variants of environments: other flags have variants in strategies';

/** Examples that a service cannot accept unchanged: the status of the answer, and the reason. */
const ANSWERED_OTHERWISE: Readonly<Record<string, readonly [status: number, why: string]>> = {
  ...Object.fromEntries(
    [
      ...['getFeatureStrategy', 'patchFeatureStrategy', 'updateFeatureStrategy', 'deleteFeatureStrategy'],
      ...['setStrategySortOrder', 'updateFeatureStrategySegments', 'deleteFeatureLink', 'updateFeatureLink'],
      ...['getPublicSignupToken', 'updatePublicSignupToken', 'deleteProjectApiToken', 'endOwnSession'],
      ...['deleteServiceAccountToken', 'setFrontendStreamContext'],
    ].map((name) => [name, [404, IDENTIFIER] as const]),
  ),
  ...Object.fromEntries(
    ['oidcCallback', 'oidcLogin', 'samlCallback', 'samlLogin'].map((name) => [name, [404, PROVIDER] as const]),
  ),
  ...Object.fromEntries(
    [
      'patchEnvironmentsFeatureVariants',
      'overwriteEnvironmentFeatureVariants',
      'overwriteFeatureVariantsOnEnvironments',
    ].map((name) => [name, [403, VARIANTS] as const]),
  ),
  ...Object.fromEntries(
    [
      ...['getReleasePlanTemplate', 'updateReleasePlanTemplate', 'deleteReleasePlanTemplate'],
      ...['archiveReleasePlanTemplate', 'addMilestoneToReleasePlanTemplate', 'updateReleasePlanTemplateMilestone'],
      ...['removeReleasePlanTemplateMilestone', 'addStrategyToMilestone', 'updateMilestoneStrategy'],
      ...['removeMilestoneStrategy', 'removeReleasePlan', 'removeReleasePlanDeprecated', 'startMilestone'],
      ...['startMilestoneDeprecated', 'pauseReleasePlan', 'resumeReleasePlan', 'changeMilestoneProgression'],
      ...['deleteMilestoneProgression', 'updateProjectMilestoneStrategy', 'changeSafeguard', 'deleteSafeguard'],
    ].map((name) => [name, [404, IDENTIFIER] as const]),
  ),
  addReleasePlan: [400, IDENTIFIER],
  addReleasePlanDeprecated: [400, IDENTIFIER],
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

/** Sends the example of one operation. */
async function send(url: string, path: string, method: string, operation: Any, person: string): Promise<Response> {
  const parameters: Any[] = operation.parameters ?? [];
  const exampleOf = (name: string) => parameters.find((each) => each.name === name).example;
  const filled = path.replace(/\{(\w+)\}/g, (_match, name: string) => encodeURIComponent(exampleOf(name)));
  const query = parameters.filter((each) => each.in === 'query' && each.example !== undefined);
  const search = query.map(({ name, example }) => `${name}=${encodeURIComponent(example)}`).join('&');
  const [[type, media] = ['', undefined]] = Object.entries<Any>(operation.requestBody?.content ?? {});
  const schemes: string[] = (operation.security ?? []).map((one: object) => Object.keys(one)[0] ?? '');
  const token = schemes.includes('clientToken')
    ? CLIENT_TOKEN
    : schemes.includes('frontendToken')
      ? FRONTEND_TOKEN
      : schemes.includes('scimToken')
        ? SCIM_TOKEN
        : person;
  const isText = typeof media?.example === 'string';
  const form = type === 'application/x-www-form-urlencoded';
  return await fetch(`${url}${filled}${search === '' ? '' : `?${search}`}`, {
    method: method.toUpperCase(),
    redirect: 'manual',
    headers: { authorization: token, ...(type !== '' && { 'content-type': type }) },
    ...(media && {
      body: isText ? media.example : form ? new URLSearchParams(media.example) : JSON.stringify(media.example),
    }),
  });
}

interface Operation {
  readonly path: string;
  readonly method: string;
  readonly operation: Any;
}

/** A service with the items that the examples name, and the token for requests. */
interface World {
  readonly service: TestService;
  readonly token: string;
}

/** The problem with the answer to an example; undefined if there is none. */
async function problemOf({ service, token }: World, { path, method, operation }: Operation) {
  const response = await send(service.url, path, method, operation, token);
  // A stream never ends by itself.
  const isStream = response.headers.get('content-type')?.startsWith('text/event-stream') === true;
  const text = isStream ? '' : await response.text();
  if (isStream) await response.body?.cancel();
  const [expected, why] = ANSWERED_OTHERWISE[operation.operationId] ?? [];
  const isRight = expected === undefined ? response.status < 400 : response.status === expected && why !== '';
  return isRight ? undefined : `${operation.operationId}: ${response.status} ${text.slice(0, 300)}`;
}

/** Operations that create items come last: no example may succeed only because another example created its item. */
const ORDER = ['get', 'put', 'patch', 'delete', 'post'];

describe('the examples of the OpenAPI document', () => {
  it('are each accepted by their operation', async () => {
    const { paths } = JSON.parse(await documentText(FEATURE_HTTP)) as { paths: Record<string, Record<string, Any>> };
    const all = Object.entries(paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, operation]): Operation => ({ path, method, operation })),
    );
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
