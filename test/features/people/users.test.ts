import { describe, expect, it } from 'vitest';
import { ROLE_ID } from '../../../src/model/role.ts';
import { hashedSecret } from '../../../src/model/token-secret.ts';
import { give, putGroup, user } from '../../access/people.ts';
import { accepted, CONFLICT, eventsOf, INVALID, MISSING, prepare, refused } from '../../support/admin.ts';
import { useService } from '../../support/service.ts';

const service = useService();

const create = async (body: Record<string, unknown>) =>
  (await accepted(service, 'createUser', { body: { rootRole: 3, ...body } })).body;
const read = async (id: number) => (await accepted(service, 'getUser', { params: { id } })).body;

describe('users', () => {
  it('are created without credentials in the answer and in the event', async () => {
    const [event] = await eventsOf(service, async () => {
      const answer = await accepted(service, 'createUser', {
        body: { name: 'Ann', email: 'Ann@Example.org', rootRole: 2, sendEmail: true },
      });
      expect(answer.body).toMatchObject({
        name: 'Ann',
        email: 'Ann@Example.org',
        rootRole: 2,
        accountType: 'User',
        isAPI: false,
        emailSent: false,
        loginAttempts: 0,
        seenAt: null,
      });
      expect(answer.body, 'Terraform fails at a null').not.toHaveProperty('username');
      expect(answer.text).not.toMatch(/password/i);
    });
    expect(event).toMatchObject({ type: 'user-created', createdByUserId: -42, data: { email: 'Ann@Example.org' } });
    expect(event).toMatchObject({ neverUndone: expect.stringMatching(/^a user is not restored: passwords/) });
    expect(JSON.stringify({ ...event, neverUndone: null })).not.toMatch(/password/i);
  });

  it('accept the name of a root role as well', async () => {
    expect(await create({ username: 'by-name', rootRole: 'Editor' })).toMatchObject({ rootRole: 2 });
  });

  it('say that they need an email or a username', async () => {
    const answer = await refused(service, 'createUser', INVALID, { body: { name: 'Nobody', rootRole: 3 } });
    expect(answer.body.message).toContain('You must specify username or email');
  });

  it('have a unique email and username, regardless of case', async () => {
    const { id } = await create({ email: 'own@example.org', username: 'own' });
    await refused(service, 'createUser', CONFLICT, { body: { email: 'OWN@example.org', rootRole: 3 } });
    await refused(service, 'createUser', CONFLICT, { body: { username: 'Own', rootRole: 3 } });
    const other = await create({ email: 'other@example.org' });
    await refused(service, 'updateUser', CONFLICT, { params: { id: other.id }, body: { email: 'own@EXAMPLE.org' } });
    await accepted(service, 'updateUser', { params: { id }, body: { email: 'OWN@example.org' } });
    expect(await read(id)).toMatchObject({ email: 'OWN@example.org', username: 'own' });
  });

  it('cannot use the sign-on name of another user: the username of one is not the email of another', async () => {
    const { id } = await create({ email: 'kept-out@example.org' });
    await refused(service, 'createUser', CONFLICT, { body: { username: 'Kept-Out@example.org', rootRole: 3 } });
    const named = await create({ username: 'named@example.org' });
    await refused(service, 'createUser', CONFLICT, { body: { email: 'NAMED@example.org', rootRole: 3 } });
    await refused(service, 'updateUser', CONFLICT, { params: { id }, body: { email: 'named@example.org' } });
    await accepted(service, 'updateUser', { params: { id: named.id }, body: { email: 'named@example.org' } });
  });

  it('lose their groups, roles and credentials when they are deleted', async () => {
    const { id } = await create({ email: 'gone@example.org' });
    const secret = hashedSecret('user:gone');
    const at = '2026-01-01T00:00:00.000Z';
    await prepare(service, (draft) => {
      putGroup(draft, 70, [id]);
      give(draft, 'default', 'user', id, [4]);
      const dates = { createdAt: at, expiresAt: '2099-01-01T00:00:00.000Z' };
      draft.put('personalTokens', { secret, id: 70, userId: id, description: 'x', seenAt: null, ...dates });
    });
    const events = await eventsOf(service, () => accepted(service, 'deleteUser', { params: { id } }));
    expect(events).toMatchObject([{ type: 'user-deleted', preData: { email: 'gone@example.org' } }]);
    const { state } = service.running.services;
    expect(state.get('personalTokens', secret)).toBeUndefined();
    for (const index of ['membershipsByUser', 'projectsByUser', 'sessionsByUser'] as const)
      expect(state.count(index, String(id))).toBe(0);
    await refused(service, 'getUser', MISSING, { params: { id } });
    expect((await create({ email: 'gone@example.org' })).id).toBeGreaterThan(id);
  });

  it('are listed with the root roles that they can have', async () => {
    const { body } = await accepted(service, 'getUsers');
    expect(body.rootRoles.map(({ name }: { name: string }) => name)).toEqual(['Admin', 'Editor', 'Viewer']);
    expect(body.users.length).toBe(service.running.services.state.size('users'));
  });

  it('are found by a part of the name, username or email with two or more characters', async () => {
    await create({ name: 'Zoë Quick', email: 'zq@example.org', username: 'zzz' });
    for (const q of ['zoë', 'UICK', 'zq@', 'zZ']) {
      const { body } = await accepted(service, 'searchUsers', { query: `q=${encodeURIComponent(q)}` });
      expect(body.users).toMatchObject([{ name: 'Zoë Quick' }]);
      expect(body.rootRoles).toHaveLength(3);
    }
    for (const query of ['q=nobody-at-all', 'q=z', 'q=', ''])
      expect((await accepted(service, 'searchUsers', { query })).body.users, query).toEqual([]);
    await refused(service, 'searchUsers', INVALID, { query: `q=${'x'.repeat(256)}` });
  });

  it('are listed together with the groups for the granting of roles', async () => {
    await prepare(service, (draft) => putGroup(draft, 71, []));
    const { body } = await accepted(service, 'getBaseUsersAndGroups');
    expect(body.groups).toContainEqual({ id: 71, name: 'group-71', userCount: 0 });
    expect(body.users.length).toBe(service.running.services.state.size('users'));
  });

  it('stay if users of SCIM are deleted and there are none', async () => {
    const { seq } = service.running.services.state;
    await accepted(service, 'deleteScimUsers');
    expect(service.running.services.state.seq).toBe(seq);
  });
});

