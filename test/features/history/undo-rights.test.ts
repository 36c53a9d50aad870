import { beforeAll, describe, expect, it } from 'vitest';
import { LAST_BUILT_IN, ROLE_ID } from '../../../src/model/role.ts';
import { customRole, give } from '../../access/people.ts';
import { accepted, FORBIDDEN, MISSING, prepare, refused } from '../../support/admin.ts';
import { personalTokenOf, putUser } from '../../support/people.ts';
import { useService } from '../../support/service.ts';

const [VIEWER, OWNER, EDITOR, ACCESS, LOST] = [801, 802, 803, 804, 805];
/** May change who is in a project, and nothing else. */
const ACCESS_ROLE = LAST_BUILT_IN + 81;

const service = useService();
const tokens = new Map<number, string>();

beforeAll(async () => {
  for (const id of [VIEWER, OWNER, ACCESS, LOST]) await putUser(service, id, { rootRole: ROLE_ID.viewer });
  await putUser(service, EDITOR, { rootRole: ROLE_ID.editor });
  for (const id of [VIEWER, OWNER, EDITOR, ACCESS, LOST]) tokens.set(id, await personalTokenOf(service, id));
  for (const [id, mode] of [
    ['shop', 'open'],
    ['closed', 'private'],
  ] as const) {
    await accepted(service, 'createProject', { body: { id, name: id, mode } });
  }
  await prepare(service, (draft) => {
    draft.put('roles', customRole(81, 'custom', [{ name: 'PROJECT_USER_ACCESS_WRITE' }]));
    give(draft, 'shop', 'user', OWNER, [ROLE_ID.owner]);
    give(draft, 'shop', 'user', ACCESS, [ACCESS_ROLE]);
  });
});

const seq = () => service.running.services.state.seq;

const call = (operationId: string, params?: object, body?: object) =>
  accepted(service, operationId, { ...(params && { params: params as never }), ...(body && { body }) });

const optionsOf = (user: number, revision: number, body: object = {}) => ({
  params: { revision },
  body,
  token: tokens.get(user) as string,
});

const denied = (user: number, revision: number, expected = FORBIDDEN as Parameters<typeof refused>[2], body = {}) =>
  refused(service, 'undoRevision', expected, optionsOf(user, revision, body));

const shop = { projectId: 'shop' };

/** Changes by an admin, with the user besides admins who may undo them. */
type Row = readonly [
  permission: string,
  allowed: number | null,
  operationId: string,
  params: object | undefined,
  body: object | undefined,
];

const CHANGES: readonly Row[] = [
  ['UPDATE_PROJECT', OWNER, 'updateProject', shop, { name: 'The shop' }],
  ['UPDATE_PROJECT or PROJECT_SETTINGS_WRITE', OWNER, 'updateProjectEnterpriseSettings', shop, { mode: 'protected' }],
  ['UPDATE_ENVIRONMENT', null, 'updateEnvironment', { name: 'development' }, { sortOrder: 41 }],
  ['CREATE_CONTEXT_FIELD', EDITOR, 'deleteContextField', { contextField: 'sessionId' }, undefined],
  ['UPDATE_TAG_TYPE', EDITOR, 'updateTagType', { name: 'simple' }, { description: 'changed' }],
  ['DELETE_STRATEGY', EDITOR, 'createStrategy', undefined, { name: 'rights', parameters: [] }],
  ['ADMIN', null, 'updateFeatureTypeLifetime', { id: 'release' }, { lifetimeDays: 12 }],
  ['ADMIN', null, 'createBanner', undefined, { message: 'Rights' }],
  ['ADMIN', null, 'createGroup', undefined, { name: 'rights' }],
  ['ADMIN', null, 'createRole', undefined, { name: 'rights', permissions: [] }],
  ['DELETE_PROJECT', null, 'createProject', undefined, { id: 'rights', name: 'Rights' }],
  [
    'UPDATE_PROJECT or PROJECT_DEFAULT_STRATEGY_WRITE',
    OWNER,
    'addDefaultStrategyToProjectEnvironment',
    { ...shop, environment: 'development' },
    { name: 'default', parameters: {} },
  ],
  [
    'UPDATE_PROJECT or PROJECT_CHANGE_REQUEST_WRITE',
    OWNER,
    'updateProjectChangeRequestConfig',
    { ...shop, environment: 'development' },
    { changeRequestsEnabled: true },
  ],
  [
    'PROJECT_USER_ACCESS_WRITE or UPDATE_PROJECT',
    OWNER,
    'setRolesForProjectUser',
    { ...shop, id: VIEWER },
    { roles: [ROLE_ID.member] },
  ],
];

