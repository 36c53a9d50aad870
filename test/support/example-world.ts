import { expect } from 'vitest';
import { allowScim } from './scim.ts';
import { ADMIN_TOKEN, CLIENT_TOKEN, SCIM_TOKEN, type TestService } from './service.ts';

// biome-ignore lint/suspicious/noExplicitAny: tests read any field of answers
type Any = any;

const PASSWORD = 'the Passphrase before, of 2025!';

/** The operations that only users have, with a personal token. */
export const OF_PEOPLE = /Feedback$|Favorite|Splash|Own|^login$|^callMcp$/;

/** Creates the entities of the examples. Returns the token for the requests: an admin token or, with `isOfPeople`, the personal token of an admin user. */
export async function seedExamples(service: TestService, isOfPeople: boolean): Promise<string> {
  const { call, url } = service;
  const made = async (operationId: string, params: Any, body?: Any, token = ADMIN_TOKEN): Promise<Any> => {
    const { status, text, body: answer } = await call(operationId, { params, body, token });
    expect([operationId, status < 300, status < 300 ? '' : text]).toEqual([operationId, true, '']);
    return answer;
  };
  const projectId = 'default';
  const [featureName, environment] = ['checkout.new', 'development'];
  const strategy = { name: 'default', id: '7b1f7d5e-0f0a-4d53-9a59-0f3f1b3ad1b1' };
  const { id } = await made(
    'createUser',
    {},
    { username: 'kari', email: 'kari@example.com', rootRole: 1, ...(isOfPeople && { password: PASSWORD }) },
  );
  expect(id).toBe(1);
  await made('createUser', {}, { username: 'per', rootRole: 3 });
  const secret = isOfPeople ? await personalToken(url, 'kari', PASSWORD) : ADMIN_TOKEN;
  await made('createContextField', {}, { name: 'country', legalValues: [{ value: 'NO' }, { value: 'SE' }] });
  for (const name of [featureName, 'checkout.banner', 'checkout.old'])
    await made('createFeature', { projectId }, { name });
  await made('addFeatureStrategy', { projectId, featureName, environment }, strategy);
  await made('archiveFeature', { projectId, featureName: 'checkout.old' });
  for (const each of ['shop', 'old-shop']) await made('createProject', {}, { id: each, name: each });
  await made('archiveProject', { projectId: 'old-shop' });
  await made('createEnvironment', {}, { name: 'staging', type: 'preproduction' });
  await made('createBanner', {}, { message: 'Hello' });
  const parameters = { url: 'https://calendar.example.com/flags' };
  await made('createAddon', {}, { provider: 'webhook', enabled: false, parameters, events: ['feature-created'] });
  await made('createGroup', {}, { name: 'Everybody' });
  await allowScim(service);
  await made('createScimGroup', {}, { displayName: 'Pricing team' }, SCIM_TOKEN);
  await made('createSegment', {}, { name: 'swedes', constraints: [] });
  await made('createStrategy', {}, { name: 'byRegion', parameters: [] });
  await made('createTagType', {}, { name: 'area' });
  await made('replaceCodeReferences', { repository: 'acme/shop' }, { references: [] });
  await made('createTag', {}, { type: 'simple', value: 'payments' });
  await made('createRole', {}, { name: 'Releaser', description: '', permissions: [] });
  await made('createServiceAccount', {}, { username: 'deployer', rootRole: 2 });
  for (const name of ['alertmanager', 'grafana']) await made('createSignalEndpoint', {}, { name });
  await made('createSignalEndpointToken', { id: 1 }, { name: 'production' });
  await made('createActionSet', { projectId }, actionSet(featureName, environment));
  await made('createProjectContextField', { projectId }, { name: 'floor', legalValues: [{ value: 'NO' }] });
  await made(
    'updateProjectChangeRequestConfig',
    { projectId, environment: 'production' },
    { changeRequestsEnabled: true },
  );
  await made(
    'createChangeRequest',
    { projectId, environment: 'production' },
    { action: 'updateEnabled', feature: featureName, payload: { enabled: true } },
  );
  await made(
    'registerClientApplication',
    {},
    { appName: 'web-shop', instanceId: '1', environment, started: '2026-01-01T00:00:00Z', interval: 1, strategies: [] },
    CLIENT_TOKEN,
  );
  if (isOfPeople) {
    await made('changeOwnPreference', { key: 'theme' }, { value: 'dark' }, secret);
    await made('createOwnSavedView', {}, { name: 'All', screen: 'flags', query: '' }, secret);
    await made('createOwnContextSet', {}, { name: 'Nobody', contexts: [] }, secret);
  }
  return secret;
}

/** Signs the user on and creates a personal token. */
export async function personalToken(url: string, username: string, password: string): Promise<string> {
  const session = await fetch(`${url}/auth/simple/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ username, password }),
  });
  const cookie = session.headers.get('set-cookie')?.split(';')[0] ?? '';
  const answer = await fetch(`${url}/api/admin/user/tokens`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'sec-fetch-site': 'same-origin', cookie },
    body: JSON.stringify({ description: 'test', expiresAt: '2099-01-01T00:00:00Z' }),
  });
  return ((await answer.json()) as { secret: string }).secret;
}

/** An action set of the second endpoint and the service account. */
function actionSet(featureName: string, environment: string): object {
  return {
    name: 'Off after errors',
    actorId: 3,
    match: { source: 'signal-endpoint', sourceId: 2 },
    actions: [{ action: 'TOGGLE_FEATURE_OFF', executionParams: { environment, featureName } }],
  };
}