describe('the only admin', () => {
  it('cannot be deleted or demoted, not even together with other users', async () => {
    const one = await create({ email: 'admin-1@example.org', rootRole: 1 });
    await refused(service, 'deleteUser', INVALID, { params: { id: one.id } });
    await refused(service, 'updateUser', INVALID, { params: { id: one.id }, body: { rootRole: 3 } });
    const other = await create({ email: 'bystander@example.org' });
    await refused(service, 'deleteInactiveUsers', INVALID, { body: { ids: [other.id, one.id] } });
    expect(await read(other.id)).toMatchObject({ id: other.id });
    const two = await create({ email: 'admin-2@example.org', rootRole: 1 });
    expect((await accepted(service, 'getAdminCount')).body).toEqual({ password: 0, noPassword: 2, service: 0 });
    await accepted(service, 'updateUser', { params: { id: one.id }, body: { rootRole: 3 } });
    await refused(service, 'deleteUser', INVALID, { params: { id: two.id } });
  });
});

describe('inactive users', () => {
  it('are listed, and deleted on request', async () => {
    await prepare(service, (draft) => {
      const old = '2020-01-01T00:00:00.000Z';
      draft.put('users', user(801, { createdAt: old, seenAt: null }));
      draft.put('users', user(802, { createdAt: old, seenAt: new Date().toISOString() }));
      draft.put('users', user(803, { createdAt: old, accountType: 'Service Account' }));
      draft.put('users', user(804, { createdAt: old }));
      const token = { id: 804, userId: 804, description: 'x', createdAt: old, expiresAt: '2099-01-01T00:00:00.000Z' };
      draft.put('personalTokens', { ...token, secret: hashedSecret('user:804'), seenAt: new Date().toISOString() });
    });
    const { body } = await accepted(service, 'getInactiveUsers');
    expect(body.inactiveUsers.map(({ id }: { id: number }) => id)).toEqual([801]);
    await accepted(service, 'deleteInactiveUsers', { body: { ids: [801, 9_999] } });
    expect((await accepted(service, 'getInactiveUsers')).body.inactiveUsers).toEqual([]);
  });
});

describe('a caller with an admin token', () => {
  it('is reported as an API user with all permissions', async () => {
    const { body } = await accepted(service, 'getMe');
    expect(body).toMatchObject({
      user: { isAPI: true, rootRole: 1 },
      permissions: [{ permission: 'ADMIN' }],
      feedback: [],
      splash: {},
    });
    const profile = await accepted(service, 'getProfile');
    expect(profile.body).toMatchObject({
      rootRole: { id: 1, type: 'root', name: 'Admin' },
      projects: [],
      features: [],
    });
    expect(profile.body).toMatchObject({ groups: [], subscriptions: [], canChangePassword: false });
    const { roles } = (await accepted(service, 'getUserRoles', { query: 'projectId=default' })).body;
    expect(roles).toMatchObject([{ id: ROLE_ID.admin, project: 'default' }]);
  });
});
