import { beforeAll, describe, expect, it } from 'vitest';
import { PERMISSION_NAMES } from '../../../src/model/permission.ts';
import { give, putGroup, user } from '../../access/people.ts';
import { accepted, CONFLICT, eventsOf, INVALID, prepare, refused } from '../../support/admin.ts';
import { useService } from '../../support/service.ts';

const service = useService();

beforeAll(async () => {
  await prepare(service, (draft) => {
    for (const id of [1, 2, 3]) draft.put('users', user(id));
    draft.put('counters', { value: 3 }, 'users');
  });
});

const DEVELOPMENT = { name: 'UPDATE_FEATURE_ENVIRONMENT', environment: 'development' };

const createRole = async (body: Record<string, unknown>) =>
  (await accepted(service, 'createRole', { body })).body.roles;

describe('ids of permissions', () => {
  it('are unique, and are the ids that Unleash uses', async () => {
    const { body } = await accepted(service, 'getPermissions');
    const { root, project, environments } = body.permissions;
    const all = [...root, ...project, ...environments[0].permissions] as { id: number; name: string }[];
    const ids = Object.fromEntries(all.map(({ name, id }) => [name, id]));
    expect(ids).toMatchObject({
      CREATE_PROJECT: 12,
      UPDATE_FEATURE: 7,
      APPLY_CHANGE_REQUEST: 36,
      MOVE_FEATURE_TOGGLE: 30,
    });
    expect(new Set(Object.values(ids)).size).toBe(all.length);
  });
});

describe('roles', () => {
  it('of a new instance are five built-in ones, which cannot be changed or deleted', async () => {
    const { body } = await accepted(service, 'getRoles');
    const listed = body.roles.map(({ id, name, type }: Record<string, unknown>) => [id, name, type]);
    expect(listed).toEqual([
      [1, 'Admin', 'root'],
      [2, 'Editor', 'root'],
      [3, 'Viewer', 'root'],
      [4, 'Owner', 'project'],
      [5, 'Member', 'project'],
    ]);
    for (const roleId of [1, 5]) {
      await refused(service, 'updateRole', INVALID, { params: { roleId }, body: { name: 'Mine' } });
      await refused(service, 'deleteRole', INVALID, { params: { roleId } });
    }
  });

  it('are created with permissions of projects and of environments, and returned with them', async () => {
    const permissions = [{ name: 'CREATE_FEATURE' }, DEVELOPMENT, { name: 'CREATE_FEATURE', environment: '' }];
    expect(await createRole({ name: 'Releaser', permissions })).toMatchObject({ id: 6, project: null });
    const { body } = await accepted(service, 'getRoleById', { params: { roleId: 6 } });
    expect(body.permissions).toMatchObject([{ id: 2, name: 'CREATE_FEATURE', type: 'project' }, DEVELOPMENT]);
    for (const name of ['Admin', 'Member']) await refused(service, 'createRole', CONFLICT, { body: { name } });
  });

  it('are replaced, keep their type, and keep their permissions when none are specified', async () => {
    const { id: roleId } = await createRole({ name: 'Before', permissions: [DEVELOPMENT] });
    await accepted(service, 'updateRole', { params: { roleId }, body: { name: 'After' } });
    const { body } = await accepted(service, 'getRoleById', { params: { roleId } });
    expect(body).toMatchObject({ name: 'After', permissions: [DEVELOPMENT] });
    await refused(service, 'updateRole', INVALID, { params: { roleId }, body: { name: 'After', type: 'root-custom' } });
  });

  it('are not deleted while they are in use', async () => {
    const { id: inProject } = await createRole({ name: 'In a project' });
    const { id: ofUser } = await createRole({ name: 'Of a user', type: 'root-custom' });
    const { id: ofGroup } = await createRole({ name: 'Of a group', type: 'root-custom' });
    await prepare(service, (draft) => {
      give(draft, 'default', 'user', 1, [inProject]);
      draft.put('users', user(2, { rootRole: ofUser }));
      putGroup(draft, 50, [], { rootRole: ofGroup });
    });
    for (const roleId of [inProject, ofUser, ofGroup])
      await refused(service, 'deleteRole', INVALID, { params: { roleId } });
    await prepare(service, (draft) => {
      draft.remove('projectRoles', 'user:1:default');
      draft.put('users', user(2));
      putGroup(draft, 50, []);
    });
    for (const roleId of [inProject, ofUser, ofGroup]) await accepted(service, 'deleteRole', { params: { roleId } });
  });

  it('lose the permissions for a deleted environment', async () => {
    await accepted(service, 'createEnvironment', { body: { name: 'qa', type: 'test' } });
    const { id: roleId } = await createRole({
      name: 'Of two',
      permissions: [DEVELOPMENT, { ...DEVELOPMENT, environment: 'qa' }],
    });
    const events = await eventsOf(service, () => accepted(service, 'removeEnvironment', { params: { name: 'qa' } }));
    expect(events.map(({ type }) => type)).toContain('role-updated');
    const { body } = await accepted(service, 'getRoleById', { params: { roleId } });
    expect(body.permissions).toMatchObject([DEVELOPMENT]);
  });
});

