import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { LIMITS } from '../../../src/features/modules.ts';
import { contextSetEndpoints } from '../../../src/features/personal/contexts/routes.ts';
import { preferenceEndpoints } from '../../../src/features/personal/preferences/routes.ts';
import { viewEndpoints } from '../../../src/features/personal/views/routes.ts';
import { projectRolesKey } from '../../../src/model/project-roles.ts';
import { ROLE_ID } from '../../../src/model/role.ts';
import { give } from '../../access/people.ts';
import { tell } from '../../products/maintenance/store-command.ts';
import { accepted, CONFLICT, eventsOf, FORBIDDEN, INVALID, MISSING, prepare, refused } from '../../support/admin.ts';
import { EventStream } from '../../support/http/event-stream.ts';
import { personalTokenOf, putUser } from '../../support/people.ts';
import { ADMIN_TOKEN, type CallOptions, startTestService, useService } from '../../support/service.ts';

const service = useService();
/** Ada is an admin, Grace may change flags of the project `shop`, Alan is a viewer. */
let ada: string;
let grace: string;
let alan: string;

const SHOP = 'shop';

beforeAll(async () => {
  for (const id of [SHOP, 'plain']) await accepted(service, 'createProject', { body: { id, name: id } });
  await putUser(service, 51, { rootRole: ROLE_ID.admin });
  await putUser(service, 52, { rootRole: ROLE_ID.viewer });
  await putUser(service, 53, { rootRole: ROLE_ID.viewer });
  await prepare(service, (draft) => give(draft, SHOP, 'user', 52, [ROLE_ID.member]));
  ada = await personalTokenOf(service, 51);
  grace = await personalTokenOf(service, 52);
  alan = await personalTokenOf(service, 53);
});

const call = (operation: string, token: string, options: CallOptions = {}) =>
  accepted(service, operation, { ...options, token });
const refuse = (operation: string, token: string, expected: readonly [number, string], options: CallOptions = {}) =>
  refused(service, operation, expected, { ...options, token });

const prefer = (token: string, key: string, value: unknown) =>
  call('changeOwnPreference', token, { params: { key }, body: { value } });

async function preferences(token: string): Promise<Record<string, unknown>> {
  const { body } = await call('getOwnPreferences', token);
  return Object.fromEntries(body.preferences.map(({ key, value }: { key: string; value: unknown }) => [key, value]));
}

async function save(token: string, body: object): Promise<number> {
  return (await call('createOwnContextSet', token, { body: { contexts: [{ userId: '7' }], ...body } })).body.id;
}

describe('personal data', () => {
  it('belongs to users: an admin token has none, and the answer says so', async () => {
    const bodies: Record<string, object> = {
      changeOwnPreference: { value: 1 },
      createOwnSavedView: { name: 'a', screen: 'b', query: '' },
      changeOwnSavedView: { name: 'a', screen: 'b', query: '' },
      createOwnContextSet: { name: 'a', contexts: [] },
      changeOwnContextSet: {},
    };
    const own = [...preferenceEndpoints, ...viewEndpoints, ...contextSetEndpoints].filter(({ path }) =>
      path.startsWith('/api/admin/user/'),
    );
    for (const { operationId, path } of own) {
      const params: Record<string, string | number> = path.includes(':key') ? { key: 'k' } : { id: 1 };
      const options = { params, ...(bodies[operationId] && { body: bodies[operationId] }) };
      const { body } = await refuse(operationId, ADMIN_TOKEN, INVALID, options);
      expect(body.message, operationId).toContain('belongs to no user');
    }
  });

  it('records no audit events, and is not in the stream of changes', async () => {
    const stream = await EventStream.open<{ entities?: { type: string; id: string }[] }>(
      `${service.url}/api/admin/changes`,
      { authorization: ADMIN_TOKEN },
    );
    const events = await eventsOf(service, async () => {
      await prefer(alan, 'quiet', 1);
      const view = { name: 'quiet', screen: 'flags', query: 'q' };
      const { body } = await call('createOwnSavedView', alan, { body: view });
      await call('deleteOwnSavedView', alan, { params: { id: body.id } });
      const id = await save(alan, { name: 'quiet' });
      await call('deleteOwnContextSet', alan, { params: { id } });
      await call('deleteOwnPreference', alan, { params: { key: 'quiet' } });
    });
    expect(events).toEqual([]);
    await accepted(service, 'createFeature', { params: { projectId: 'default' }, body: { name: 'after-them' } });
    const entities = () => stream.events.flatMap(({ data }) => data.entities ?? []);
    await stream.until(() => entities().length > 0);
    expect(entities()).toMatchObject([{ type: 'feature', id: 'after-them' }]);
    stream.close();
  });

  it('is deleted with its user', async () => {
    await putUser(service, 60);
    await putUser(service, 61);
    const [gone, other] = [await personalTokenOf(service, 60), await personalTokenOf(service, 61)];
    for (const token of [gone, other]) {
      await prefer(token, 'theme', 'dark');
      await call('createOwnSavedView', token, { body: { name: 'v', screen: 's', query: '' } });
      await save(token, { name: 'c' });
    }
    await accepted(service, 'deleteUser', { params: { id: 60 } });
    const { state } = service.running.services;
    const countOf = (userId: string) =>
      (['preferencesByUser', 'savedViewsByUser', 'contextSetsByUser'] as const).map((index) =>
        state.count(index, userId),
      );
    expect(countOf('60')).toEqual([0, 0, 0]);
    expect(countOf('61')).toEqual([1, 1, 1]);
  });
});

