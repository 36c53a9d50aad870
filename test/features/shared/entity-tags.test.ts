import { beforeAll, describe, expect, it } from 'vitest';
import { endpoints } from '../../../src/features/registry.ts';
import { accepted, flag, prepare, refused } from '../../support/admin.ts';
import { personalTokenOf, putUser } from '../../support/people.ts';
import { changeOf, createOne, operationsOf } from '../../support/resource-calls.ts';
import { RESOURCES, type Resource } from '../../support/resources.ts';
import { type CallOptions, type CallResult, type TestService, useService } from '../../support/service.ts';

const STALE = [412, 'PreconditionFailed'] as const;

const service = useService();

const createFlag = (on: TestService, name: string) =>
  accepted(on, 'createFeature', { params: { projectId: 'default' }, body: { name } });
const tagOf = ({ headers }: Pick<CallResult, 'headers'>) => headers.get('etag');
const ifMatch = (tag: string | null) => ({ 'if-match': tag ?? '' });

/** Each kind of entity: how it is read, changed, and changed back. */
interface Case {
  readonly get: string;
  readonly update: string;
  readonly params: Readonly<Record<string, string | number>>;
  readonly one: object;
  readonly other: object;
  /** Whether the entity is shown with more than its tag covers. */
  readonly showsMore?: true;
  /** Whether changes record no event that names who made them. */
  readonly hasNoEvents?: true;
}

const at = { projectId: 'default', featureName: 'edited', environment: 'development' };

/** Two changes of a new object of the table. */
async function caseOf(resource: Resource): Promise<Case> {
  const { read: get = '', update } = operationsOf(resource);
  const { body, params } = await createOne(service, resource);
  const [one, other] = resource.changes;
  const first = changeOf(resource, body, one);
  return { get, update, params, one: first, other: changeOf(resource, { ...body, ...one }, other) };
}

const editsOf = (resource: Resource) => {
  const { read } = operationsOf(resource);
  const [route] = endpoints.filter(({ operationId }) => operationId === read);
  return route?.kind === 'handled' ? route.edits : undefined;
};

const CASES: Readonly<Record<string, () => Promise<Case>>> = {
  ...Object.fromEntries(
    RESOURCES.flatMap((resource) => {
      const edits = editsOf(resource);
      return edits ? [[edits, () => caseOf(resource)]] : [];
    }),
  ),
  feature: async () => ({
    get: 'getFeature',
    update: 'updateFeature',
    params: at,
    one: { description: 'one' },
    other: { description: 'other' },
  }),
  strategy: async () => {
    const { body } = await accepted(service, 'addFeatureStrategy', { params: at, body: { name: 'default' } });
    const params = { ...at, strategyId: body.id as string };
    return {
      get: 'getFeatureStrategy',
      update: 'updateFeatureStrategy',
      params,
      one: { title: 'one' },
      other: { title: 'other' },
    };
  },
  featureEnvironment: async () => ({
    get: 'getFeatureEnvironment',
    update: 'addFeatureStrategy',
    params: at,
    one: { name: 'default' },
    other: { name: 'default' },
  }),
  group: async () => {
    await putUser(service, 501);
    const { body } = await accepted(service, 'createGroup', { body: { name: 'edited' } });
    const params = { groupId: String(body.id) };
    // The second change changes only the members, which are other entities.
    return {
      get: 'getGroup',
      update: 'updateGroup',
      params,
      one: { name: 'one' },
      other: { name: 'one', users: [{ user: { id: 501 } }] },
    };
  },
  projectAccess: async () => {
    await putUser(service, 503, { rootRole: 3 });
    const { body } = await accepted(service, 'createProject', { body: { id: 'edited-access', name: 'Edited' } });
    const role = { name: 'edited access', description: '', type: 'custom', permissions: [] };
    const { roles } = (await accepted(service, 'createRole', { body: role })).body;
    return {
      get: 'getProjectAccess',
      update: 'setRolesForProjectUser',
      params: { projectId: body.id, id: '503' },
      one: { roles: [5] },
      other: { roles: [5, roles.id] },
      showsMore: true,
    };
  },
  changeRequest: async () => {
    const projectId = 'edited-requests';
    await accepted(service, 'createProject', { body: { id: projectId, name: 'Edited' } });
    const params = { projectId, environment: 'development', featureName: 'edited.request' };
    await accepted(service, 'createFeature', { params, body: { name: 'edited.request' } });
    const config = { changeRequestsEnabled: true, requiredApprovals: 1 };
    await accepted(service, 'updateProjectChangeRequestConfig', { params, body: config });
    const change = { action: 'updateEnabled', feature: 'edited.request', payload: { enabled: true } };
    const { id } = (await accepted(service, 'createChangeRequest', { params, body: change })).body;
    return {
      get: 'getChangeRequest',
      update: 'updateChangeRequestTitle',
      params: { projectId, id: String(id) },
      one: { title: 'one' },
      other: { title: 'other' },
      showsMore: true,
      hasNoEvents: true,
    };
  },
};