describe('an undo needs the permission of the ordinary edit', () => {
  it.each(CHANGES)('%s (user %s: %s)', async (permission, allowed, operationId, params, body) => {
    await call(operationId, params, body);
    const revision = seq();
    const { body: answer } = await denied(LOST, revision);
    expect(answer.message).toContain(`You need the permission ${permission}`);
    for (const user of [OWNER, EDITOR]) if (user !== allowed) await denied(user, revision);
    if (allowed === null) await accepted(service, 'undoRevision', { params: { revision } });
    else await accepted(service, 'undoRevision', optionsOf(allowed, revision));
  });
});

describe('an undo gives no rights that its author does not have', () => {
  it('refuses to give back a role with permissions that the caller lacks', async () => {
    await call('setRolesForProjectUser', { ...shop, id: LOST }, { roles: [ROLE_ID.owner] });
    await call('removeAccessOfProjectUser', { ...shop, id: LOST });
    const revision = seq();
    const { body } = await denied(ACCESS, revision);
    expect(body.message).toMatch(/^You cannot assign or remove this role in the project shop: the role Owner has/);
    await denied(LOST, revision);
    await accepted(service, 'undoRevision', optionsOf(OWNER, revision));
    const { roles } = service.running.services.state.get('projectRoles', `user:${LOST}:shop`) ?? {};
    expect(roles).toEqual([ROLE_ID.owner]);
    await call('removeAccessOfProjectUser', { ...shop, id: LOST });
  });

  it('does not count rights that the undo itself gives back', async () => {
    await call('setRolesForProjectUser', { ...shop, id: LOST }, { roles: [ROLE_ID.owner] });
    await call('createProjectContextField', shop, { name: 'ofShop' });
    await call('createFeature', shop, { name: 'of.shop' });
    await call('archiveFeature', { ...shop, featureName: 'of.shop' });
    await call('deleteProject', shop);
    const revision = seq();
    await denied(EDITOR, revision);
    // Viewers see nothing of a deleted project.
    for (const user of [LOST, OWNER]) await denied(user, revision, MISSING);
    const roles = [{ type: 'project-access', id: `user:${LOST}:shop` }];
    await denied(LOST, revision, MISSING, { entities: roles });
    await denied(EDITOR, revision, FORBIDDEN, { entities: roles });
    await accepted(service, 'undoRevision', { params: { revision } });
    expect(service.running.services.state.get('projectRoles', `user:${OWNER}:shop`)?.roles).toEqual([ROLE_ID.owner]);
  });

  it('keeps the last owner of a project', async () => {
    await call('createProject', undefined, { id: 'owned', name: 'Owned' });
    await call('setRolesForProjectUser', { projectId: 'owned', id: OWNER }, { roles: [ROLE_ID.owner] });
    const { status, body } = await service.call('undoRevision', { params: { revision: seq() }, body: {} });
    expect([status, body.message]).toEqual([409, 'The project owned must have at least one owner.']);
  });
});

describe('a past state', () => {
  it('never uses the rights of that time', async () => {
    await call('setRolesForProjectUser', { projectId: 'closed', id: LOST }, { roles: [ROLE_ID.member] });
    await call('createFeature', { projectId: 'closed' }, { name: 'hidden' });
    const at = seq();
    const read = () =>
      service.call('getProject', {
        params: { projectId: 'closed' },
        query: `at=${at}`,
        token: tokens.get(LOST) as string,
      });
    expect((await read()).status).toBe(200);
    await call('removeAccessOfProjectUser', { projectId: 'closed', id: LOST });
    expect((await read()).status).toBe(404);
    const { body } = await accepted(service, 'getFeatures', {
      params: { projectId: 'closed' },
      query: `at=${at}`,
    });
    expect(body.features.map(({ name }: { name: string }) => name)).toEqual(['hidden']);
  });

  it('does not show or undo what happened in a private project', async () => {
    for (const [operationId, params, body] of [
      ['updateProject', { projectId: 'closed' }, { name: 'secret name' }],
      ['setRolesForProjectUser', { projectId: 'closed', id: OWNER }, { roles: [ROLE_ID.member] }],
      ['createProjectContextField', { projectId: 'closed' }, { name: 'secretField' }],
    ] as const) {
      await call(operationId, params, body);
      await denied(VIEWER, seq(), MISSING);
    }
    const options = { query: 'limit=20', token: tokens.get(VIEWER) as string };
    const { text } = await accepted(service, 'getHistory', options);
    expect(text).not.toMatch(/closed|secret/);
    for (const query of ['type=project&id=closed', 'type=context-field&id=secretField'])
      expect((await accepted(service, 'getHistory', { ...options, query })).body.entries).toEqual([]);
  });
});