it('personal data is in backups, and the same after a restore', async () => {
  const root = await mkdtemp(join(tmpdir(), 'burgee-personal-'));
  try {
    const source = await startTestService({ onDisk: true });
    await putUser(source, 51);
    const token = await personalTokenOf(source, 51);
    const made = (operation: string, options: CallOptions) => accepted(source, operation, { ...options, token });
    await made('changeOwnPreference', { params: { key: 'theme' }, body: { value: { dark: true } } });
    await made('createOwnSavedView', { body: { name: 'v', screen: 's', query: 'q' } });
    const contexts = [{ userId: '7', properties: { country: 'NO' } }];
    await made('createOwnContextSet', { body: { name: 'c', project: null, contexts } });
    const answer = await fetch(`${source.url}/api/admin/backup`, { headers: { authorization: ADMIN_TOKEN } });
    const file = join(root, 'backup');
    await writeFile(file, Buffer.from(await answer.arrayBuffer()));
    await tell('restore', '--from', file, '--to', `lmdb:${root}/data`);
    const restored = await startTestService({ directory: `${root}/data` });
    for (const operation of ['getOwnPreferences', 'getOwnSavedViews', 'getOwnContextSets', 'getOwnContextSet']) {
      const options = { token, params: { id: 1 } };
      const { body } = await accepted(restored, operation, options);
      expect(body).toEqual((await accepted(source, operation, options)).body);
      expect(JSON.stringify(body), operation).toMatch(/"theme"|"q"|"c"/);
    }
    const { state } = restored.running.services;
    expect(state.sum('allContextSets', '')).toBe(JSON.stringify(contexts).length);
    await restored.close();
    await source.close();
  } finally {
    await rm(root, { recursive: true, force: true });
  }
});

describe('preferences', () => {
  it('are any small JSON values, for the user alone', async () => {
    const values = { text: 'dark', list: [1, null, { a: true }], none: null, zero: 0 };
    for (const [key, value] of Object.entries(values)) await prefer(ada, key, value);
    expect(await preferences(ada)).toEqual(values);
    expect(await preferences(grace)).toEqual({});
    const { body } = await call('getOwnPreference', ada, { params: { key: 'list' } });
    expect(body).toEqual({ key: 'list', value: values.list, updatedAt: expect.any(String) });
    await refuse('getOwnPreference', grace, MISSING, { params: { key: 'list' } });
    await refuse('deleteOwnPreference', grace, MISSING, { params: { key: 'list' } });
    await prefer(ada, 'text', 'light');
    await call('deleteOwnPreference', ada, { params: { key: 'none' } });
    expect(await preferences(ada)).toEqual({ text: 'light', list: values.list, zero: 0 });
  });

  it('are stored only if they differ', async () => {
    await prefer(ada, 'same', { a: 1, b: 2 });
    const { seq } = service.running.services.state;
    await prefer(ada, 'same', { b: 2, a: 1 });
    expect(service.running.services.state.seq).toBe(seq);
  });

  it('are refused above 4,096 bytes, above 100 of them, and with keys that need escapes', async () => {
    const put = (key: string, value: unknown) => ({ params: { key }, body: { value } });
    await prefer(grace, 'size', 'x'.repeat(4_094));
    const { body } = await refuse('changeOwnPreference', grace, INVALID, put('size', 'é'.repeat(2_048)));
    expect(body.message).toContain('4096 bytes');
    await refuse('changeOwnPreference', grace, INVALID, put('a key', 1));
    await refuse('changeOwnPreference', grace, INVALID, { params: { key: 'no-value' }, body: {} });
    for (let count = 1; count < LIMITS.preferencesOfUser.max; count++) await prefer(grace, `key-${count}`, count);
    await refuse('changeOwnPreference', grace, INVALID, put('one-more', 1));
    await prefer(grace, 'key-1', 'changed');
    await prefer(ada, 'one-more', 1);
  });
});