describe('tags of edited objects', () => {
  beforeAll(async () => {
    await createFlag(service, 'edited');
  });

  it('exist for every kind that a route states', () => {
    const kinds = new Set(endpoints.flatMap((route) => (route.kind === 'handled' && route.edits ? [route.edits] : [])));
    expect([...kinds].sort()).toEqual(Object.keys(CASES).sort());
  });

  it.each(Object.keys(CASES))(
    'of a %s: a change with the tag is made, a change with an older tag is not',
    async (kind) => {
      const {
        get,
        update,
        params,
        one,
        other,
        showsMore = false,
        hasNoEvents = false,
      } = await (CASES[kind] as () => Promise<Case>)();
      const first = tagOf(await accepted(service, get, { params }));
      expect(first).toMatch(/^"[\w-]{22}"$/);
      const changed = await accepted(service, update, { params, body: one, headers: ifMatch(first) });
      const second = tagOf(changed);
      expect(second).toMatch(/^"[\w-]{22}"$/);
      expect(second).not.toBe(first);
      const current = await accepted(service, get, { params });
      expect(tagOf(current)).toBe(second);

      const stale = await refused(service, update, STALE, { params, body: other, headers: ifMatch(first) });
      expect(tagOf(stale)).toBe(second);
      const [detail] = stale.body.details;
      expect(detail.current).toEqual(current.body);
      const last = { changedBy: 'init-admin-1', changedAt: expect.stringMatching(/^2\d{3}-/) };
      expect(detail).toMatchObject(hasNoEvents ? { changedBy: null, changedAt: null } : last);

      const unchanged = await service.call(get, { params, headers: { 'if-none-match': `"x", W/${second}` } });
      expect(tagOf(unchanged)).toBe(second);
      if (showsMore) expect([unchanged.status, unchanged.body]).toEqual([200, current.body]);
      else expect([unchanged.status, unchanged.text]).toEqual([304, '']);
      const headers = { 'if-none-match': first ?? '' };
      expect((await service.call(get, { params, headers })).status).toBe(200);

      const again = await accepted(service, update, { params, body: other, headers: ifMatch(`"x", ${second}`) });
      expect(tagOf(again)).not.toBe(second);
      await accepted(service, update, { params, body: one, headers: ifMatch('*') });
      // Without the header, requests behave as always.
      await accepted(service, update, { params, body: other });
    },
  );

  it('of a change request cover its comments, its changes and its state', async () => {
    const projectId = 'covered-requests';
    await accepted(service, 'createProject', { body: { id: projectId, name: 'Covered' } });
    const params = { projectId, environment: 'development', featureName: 'covered' };
    await accepted(service, 'createFeature', { params, body: { name: 'covered' } });
    const config = { changeRequestsEnabled: true, requiredApprovals: 1 };
    await accepted(service, 'updateProjectChangeRequestConfig', { params, body: config });
    const change = { action: 'updateEnabled', feature: 'covered', payload: { enabled: true } };
    const { id } = (await accepted(service, 'createChangeRequest', { params, body: change })).body;
    const own = { projectId, id: String(id) };
    const read = async () => tagOf(await accepted(service, 'getChangeRequest', { params: own }));
    const seen = new Set([await read()]);
    const write = async (operation: string, body?: object, more: object = {}) => {
      const tag = await read();
      const options = { params: { ...own, ...more }, ...(body && { body }) };
      await refused(service, operation, STALE, { ...options, headers: ifMatch('"older"') });
      const answer = await accepted(service, operation, { ...options, headers: ifMatch(tag) });
      const after = await read();
      expect([tagOf(answer), seen.has(after)], operation).toEqual([after, false]);
      seen.add(after);
    };
    await putUser(service, 504, { rootRole: 1 });
    await write('addChangeRequestComment', { text: 'why' });
    await write('addChangeRequestReviewers', { reviewers: [504] });
    const { changes } = service.running.services.state.get('changeRequests', String(id)) ?? { changes: [] };
    const changeId = String(changes[0]?.id);
    await write('editChange', { action: 'updateEnabled', payload: { enabled: false } }, { changeId });
    await write('changeChangeRequestState', { state: 'In review' });
    await write('changeChangeRequestState', { state: 'Cancelled' });
    expect(seen.size).toBe(6);
  });

  it('of project access cover every holder, in whatever order they were added', async () => {
    for (const id of [505, 506]) await putUser(service, id, { rootRole: 3 });
    const tags = [];
    for (const [projectId, order] of [
      ['access-one', [505, 506]],
      ['access-other', [506, 505]],
    ] as const) {
      await accepted(service, 'createProject', { body: { id: projectId, name: projectId } });
      const read = async () => tagOf(await accepted(service, 'getProjectAccess', { params: { projectId } }));
      const before = await read();
      for (const id of order) {
        const params = { projectId, id: String(id) };
        await accepted(service, 'setRolesForProjectUser', { params, body: { roles: [5] } });
      }
      tags.push(await read());
      const body = { roles: [{ id: 5, users: [505] }] };
      await refused(service, 'setProjectAccess', STALE, { params: { projectId }, body, headers: ifMatch(before) });
      const written = await accepted(service, 'setProjectAccess', {
        params: { projectId },
        body,
        headers: ifMatch(tags.at(-1) ?? null),
      });
      expect(tagOf(written)).toBe(await read());
      expect(tagOf(written)).not.toBe(tags.at(-1));
    }
    expect(tags[0]).toBe(tags[1]);
  });

  it('are refused if they are no tags', async () => {
    const params = { name: 'simple' };
    for (const bad of [
      'x',
      '"x',
      'W/x',
      '"a" "b"',
      '"a",',
      ',',
      '*, "a"',
      'w/"a"',
      '"é\u0000"'.replace('\u0000', ' '),
    ]) {
      const answer = await refused(service, 'updateTagType', [400, 'ValidationError'], {
        params,
        body: {},
        headers: { 'if-match': bad },
      });
      expect(answer.body.message, bad).toContain('if-match');
    }
  });

  it('do not change when a user or a token is used, or signs on', async () => {
    await putUser(service, 510, { rootRole: 1 });
    const before = tagOf(await accepted(service, 'getUser', { params: { id: '510' } }));
    await prepare(service, (draft) => {
      const user = draft.get('users', '510');
      if (user)
        draft.put('users', { ...user, seenAt: '2026-06-01T00:00:00.000Z', loginAttempts: 3, passwordHash: 'x' });
    });
    expect(tagOf(await accepted(service, 'getUser', { params: { id: '510' } }))).toBe(before);
  });

  it('say nothing about what the caller may not see', async () => {
    await prepare(service, (draft) => {
      const project = draft.get('projects', 'default');
      if (!project) throw new Error('no project');
      draft.put('projects', { ...project, id: 'secret', name: 'Secret', mode: 'private' });
      draft.put('features', flag('hidden', { project: 'secret' }));
      draft.put('segments', {
        id: 900,
        name: 'hidden',
        description: null,
        constraints: [],
        project: 'secret',
        createdBy: 'x',
        createdAt: '2026-01-01T00:00:00.000Z',
      });
    });
    // A viewer who owns another project, so that they may change segments somewhere.
    await putUser(service, 511, { rootRole: 3 });
    const ownership = { projectId: 'default', id: '511', roleId: '4' };
    await accepted(service, 'addRoleToProjectUser', { params: ownership });
    const ways: [string, CallOptions][] = [
      ['updateFeature', { params: { projectId: 'secret', featureName: 'hidden' }, body: { description: 'x' } }],
      ['updateSegment', { params: { id: '900' }, body: { name: 'hidden', constraints: [] } }],
      ['removeSegment', { params: { id: '900' } }],
    ];
    const token = await personalTokenOf(service, 511);
    for (const [operation, options] of ways) {
      const plain = await service.call(operation, { ...options, token });
      expect([403, 404], operation).toContain(plain.status);
      for (const tag of ['"guess"', '*']) {
        const answer = await service.call(operation, { ...options, token, headers: ifMatch(tag) });
        expect([answer.status, answer.body.message], operation).toEqual([plain.status, plain.body.message]);
        expect(tagOf(answer)).toBeNull();
      }
    }
  });
});

