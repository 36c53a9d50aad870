import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { ROLE_ID } from '../../src/model/role.ts';
import { personalTokenOf, putUser } from '../support/people.ts';
import { ADMIN_TOKEN, CLIENT_TOKEN, FRONTEND_TOKEN, useService } from '../support/service.ts';
import { PROVEN_ELSEWHERE, rowsOfPage } from './differences.ts';

const service = useService();

/** Sends a request as a tool of Unleash does. The path is below `/api/admin`, unless it begins with another part of the interface. */
async function send(method: string, path: string, body?: unknown, token: string | null = ADMIN_TOKEN) {
  const full = /^\/(api|auth|edge|invite|health)\//.test(path) ? path : `/api/admin${path}`;
  const headers = { ...(token !== null && { authorization: token }), 'content-type': 'application/json' };
  const sent = body === undefined ? {} : { body: JSON.stringify(body) };
  const answer = await fetch(service.url + full, { method, headers, ...sent });
  const text = await answer.text();
  return { status: answer.status, body: /^[[{"]/.test(text) ? JSON.parse(text) : text, headers: answer.headers };
}

const statusOf = async (...request: Parameters<typeof send>) => (await send(...request)).status;

let names = 0;
const newName = (kind: string) => `${kind}-${++names}`;

async function newFlag(project = 'default'): Promise<string> {
  const name = newName('flag');
  expect(await statusOf('POST', `/projects/${project}/features`, { name })).toBe(201);
  return name;
}

async function newProject(): Promise<string> {
  const id = newName('project');
  expect(await statusOf('POST', '/projects', { id, name: id })).toBe(201);
  return id;
}

const pathOf = (flag: string, project = 'default') => `/projects/${project}/features/${flag}`;
const VARIANT = { name: 'a', weight: 1000, weightType: 'variable', stickiness: 'default' };

/** A request for each row of the page: it shows what Burgee does. `PROVEN_ELSEWHERE` has the rows that another test shows. */
const SENT: Readonly<Record<string, () => Promise<void>>> = {
  async 'a slash at the end of a path'() {
    for (const path of ['/api/admin/projects/', '/api//admin//projects']) expect(await statusOf('GET', path)).toBe(200);
  },
  async 'caching of responses'() {
    const revalidated = await send('GET', '/api/client/features', undefined, CLIENT_TOKEN);
    expect(revalidated.headers.get('etag')).not.toBeNull();
    expect((await send('GET', '/projects')).headers.get('cache-control')).toBe('no-store');
  },
  async 'number of flags'() {
    expect((await send('GET', '/ui-config')).body.resourceLimits.featureFlags).toBe(100_000);
  },
  async 'a project or an environment called `*`'() {
    expect(await statusOf('POST', '/projects', { id: '*', name: 'All' })).toBe(400);
    expect(await statusOf('POST', '/environments', { name: '*', type: 'test' })).toBe(400);
  },
  async 'dates in contexts'() {
    const name = await newFlag();
    await send('POST', '/context', { name: 'day' });
    const constraints = [{ contextName: 'day', operator: 'DATE_AFTER', value: '2020-01-01T00:00:00.000Z' }];
    const path = `${pathOf(name)}/environments/development`;
    await send('POST', `${path}/strategies`, { name: 'default', constraints });
    await send('POST', `${path}/on`);
    const isOn = async (digits: number) => {
      const context = { properties: { day: `2026-01-01T00:00:00.${'0'.repeat(digits)}Z` } };
      const { body } = await send('POST', '/api/frontend', { context }, FRONTEND_TOKEN);
      return body.toggles.some((toggle: { name: string }) => toggle.name === name);
    };
    expect([await isOn(3), await isOn(100)]).toEqual([true, false]);
  },
  async '`inviteLink` of a user'() {
    const made = await send('POST', '/user-admin', { email: 'invited@example.org', rootRole: 3 });
    expect(made.body.inviteLink).toEqual(expect.any(String));
    const { users } = (await send('GET', '/user-admin')).body;
    expect(users.find(({ id }: { id: number }) => id === made.body.id)).not.toHaveProperty('inviteLink');
    expect(await statusOf('POST', '/user-admin/reset-password', { id: 'invited@example.org' })).toBe(200);
  },
  async mail() {
    const made = await send('POST', '/user-admin', { email: 'mail@example.org', rootRole: 3, sendEmail: true });
    expect(made.body.emailSent).toBe(false);
    expect(await statusOf('POST', '/auth/reset/password-email', { email: 'nobody@example.org' }, null)).toBe(200);
  },
  async 'a permission for environments in a role'() {
    const role = (permission: object) => ({ name: newName('role'), type: 'custom', permissions: [permission] });
    const permission = { name: 'UPDATE_FEATURE_ENVIRONMENT' };
    expect(await statusOf('POST', '/roles', role(permission))).toBe(400);
    expect(await statusOf('POST', '/roles', role({ ...permission, environment: 'production' }))).toBe(200);
  },
  async 'integrations: parameters that the provider does not have'() {
    const parameters = { url: 'https://example.com', authorisation: 'x' };
    expect(await statusOf('POST', '/addons', { provider: 'webhook', enabled: true, events: [], parameters })).toBe(400);
  },
  async '`environment` and `versionInfo` in `ui-config`'() {
    const { environment, versionInfo } = (await send('GET', '/ui-config')).body;
    expect(environment).toBe('Open source');
    expect(versionInfo).toMatchObject({ isLatest: true });
  },
  async '`serviceUrl` in `ui-config`'() {
    const { serviceUrl, unleashUrl } = (await send('GET', '/ui-config')).body;
    expect(serviceUrl).toEqual(expect.any(String));
    expect(unleashUrl).toBe(serviceUrl);
  },
  async 'change requests in an environment that requires no review'() {
    const change = { feature: await newFlag(), action: 'updateEnabled', payload: { enabled: true } };
    expect(await statusOf('POST', '/projects/default/environments/development/change-requests', change)).toBe(400);
  },
  async 'requesting a change'() {
    await putUser(service, 77, { rootRole: ROLE_ID.viewer });
    const viewer = await personalTokenOf(service, 77);
    const path = '/projects/default/environments/production/change-requests';
    const change = { feature: await newFlag(), action: 'updateEnabled', payload: { enabled: true } };
    await send('PUT', `${path}/config`, { changeRequestsEnabled: true });
    expect([await statusOf('POST', path, change, viewer), await statusOf('POST', path, change)]).toEqual([403, 200]);
    await send('PUT', `${path}/config`, { changeRequestsEnabled: false });
  },
  async 'projects with the mode `protected`'() {
    const id = await newProject();
    expect(await statusOf('PUT', `/projects/${id}`, { name: id, mode: 'protected' })).toBe(200);
    const { projects } = (await send('GET', '/projects')).body;
    expect(projects.find((one: { id: string }) => one.id === id).mode).toBe('protected');
  },
  async 'splash, feedback and favourites with an admin token'() {
    expect(await statusOf('POST', '/splash/new')).toBe(400);
    expect(await statusOf('POST', '/feedback', { feedbackId: 'pnps' })).toBe(400);
    expect(await statusOf('POST', `${pathOf(await newFlag())}/favorites`)).toBe(400);
  },
  async 'links of banners'() {
    expect(await statusOf('POST', '/banners', { message: 'm', link: 'javascript:alert(1)' })).toBe(400);
    for (const link of ['https://example.org', 'mailto:a@example.org', '/projects', 'dialog'])
      expect(await statusOf('POST', '/banners', { message: 'm', link })).toBe(201);
  },
  async 'a usage report without `bucket`'() {
    expect(await statusOf('POST', '/api/client/metrics', { appName: 'a', instanceId: 'i' }, CLIENT_TOKEN)).toBe(202);
  },
  async '`sdkType` in bulk reports of a relay'() {
    const about = {
      appName: 'bulk-app',
      instanceId: 'one',
      sdkVersion: 'unleash-client-js:3.7.0',
      sdkType: 'frontend',
    };
    const times = { started: new Date().toISOString(), interval: 10, strategies: [], environment: 'development' };
    const report = { applications: [{ ...about, ...times }], metrics: [] };
    expect(await statusOf('POST', '/api/client/metrics/bulk', report, CLIENT_TOKEN)).toBe(202);
    await service.running.services.reportRecorder.flush();
    const { instances } = (await send('GET', '/metrics/applications/bulk-app')).body;
    expect(instances).toMatchObject([{ sdkType: 'backend' }]);
  },
  async 'name of the error if no caller may do something in the current state (a flag that depends on itself, a parent archived without its children)'() {
    const name = await newFlag();
    const { status, body } = await send('POST', `${pathOf(name)}/dependencies`, { feature: name });
    expect([status, body.name]).toEqual([403, 'NoAccessError']);
  },
  async 'setting variants of environments for a flag that has no such variants yet'() {
    const path = pathOf(await newFlag());
    expect(await statusOf('PUT', `${path}/environments/development/variants`, [VARIANT])).toBe(403);
    expect(await statusOf('PUT', `${path}/variants`, [VARIANT])).toBe(200);
  },
  async 'reviving or permanently deleting a batch of flags of which some are not archived'() {
    const features = [await newFlag(), await newFlag()];
    await send('DELETE', pathOf(features[0] ?? ''));
    for (const step of ['revive', 'delete'])
      expect(await statusOf('POST', `/projects/default/${step}`, { features })).toBe(409);
  },
  async 'tags that no flag has any more'() {
    const name = await newFlag();
    const tag = { type: 'simple', value: newName('tag') };
    await send('POST', `/features/${name}/tags`, tag);
    await send('DELETE', `/features/${name}/tags/simple/${tag.value}`);
    expect(await statusOf('GET', `/tags/simple/${tag.value}`)).toBe(404);
    await send('POST', '/tags', tag);
    await send('POST', `/features/${name}/tags`, tag);
    await send('DELETE', `/features/${name}/tags/simple/${tag.value}`);
    expect(await statusOf('GET', `/tags/simple/${tag.value}`)).toBe(200);
  },
  async 'tags that one request adds to several flags'() {
    const tagsOf = (count: number) => Array.from({ length: count }, (_, at) => ({ type: 'simple', value: `t-${at}` }));
    const change = async (features: readonly string[], addedTags: readonly object[]) =>
      statusOf('PUT', '/projects/default/tags', { features, tags: { addedTags, removedTags: [] } });
    const name = await newFlag();
    expect(await change([name], tagsOf(10))).toBe(200);
    expect(await change([name], tagsOf(11))).toBe(400);
    expect(await change(Array(101).fill(name), tagsOf(1))).toBe(400);
  },
  async 'links of flags'() {
    const path = `${pathOf(await newFlag())}/link`;
    expect(await statusOf('POST', path, { url: 'ftp://example.org', title: null })).toBe(400);
    expect(await statusOf('POST', path, { url: 'https://example.org', title: null })).toBe(204);
  },
  async '`flag-creators`, if an admin token created flags'() {
    const id = await newProject();
    await newFlag(id);
    expect((await send('GET', `/projects/${id}/flag-creators`)).body).toEqual([]);
  },
  async '`projects/:projectId/dependencies`'() {
    const [id, parent] = [await newProject(), await newFlag()];
    expect((await send('GET', `/projects/${id}/dependencies`)).body).toBe('false');
    await send('POST', `${pathOf(await newFlag())}/dependencies`, { feature: parent });
    expect((await send('GET', '/projects/default/dependencies')).body).toBe('true');
  },
  async "fields that only Burgee has, in responses of Unleash's operations"() {
    const [event] = (await send('GET', '/events')).body.events;
    expect(event).toMatchObject({ revision: expect.any(Number), reason: null });
  },
  async '`query` in a search for flags'() {
    const texts = (count: number) => Array.from({ length: count }, (_, at) => `t${at}`).join();
    expect(await statusOf('GET', `/search/features?query=${texts(20)}`)).toBe(200);
    expect(await statusOf('GET', `/search/features?query=${texts(21)}`)).toBe(400);
  },
  async 'changing an archived flag (`PUT`, strategies, tags)'() {
    const name = await newFlag();
    await send('DELETE', pathOf(name));
    expect(await statusOf('PUT', pathOf(name), { description: 'd' })).toBe(404);
    const strategies = `${pathOf(name)}/environments/development/strategies`;
    expect(await statusOf('POST', strategies, { name: 'default' })).toBe(404);
    expect(await statusOf('POST', `/features/${name}/tags`, { type: 'simple', value: 'tag' })).toBe(404);
  },
  async 'constraints with a list operator and an empty list of values'() {
    const constraints = [{ contextName: 'userId', operator: 'IN', values: [] }];
    const path = `${pathOf(await newFlag())}/environments/development/strategies`;
    expect(await statusOf('POST', path, { name: 'default', constraints })).toBe(200);
  },
  async 'weak password for a user that an admin creates'() {
    const person = { email: 'weak@example.org', rootRole: 3, password: 'weak' };
    expect(await statusOf('POST', '/user-admin', person)).toBe(400);
  },
  async '`GET /api/admin/user-admin/search`'() {
    const { body } = await send('GET', '/user-admin/search?q=admin');
    expect(Object.keys(body).sort()).toEqual(['rootRoles', 'users']);
  },
  async 'export of an environment or a project that does not exist'() {
    const exported = (query: object) => statusOf('POST', '/features-batch/export', query);
    expect(await exported({ environment: 'nowhere', features: [] })).toBe(404);
    expect(await exported({ environment: 'development', project: 'nowhere' })).toBe(404);
  },
  async 'a flag that is in another project than the one in the path'() {
    const { status, body } = await send('GET', pathOf(await newFlag(), await newProject()));
    expect(status).toBe(404);
    expect(body.message).not.toContain('default');
  },
  async 'an unknown `status` in a search for flags'() {
    expect(await statusOf('GET', '/search/features?status[]=nonsense')).toBe(400);
  },
  async '`name` of `GET …/features/:featureName/environments/:environment`'() {
    const name = await newFlag();
    const { body } = await send('GET', `${pathOf(name)}/environments/development`);
    expect(body).toMatchObject({ name: 'development', featureName: name });
  },
  async '`PATCH` of a flag or a strategy: paths that do not exist, and `name`, `project`, `id`'() {
    const path = pathOf(await newFlag());
    for (const at of ['/colour/of', '/name', '/project'])
      expect(await statusOf('PATCH', path, [{ op: 'replace', path: at, value: 'x' }]), at).toBe(400);
    const { body } = await send('POST', `${path}/environments/development/strategies`, { name: 'default' });
    const strategy = `${path}/environments/development/strategies/${body.id}`;
    expect(await statusOf('PATCH', strategy, [{ op: 'replace', path: '/id', value: 'x' }])).toBe(400);
  },
  async '`PATCH` of a flag: operations `copy` and `move`'() {
    const path = pathOf(await newFlag());
    for (const op of ['copy', 'move'])
      expect(await statusOf('PATCH', path, [{ op, from: '/stale', path: '/impressionData' }])).toBe(400);
  },
  async '`sortOrder` in a `PATCH` of a strategy'() {
    const path = `${pathOf(await newFlag())}/environments/development/strategies`;
    const { body } = await send('POST', path, { name: 'default' });
    const changed = await send('PATCH', `${path}/${body.id}`, [{ op: 'replace', path: '/sortOrder', value: 7 }]);
    expect([changed.status, changed.body.sortOrder]).toEqual([200, 7]);
  },
  async 'a segment with `project: ""`'() {
    const segment = { name: newName('segment'), constraints: [] };
    expect(await statusOf('POST', '/segments', { ...segment, project: '' })).toBe(400);
    expect(await statusOf('POST', '/segments', { ...segment, project: null })).toBe(201);
  },
  async '`POST /api/admin/features/validate` with a project that does not exist'() {
    expect(await statusOf('POST', '/features/validate', { name: newName('free'), projectId: 'nowhere' })).toBe(404);
  },
  async 'strategies and dependencies of a project that does not exist'() {
    expect(await statusOf('GET', '/projects/nowhere/dependencies')).toBe(404);
    const path = '/projects/nowhere/features/none/environments/development/strategies';
    expect(await statusOf('GET', path)).toBe(404);
  },
  async 'flags that one could depend on, of a flag that does not exist (`…/features/:child/parents`)'() {
    expect(await statusOf('GET', '/projects/default/features/none/parents')).toBe(404);
  },
  async 'a batch (archive, stale, revive, delete) that names flags that do not exist'() {
    const name = await newFlag();
    const features = [name, 'none'];
    expect(await statusOf('POST', '/projects/default/archive', { features })).toBe(404);
    expect(await statusOf('POST', '/projects/default/stale', { features, stale: true })).toBe(404);
    for (const step of ['revive', 'delete'])
      expect(await statusOf('POST', `/projects/default/${step}`, { features: ['none'] })).toBe(404);
    expect((await send('GET', pathOf(name))).body).toMatchObject({ archived: false, stale: false });
  },
  async 'lifecycle of a flag that does not exist'() {
    expect(await statusOf('GET', `${pathOf('none')}/lifecycle`)).toBe(404);
  },
  async '`DELETE /api/admin/archive/:featureName` of a flag that does not exist'() {
    expect(await statusOf('DELETE', '/archive/none')).toBe(404);
  },
  async 'deleting a strategy type or a tag type that flags use'() {
    const [flag, type] = [await newFlag(), newName('type')];
    await send('POST', '/strategies', { name: type, parameters: [] });
    await send('POST', `${pathOf(flag)}/environments/development/strategies`, { name: type });
    await send('POST', '/tag-types', { name: type });
    await send('POST', `/features/${flag}/tags`, { type, value: 'used' });
    for (const kind of ['strategies', 'tag-types']) {
      const { status, body } = await send('DELETE', `/${kind}/${type}`);
      expect([status, body.message]).toEqual([409, expect.stringContaining(flag)]);
    }
  },
  async 'default strategy of another type than `flexibleRollout`'() {
    const path = `/projects/${await newProject()}/environments/development/default-strategy`;
    expect(await statusOf('POST', path, { name: 'default', parameters: {} })).toBe(200);
  },
  async 'a context field of the whole instance, updated with `project`'() {
    const name = newName('field');
    await send('POST', '/context', { name });
    expect(await statusOf('PUT', `/context/${name}`, { description: 'd', project: 'default' })).toBe(200);
    expect((await send('GET', `/context/${name}`)).body.project ?? null).toBeNull();
  },
  async '`GET /api/frontend/client/features`'() {
    expect(await statusOf('GET', '/api/frontend/client/features', undefined, FRONTEND_TOKEN)).toBe(404);
  },
  async '`GET /api/client/delta`, `GET /api/client/streaming`'() {
    expect(await statusOf('GET', '/api/client/delta', undefined, CLIENT_TOKEN)).toBe(200);
    const headers = { authorization: CLIENT_TOKEN };
    const stream = await fetch(`${service.url}/api/client/streaming`, { headers });
    expect(stream.status).toBe(200);
    await stream.body?.cancel();
  },
  async '`GET /api/client/features` without the header `Unleash-Client-Spec`'() {
    const { body } = await send('GET', '/api/client/features', undefined, CLIENT_TOKEN);
    expect([body.version, Object.keys(body).sort()]).toEqual([1, ['features', 'version']]);
  },
  async 'operations that the open-source edition does not have, or no longer has (`GET /api/admin/permissions`, `…/features/:featureName/variants`, `GET /api/admin/archive/features/:projectId`)'() {
    for (const path of ['/permissions', `${pathOf(await newFlag())}/variants`, '/archive/features/default'])
      expect(await statusOf('GET', path), path).toBe(200);
  },
  async 'the user in `POST /api/admin/user-admin/reset-password`'() {
    const person = { email: 'reset@example.org', username: 'reset', rootRole: 3 };
    const { id } = (await send('POST', '/user-admin', person)).body;
    for (const named of ['reset@example.org', 'reset', id, String(id)])
      expect(await statusOf('POST', '/user-admin/reset-password', { id: named }), String(named)).toBe(200);
  },
  async 'root role of accounts that a sign-on creates, if the settings name none'() {
    for (const kind of ['saml', 'oidc'])
      expect((await send('GET', `/api/admin/auth/${kind}/settings`)).body.defaultRootRoleId).toBe(ROLE_ID.viewer);
  },
  async "fields of Unleash's responses that Burgee does not have"() {
    const { user } = (await send('GET', '/user')).body;
    for (const field of ['scimId', 'seatType', 'companyRole', 'productUpdatesEmailConsent', 'activeSessions'])
      expect(user).not.toHaveProperty(field);
    const statistics = (await send('GET', '/instance-admin/statistics')).body;
    for (const field of ['licensedUsers', 'readOnlyUsers', 'previousDayMetricsBucketsCount', 'edgeInstanceUsage'])
      expect(statistics).not.toHaveProperty(field);
    expect(statistics.clientApps).toHaveLength(1);
  },
  async '`tags` of events'() {
    const name = await newFlag();
    await send('POST', `/features/${name}/tags`, { type: 'simple', value: 'event' });
    await send('PUT', pathOf(name), { description: 'd' });
    const { events } = (await send('GET', `/events/${name}`)).body;
    expect(events.find(({ type }: { type: string }) => type === 'feature-metadata-updated').tags).toEqual([]);
  },
  async '`data` and `preData` of events'() {
    const token = { tokenName: 'told', type: 'client', environment: 'development', projects: ['*'] };
    const { secret } = (await send('POST', '/api-tokens', token)).body;
    const { body } = await send('GET', '/events');
    expect(body.events[0].type).toBe('api-token-created');
    expect(JSON.stringify(body)).not.toContain(secret);
  },
  async 'strategy types of a new instance'() {
    const { strategies } = (await send('GET', '/strategies')).body;
    const of = (asked: string) => strategies.find(({ name }: { name: string }) => name === asked);
    expect([of('userWithId').deprecated, of('gradualRolloutRandom').deprecated]).toEqual([true, true]);
    expect(await statusOf('POST', '/strategies/default/deprecate')).toBe(400);
  },
  async '`sortOrder` of the first two environments; of a new context field'() {
    const { environments } = (await send('GET', '/environments')).body;
    expect(environments.map(({ sortOrder }: { sortOrder: number }) => sortOrder)).toEqual([100, 200]);
  },
};

describe('every row of docs/move-in/unleash-differences.md', () => {
  it('is shown by a test, here or elsewhere, and no test is for a row that is gone', () => {
    const shown = [...Object.keys(SENT), ...Object.keys(PROVEN_ELSEWHERE)];
    expect(shown.toSorted()).toEqual(rowsOfPage().toSorted());
  });

  it.each(Object.entries(PROVEN_ELSEWHERE))('names a test that exists: %s', (_row, [file, title]) => {
    expect(readFileSync(new URL(`../../${file}`, import.meta.url), 'utf8')).toContain(title);
  });

  it.each(Object.entries(SENT))('is true: %s', async (_row, show) => {
    await show();
  });
});