describe('saved views', () => {
  it('are read and changed by their user alone, and listed by screen', async () => {
    const view = { name: 'Stale', screen: 'flags', query: 'state=IS:stale' };
    const { body: first } = await call('createOwnSavedView', ada, { body: { ...view, userId: 52, id: 9 } });
    expect(first).toEqual({
      id: expect.any(Number),
      ...view,
      createdAt: expect.any(String),
      updatedAt: first.createdAt,
    });
    const params = { id: first.id };
    await call('createOwnSavedView', ada, { body: { ...view, screen: 'projects' } });
    await call('createOwnSavedView', grace, { body: view });
    const names = async (query?: string) =>
      (await call('getOwnSavedViews', ada, query === undefined ? {} : { query })).body.views.map(
        ({ screen }: { screen: string }) => screen,
      );
    expect(await names()).toEqual(['flags', 'projects']);
    expect(await names('screen=flags')).toEqual(['flags']);
    await refuse('createOwnSavedView', ada, CONFLICT, { body: { ...view, name: ' Stale ' } });
    for (const operation of ['getOwnSavedView', 'deleteOwnSavedView'])
      await refuse(operation, grace, MISSING, { params });
    await refuse('changeOwnSavedView', grace, MISSING, { params, body: view });
  });

  it('are at most 200 for a user, with queries of at most 4,000 characters', async () => {
    const view = (name: string, query = '') => ({ body: { name, screen: 'many', query } });
    for (let count = 0; count < LIMITS.viewsOfUser.max; count++)
      await call('createOwnSavedView', alan, view(`view-${count}`, count === 0 ? 'x'.repeat(4_000) : ''));
    await refuse('createOwnSavedView', alan, INVALID, view('one-more'));
  });
});

