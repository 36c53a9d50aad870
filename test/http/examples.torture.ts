import { describe, expect, it } from 'vitest';
import { documentText } from '../../src/features/documentation/document.ts';
import { endpoints, FEATURE_HTTP } from '../../src/features/registry.ts';
import { OF_PEOPLE, seedExamples } from '../support/example-world.ts';
import { CLIENT_TOKEN, FRONTEND_TOKEN, startTestService, type TestService } from '../support/service.ts';

// biome-ignore lint/suspicious/noExplicitAny: the document is looked into freely
type Any = any;

const IDENTIFIER = 'the service makes the identifier or the secret that it names';
const PROVIDER = 'an identity provider is to be set up first';
const VARIANTS = 'only flags that came with variants of environments have some: strategies have them';

/** Examples that a service cannot take as they stand: the status of the answer, and why. */
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
  changePasswordByLink: [401, IDENTIFIER],
  validateToken: [401, IDENTIFIER],
  addPublicSignupTokenUser: [400, IDENTIFIER],
  validatePublicSignupToken: [400, IDENTIFIER],
  deleteFeatureDependency: [404, 'a parent that others depend on could not be archived, which another example does'],
  removeRoleOfProjectGroup: [404, 'the role is to be given first'],
  removeRoleOfProjectUser: [404, 'the role is to be given first'],
};

/** Sends what the document shows for one operation. */
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

/** A service with what the examples name, and the token to ask it with. */
interface World {
  readonly service: TestService;
  readonly token: string;
}

/** Why the example is not taken as it should be; undefined when it is. */
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

/** What makes things comes last: no example is taken because another one made what it names. */
const ORDER = ['get', 'put', 'patch', 'delete', 'post'];

describe('the examples of the OpenAPI document', () => {
  it('are each taken by the operation that shows them', async () => {
    const { paths } = JSON.parse(await documentText(FEATURE_HTTP)) as { paths: Record<string, Record<string, Any>> };
    const all = Object.entries(paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, operation]): Operation => ({ path, method, operation })),
    );
    expect(all.map(({ operation }) => operation.operationId).sort()).toEqual(
      endpoints.map(({ operationId }) => operationId).sort(),
    );
    const worlds = new Map<boolean, World>();
    const fresh = async (isOfPeople: boolean) => {
      await worlds.get(isOfPeople)?.service.close();
      const service = await startTestService();
      const world = { service, token: await seedExamples(service, isOfPeople) };
      worlds.set(isOfPeople, world);
      return world;
    };
    const wrong: string[] = [];
    for (const one of all.sort((left, right) => ORDER.indexOf(left.method) - ORDER.indexOf(right.method))) {
      const isOfPeople = one.method === 'get' || OF_PEOPLE.test(one.operation.operationId);
      const shared = worlds.get(isOfPeople);
      if (shared && (await problemOf(shared, one)) === undefined) continue;
      // What an example before it left behind may be in its way: a service of its own decides.
      const problem = await problemOf(await fresh(isOfPeople), one);
      if (problem !== undefined) wrong.push(problem);
    }
    for (const { service } of worlds.values()) await service.close();
    expect(wrong).toEqual([]);
  });
});