describe('permissions', () => {
  it('are listed by scope, with the environment permissions once per environment', async () => {
    const { body } = await accepted(service, 'getPermissions');
    const { root, project, environments } = body.permissions;
    expect(environments.map(({ name }: { name: string }) => name)).toEqual(['development', 'production']);
    const listed = [...root, ...project, ...environments[0].permissions].map(({ name }: { name: string }) => name);
    expect(new Set(['ADMIN', ...listed])).toEqual(new Set(PERMISSION_NAMES));
    expect(environments[1].permissions[0].environment).toBe('production');
  });
});

describe('groups', () => {
  const members = (...ids: number[]) => ids.map((id) => ({ user: { id } }));

  it('are created with members, and returned with them', async () => {
    const events = await eventsOf(service, async () => {
      const body = { name: 'Engineers', mappingsSSO: ['eng', 'eng'], rootRole: 2, users: members(1, 2, 1) };
      const answer = await accepted(service, 'createGroup', { body });
      expect(answer.body).toMatchObject({ name: 'Engineers', mappingsSSO: ['eng'], rootRole: 2, projects: [] });
      expect(answer.body.users).toMatchObject([{ user: { id: 1 } }, { user: { id: 2 } }]);
    });
    expect(events.map(({ type }) => type)).toEqual(['group-created', 'group-user-added', 'group-user-added']);
    const { body } = await accepted(service, 'getGroups');
    expect(body.groups).toContainEqual(expect.objectContaining({ name: 'Engineers' }));
  });

  it('are replaced; remaining members keep their join date, and without a list all members stay', async () => {
    const { body } = await accepted(service, 'createGroup', { body: { name: 'Movers', users: members(1, 2) } });
    const params = { groupId: body.id };
    const joined = body.users[1].joinedAt;
    const events = await eventsOf(service, async () => {
      const answer = await accepted(service, 'updateGroup', { params, body: { name: 'Moved', users: members(2, 3) } });
      expect(answer.body.users).toMatchObject([{ user: { id: 2 }, joinedAt: joined }, { user: { id: 3 } }]);
    });
    const changes = events.map(({ type, data, preData }) => [type, Object(data ?? preData).userId]);
    expect(changes.slice(1)).toEqual([
      ['group-user-removed', 1],
      ['group-user-added', 3],
    ]);
    await accepted(service, 'updateGroup', { params, body: { name: 'Moved again' } });
    expect((await accepted(service, 'getGroup', { params })).body).toMatchObject({ name: 'Moved again' });
    expect((await accepted(service, 'getGroup', { params })).body.users).toHaveLength(2);
  });

  it('lose their members and their roles when they are deleted', async () => {
    const { body } = await accepted(service, 'createGroup', { body: { name: 'Doomed', users: members(1) } });
    await prepare(service, (draft) => give(draft, 'default', 'group', body.id, [5]));
    expect((await accepted(service, 'getGroup', { params: { groupId: body.id } })).body.projects).toEqual(['default']);
    await accepted(service, 'deleteGroup', { params: { groupId: body.id } });
    const { state } = service.running.services;
    expect(state.count('membersByGroup', String(body.id))).toBe(0);
    expect(state.count('rolesByProject', 'default')).toBe(0);
  });
});