describe('twenty writers with tags', () => {
  it('lose nothing', async () => {
    await createFlag(service, 'shared');
    const params = { ...at, featureName: 'shared' };
    const { body } = await accepted(service, 'addFeatureStrategy', {
      params,
      body: { name: 'default', parameters: {} },
    });
    const strategy = { ...params, strategyId: body.id as string };
    let conflicts = 0;
    const write = async (index: number) => {
      for (;;) {
        const read = await accepted(service, 'getFeatureStrategy', { params: strategy });
        const parameters = { ...read.body.parameters, [`writer${index}`]: 'x' };
        const answer = await service.call('updateFeatureStrategy', {
          params: strategy,
          body: { parameters },
          headers: ifMatch(tagOf(read)),
        });
        if (answer.status === 200) {
          // The tag is that of this writer's own result, even if another writer came next.
          expect(Object.keys(answer.body.parameters)).toEqual(Object.keys(parameters));
          return;
        }
        expect(answer.status).toBe(412);
        conflicts++;
      }
    };
    await Promise.all(Array.from({ length: 20 }, (_, index) => write(index)));
    const { parameters } = (await accepted(service, 'getFeatureStrategy', { params: strategy })).body;
    expect(Object.keys(parameters)).toHaveLength(20);
    expect(conflicts).toBeGreaterThan(0);
  });
});