describe('saved context sets', () => {
  const contexts = [
    { userId: '1', properties: { country: 'NO' } },
    { appName: 'web', plan: 'pro' },
  ];

  it('are listed with their size, and hidden from all but their owner', async () => {
    const id = await save(ada, { name: 'Staff', contexts });
    const summary = { id, userId: 51, name: 'Staff', project: null, count: 2, bytes: JSON.stringify(contexts).length };
    expect((await call('getOwnContextSet', ada, { params: { id } })).body).toMatchObject({ ...summary, contexts });
    const { body } = await call('getOwnContextSets', ada);
    expect(body.contextSets).toEqual([{ ...summary, createdAt: expect.any(String), updatedAt: expect.any(String) }]);
    expect((await call('getOwnContextSets', grace)).body.contextSets).toEqual([]);
    for (const operation of ['getOwnContextSet', 'deleteOwnContextSet'])
      await refuse(operation, grace, MISSING, { params: { id } });
    await refuse('changeOwnContextSet', grace, MISSING, { params: { id }, body: { name: 'mine' } });
    await call('changeOwnContextSet', ada, { params: { id }, body: { name: 'All staff', userId: 52 } });
    expect((await call('getOwnContextSet', ada, { params: { id } })).body).toMatchObject({ userId: 51, contexts });
    await call('deleteOwnContextSet', ada, { params: { id } });
  });

  it('that are shared can be read by those who see the project, and changed by those who may edit its flags', async () => {
    await refuse('createOwnContextSet', alan, FORBIDDEN, { body: { name: 's', contexts, project: SHOP } });
    await refuse('createOwnContextSet', grace, FORBIDDEN, { body: { name: 's', contexts, project: 'plain' } });
    await refuse('createOwnContextSet', ada, MISSING, { body: { name: 's', contexts, project: 'nowhere' } });
    const id = await save(grace, { name: 'shared', contexts, project: SHOP });
    const params = { id };
    for (const token of [ada, grace, alan]) {
      expect((await call('getOwnContextSet', token, { params })).body).toMatchObject({ project: SHOP, contexts });
      const listed = await call('getContextSetsOfProject', token, { params: { projectId: SHOP } });
      expect(listed.body.contextSets).toMatchObject([{ id, project: SHOP, userId: 52 }]);
    }
    expect((await accepted(service, 'getContextSetsOfProject', { params: { projectId: SHOP } })).status).toBe(200);
    await refuse('changeOwnContextSet', alan, FORBIDDEN, { params, body: { contexts: [] } });
    await refuse('deleteOwnContextSet', alan, FORBIDDEN, { params });
    await call('changeOwnContextSet', ada, { params, body: { contexts: [] } });
    await refuse('changeOwnContextSet', ada, FORBIDDEN, { params, body: { project: null } });
    await refuse('changeOwnContextSet', ada, FORBIDDEN, { params, body: { project: 'plain' } });
    await call('changeOwnContextSet', grace, { params, body: { project: null } });
    await refuse('getOwnContextSet', ada, MISSING, { params });
    await call('deleteOwnContextSet', grace, { params });
  });

  it('of a private project are hidden from those who do not see it, its owner included', async () => {
    await accepted(service, 'createProject', { body: { id: 'secret', name: 'Secret', mode: 'private' } });
    await prepare(service, (draft) => give(draft, 'secret', 'user', 53, [ROLE_ID.owner]));
    const id = await save(alan, { name: 'hidden', contexts, project: 'secret' });
    const params = { id };
    await refuse('getOwnContextSet', grace, MISSING, { params });
    await refuse('getContextSetsOfProject', grace, MISSING, { params: { projectId: 'secret' } });
    const { body } = await refuse('createOwnContextSet', grace, MISSING, {
      body: { name: 's', contexts, project: 'secret' },
    });
    expect(body.message).toBe('The project secret does not exist.');
    await prepare(service, (draft) => draft.remove('projectRoles', projectRolesKey('secret', 'user', 53)));
    const own = await call('getOwnContextSet', alan, { params });
    expect(own.body).toMatchObject({ project: null, contexts });
    expect(own.text).not.toContain('secret');
    await refuse('changeOwnContextSet', alan, MISSING, { params, body: { contexts: [] } });
    await call('changeOwnContextSet', alan, { params, body: { contexts: [], project: null } });
    expect((await call('getContextSetsOfProject', ada, { params: { projectId: 'secret' } })).body.contextSets).toEqual(
      [],
    );
    await call('deleteOwnContextSet', alan, { params });
  });

  it('are not shared with a new project that has the id of a deleted one', async () => {
    const body = { id: 'short-lived', name: 'Short' };
    await accepted(service, 'createProject', { body });
    const id = await save(ada, { name: 'left', contexts, project: 'short-lived' });
    await accepted(service, 'deleteProject', { params: { projectId: 'short-lived' } });
    expect((await call('getOwnContextSet', ada, { params: { id } })).body).toMatchObject({ project: null, contexts });
    await accepted(service, 'createProject', { body });
    const listed = await call('getContextSetsOfProject', alan, { params: { projectId: 'short-lived' } });
    expect(listed.body.contextSets).toEqual([]);
    await refuse('getOwnContextSet', alan, MISSING, { params: { id } });
    await call('deleteOwnContextSet', ada, { params: { id } });
  });

  it('have limits: sets and bytes of a user, sets of a project', async () => {
    const create = (body: object) => ({ body: { contexts: [], ...body } });
    const large = (bytes: number) => [{ userId: 'x'.repeat(bytes - '[{"userId":""}]'.length) }];
    const ids: number[] = [];
    for (let count = 0; count < 4; count++)
      ids.push(await save(grace, { name: `large-${count}`, contexts: large(500_000) }));
    const { body } = await refuse('createOwnContextSet', grace, INVALID, create({ name: 'x', contexts: [{}] }));
    expect(body.message).toContain('2000000 bytes');
    const [first = 0] = ids;
    await call('changeOwnContextSet', grace, { params: { id: first }, body: { contexts: large(499_000) } });
    for (let count = 4; count < LIMITS.contextSetsOfUser.max; count++)
      ids.push(await save(grace, { name: `set-${count}`, project: SHOP, contexts: [] }));
    await refuse('createOwnContextSet', grace, INVALID, create({ name: 'one-more' }));
    for (const id of ids) await call('deleteOwnContextSet', grace, { params: { id } });
  });
});
