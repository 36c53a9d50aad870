import { beforeAll, describe, expect, it } from 'vitest';
import { customRole, give, putGroup, user } from '../../access/people.ts';
import { accepted, CONFLICT, eventsOf, INVALID, MISSING, prepare, refused } from '../../support/admin.ts';
import { useService } from '../../support/service.ts';

const service = useService();

beforeAll(async () => {
  await accepted(service, 'createProject', { body: { id: 'other', name: 'Other' } });
  await prepare(service, (draft) => {
    for (const id of [1, 2, 3]) draft.put('users', user(id));
    putGroup(draft, 1, [3]);
    draft.put('roles', customRole(1, 'custom', [{ name: 'CREATE_FEATURE' }]));
    draft.put('roles', customRole(2, 'root-custom', [{ name: 'CREATE_SEGMENT' }]));
  });
});

const params = { projectId: 'other' };

async function access(projectId = 'other') {
  const { body } = await accepted(service, 'getProjectAccess', { params: { projectId } });
  const rolesById = (list: { id: number; roles: number[] }[]) =>
    Object.fromEntries(list.map(({ id, roles }) => [id, roles]));
  return { users: rolesById(body.users), groups: rolesById(body.groups) };
}

describe('access to a project', () => {
  it('is empty at first, and the answer lists the roles that can be granted', async () => {
    const { body } = await accepted(service, 'getProjectAccess', { params });
    expect(body).toMatchObject({ users: [], groups: [] });
    expect(body.roles.map(({ name }: { name: string }) => name)).toEqual(['Owner', 'Member', 'role-1']);
    await refused(service, 'getProjectAccess', MISSING, { params: { projectId: 'nowhere' } });
  });

  it('is added to the roles that users and groups already have', async () => {
    const [event] = await eventsOf(service, () =>
      accepted(service, 'addAccessToProject', { params, body: { users: [1], groups: [1], roles: [5] } }),
    );
    expect(event).toMatchObject({ type: 'project-access-added', project: 'other', data: { users: [1], roles: [5] } });
    const body = { users: [{ id: 1 }], groups: [] };
    await accepted(service, 'addRoleAccessToProject', { params: { ...params, roleId: 4 }, body });
    expect(await access()).toEqual({ users: { 1: [4, 5] }, groups: { 1: [5] } });
    expect(await access('default')).toEqual({ users: {}, groups: {} });
  });

  it('is replaced, for one user and for all users and groups', async () => {
    const [event] = await eventsOf(service, () =>
      accepted(service, 'setRolesForProjectUser', { params: { ...params, id: 2 }, body: { roles: [6, 4, 6] } }),
    );
    expect(event).toMatchObject({
      type: 'project-access-user-roles-updated',
      project: 'other',
      data: { userId: 2, roles: [4, 6] },
      preData: null,
    });
    expect(await access()).toEqual({ users: { 1: [4, 5], 2: [4, 6] }, groups: { 1: [5] } });
    const roles = [
      { id: 4, users: [2] },
      { id: 5, groups: [1] },
    ];
    const [all] = await eventsOf(service, () => accepted(service, 'setProjectAccess', { params, body: { roles } }));
    expect(all).toMatchObject({ type: 'project-access-updated', project: 'other' });
    expect(await access()).toEqual({ users: { 2: [4] }, groups: { 1: [5] } });
  });

  it('is removed', async () => {
    const events = await eventsOf(service, async () => {
      await accepted(service, 'removeAccessOfProjectGroup', { params: { ...params, id: 1 } });
      await accepted(service, 'setRolesForProjectGroup', { params: { ...params, id: 1 }, body: { roles: [5] } });
      await accepted(service, 'setRolesForProjectUser', { params: { ...params, id: 1 }, body: { roles: [4] } });
      await accepted(service, 'removeAccessOfProjectUser', { params: { ...params, id: 2 } });
    });
    expect(events.map(({ type }) => type)).toEqual([
      'project-access-group-roles-deleted',
      'project-access-group-roles-updated',
      'project-access-user-roles-updated',
      'project-access-user-roles-deleted',
    ]);
    expect(await access()).toEqual({ users: { 1: [4] }, groups: { 1: [5] } });
  });

  it('cannot be changed so that a project loses its last owner', async () => {
    await refused(service, 'removeAccessOfProjectUser', CONFLICT, { params: { ...params, id: 1 } });
    await refused(service, 'setRolesForProjectUser', CONFLICT, { params: { ...params, id: 1 }, body: { roles: [5] } });
    await refused(service, 'setProjectAccess', CONFLICT, { params, body: { roles: [] } });
  });

  it('is added, changed and removed one role at a time, by the older operations', async () => {
    await prepare(service, (draft) => {
      give(draft, 'other', 'user', 1, [4]);
      draft.put('users', user(7));
      draft.put('users', user(8));
      putGroup(draft, 7, [8]);
    });
    const one = (id: number, roleId: number) => ({ params: { ...params, id, roleId } });
    const events = await eventsOf(service, async () => {
      await accepted(service, 'addRoleToProjectUser', one(7, 5));
      await accepted(service, 'addRoleToProjectUser', one(7, 6));
      expect((await access()).users[7]).toEqual([5, 6]);
      await accepted(service, 'changeRoleOfProjectUser', one(7, 4));
      expect((await access()).users[7]).toEqual([4]);
      await accepted(service, 'removeRoleOfProjectUser', one(7, 4));
      await accepted(service, 'addRoleToProjectGroup', one(7, 5));
      await accepted(service, 'changeRoleOfProjectGroup', one(7, 6));
      await accepted(service, 'removeRoleOfProjectGroup', one(7, 6));
    });
    expect(events.map(({ type }) => type)).toEqual([
      'project-user-added',
      'project-user-added',
      'project-user-role-changed',
      'project-user-removed',
      'project-group-added',
      'project-group-role-changed',
      'project-group-removed',
    ]);
    const now = await access();
    expect([now.users[7], now.groups[7]]).toEqual([undefined, undefined]);
    await refused(service, 'removeRoleOfProjectUser', MISSING, one(7, 4));
    await refused(service, 'addRoleToProjectUser', MISSING, one(99, 5));
    await refused(service, 'addRoleToProjectUser', INVALID, one(7, 1));
    await refused(service, 'removeRoleOfProjectUser', CONFLICT, one(1, 4));
    await refused(service, 'addRoleToProjectUser', CONFLICT, one(1, 4));
    await refused(service, 'changeRoleOfProjectUser', CONFLICT, one(1, 5));
  });

  it('is not granted to an unknown user or group, nor with a role that is not a project role', async () => {
    const set = (id: number, roles: number[]) => ({ params: { ...params, id }, body: { roles } });
    await refused(service, 'setRolesForProjectUser', MISSING, set(99, [5]));
    await refused(service, 'setRolesForProjectGroup', MISSING, set(99, [5]));
    for (const role of [1, 3, 7, 99]) await refused(service, 'setRolesForProjectUser', INVALID, set(2, [role]));
    const many = Array.from({ length: 51 }, () => 5);
    await refused(service, 'setRolesForProjectUser', INVALID, set(2, many));
  });

  it('is deleted with the project: a later project with the same id starts without it', async () => {
    await accepted(service, 'createProject', { body: { id: 'brief', name: 'Brief' } });
    await prepare(service, (draft) => give(draft, 'brief', 'user', 1, [4]));
    await accepted(service, 'deleteProject', { params: { projectId: 'brief' } });
    await accepted(service, 'createProject', { body: { id: 'brief', name: 'Brief' } });
    expect(await access('brief')).toEqual({ users: {}, groups: {} });
  });
});
