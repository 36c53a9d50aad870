import { beforeAll, describe, expect, it } from 'vitest';
import type { CommandContext } from '../../../src/engine/command.ts';
import { ROLE_ID } from '../../../src/model/role.ts';
import { customRole, give, putGroup } from '../../access/people.ts';
import { accepted, eventsOf, FORBIDDEN, prepare, refused, UNAUTHENTICATED } from '../../support/admin.ts';
import { exportOf, importBody } from '../../support/exports.ts';
import { personalTokenOf, putUser } from '../../support/people.ts';
import { ADMIN_TOKEN, CLIENT_TOKEN, useService } from '../../support/service.ts';

const service = useService();
let nextId = 0;

beforeAll(async () => {
  await accepted(service, 'createProject', { body: { id: 'other', name: 'Other' } });
});

/** Creates a user with roles in projects. Returns the id and a personal token of the user. */
async function newUser(
  inProjects: Readonly<Record<string, number[]>> = {},
  rootRole: number = ROLE_ID.viewer,
): Promise<{ id: number; token: string }> {
  const { id } = await putUser(service, ++nextId, { rootRole });
  await prepare(service, (draft) => {
    for (const [project, roles] of Object.entries(inProjects)) give(draft, project, 'user', id, roles);
  });
  return { id, token: await personalTokenOf(service, id) };
}

/** Creates a project role with these permissions in all environments. Returns its id. */
async function roleWith(...names: Parameters<typeof customRole>[2][number]['name'][]): Promise<number> {
  const role = customRole(
    ++nextId,
    'custom',
    names.map((name) => ({ name })),
  );
  await prepare(service, (draft) => draft.put('roles', role));
  return role.id;
}

const inDefault = { projectId: 'default' };

describe('the caller', () => {
  it('is recorded in every event, by id and email', async () => {
    const { id, token } = await newUser({ default: [ROLE_ID.member] });
    const [event] = await eventsOf(service, () =>
      accepted(service, 'createFeature', { params: inDefault, body: { name: 'signed' }, token }),
    );
    expect(event).toMatchObject({ type: 'feature-created', createdBy: `user-${id}@example.org`, createdByUserId: id });
    const { body } = await accepted(service, 'getFeature', { params: { ...inDefault, featureName: 'signed' }, token });
    expect(body.createdBy).toMatchObject({ id });
  });

  it('can read their own identity, permissions and roles', async () => {
    const { id, token } = await newUser({ other: [ROLE_ID.member] });
    await prepare(service, (draft) => {
      putGroup(draft, 300, [id], { rootRole: ROLE_ID.editor });
      give(draft, 'other', 'group', 300, [ROLE_ID.owner]);
    });
    const { body } = await accepted(service, 'getMe', { token });
    expect(body.user).toMatchObject({ id, isAPI: false, rootRole: ROLE_ID.viewer });
    const everywhere = { permission: 'UPDATE_FEATURE_ENVIRONMENT', project: 'other', environment: '*' };
    for (const one of [{ permission: 'CREATE_SEGMENT' }, everywhere]) expect(body.permissions).toContainEqual(one);
    const texts = body.permissions.map((one: unknown) => JSON.stringify(one));
    expect(new Set(texts).size).toBe(texts.length);
    const profile = await accepted(service, 'getProfile', { token });
    const own = [{ id: 300, name: 'group-300', rootRole: ROLE_ID.editor }];
    const expected = { rootRole: { name: 'Viewer' }, projects: ['default', 'other'], groups: own };
    expect(profile.body).toMatchObject({ ...expected, canChangePassword: true });
    const roles = await accepted(service, 'getUserRoles', { query: 'projectId=other', token });
    expect(roles.body.roles).toMatchObject([
      { name: 'Owner', project: 'other' },
      { name: 'Member', project: 'other' },
    ]);
    const admin = await newUser({}, ROLE_ID.admin);
    const { projects } = (await accepted(service, 'getProfile', admin)).body;
    expect(projects).toEqual([...service.running.services.state.values('projects')].map((one) => one.id).sort());
  });

  it('becomes the owner of a project that they create', async () => {
    const { id, token } = await newUser({}, ROLE_ID.editor);
    await accepted(service, 'createProject', { body: { id: 'created', name: 'Created' }, token });
    expect(service.running.services.state.get('projectRoles', `user:${id}:created`)?.roles).toEqual([ROLE_ID.owner]);
    await accepted(service, 'createFeature', { params: { projectId: 'created' }, body: { name: 'in-it' }, token });
    await refused(service, 'createFeature', FORBIDDEN, { params: { projectId: 'other' }, body: { name: 'no' }, token });
  });

  it('receives an error with the missing permission and its scope', async () => {
    const { token } = await newUser();
    const params = { ...inDefault, featureName: 'signed', environment: 'development' };
    const answer = await refused(service, 'toggleFeatureEnvironmentOn', FORBIDDEN, { params, token });
    expect(answer.body.message).toBe(
      'You need the permission UPDATE_FEATURE_ENVIRONMENT in the project default for the environment development.',
    );
    const unknown = await refused(service, 'getProjects', UNAUTHENTICATED, { token: 'user:unknown' });
    expect(unknown.body.message).toContain('/auth/simple/login');
  });
});

describe('a user cannot exceed their own permissions', () => {
  const secrets = (body: { tokens: { secret: string }[] }) => body.tokens.map(({ secret }) => secret);

  it('by reading tokens: secrets with more permissions are not listed', async () => {
    const editor = await newUser({}, ROLE_ID.editor);
    const { body } = await accepted(service, 'getAllApiTokens', { token: editor.token });
    expect(secrets(body)).toContain(CLIENT_TOKEN);
    expect(secrets(body)).not.toContain(ADMIN_TOKEN);
    expect(secrets((await accepted(service, 'getAllApiTokens')).body)).toContain(ADMIN_TOKEN);
    const named = await accepted(service, 'getApiTokensByName', {
      params: { token: 'init-admin-1' },
      token: editor.token,
    });
    expect(named.body.tokens).toEqual([]);
    for (const projects of [['default'], ['default', 'other']]) {
      const token = { tokenName: projects.join('+'), type: 'client', environment: 'development', projects };
      await accepted(service, 'createApiToken', { body: token });
    }
    const owner = await newUser({ default: [ROLE_ID.owner] });
    const ofProject = await accepted(service, 'getProjectApiTokens', { params: inDefault, token: owner.token });
    expect(ofProject.body.tokens.map(({ tokenName }: { tokenName: string }) => tokenName)).toEqual(['default']);
  });

  it('by granting roles in a project: every granted permission must be their own there', async () => {
    const [giving, creating] = [await roleWith('PROJECT_USER_ACCESS_WRITE'), await roleWith('CREATE_FEATURE')];
    const { id, token } = await newUser({ other: [giving] });
    const set = (holderId: number, roles: number[]) => ({
      params: { projectId: 'other', id: holderId },
      body: { roles },
      token,
    });
    await refused(service, 'setRolesForProjectUser', FORBIDDEN, set(id, [giving, creating]));
    await refused(service, 'setRolesForProjectUser', FORBIDDEN, set(id, [ROLE_ID.owner]));
    const friend = await newUser();
    const owners = { users: [friend.id], groups: [], roles: [ROLE_ID.owner] };
    await refused(service, 'addAccessToProject', FORBIDDEN, { params: { projectId: 'other' }, body: owners, token });
    await accepted(service, 'setRolesForProjectUser', set(friend.id, [giving]));
    const elsewhere = { params: { ...inDefault, id: friend.id }, body: { roles: [giving] }, token };
    await refused(service, 'setRolesForProjectUser', FORBIDDEN, elsewhere);
  });

  it('by removing roles in a project: every permission of a role of another user must be their own', async () => {
    const project = { projectId: 'other' };
    const [taking, creating] = [await roleWith('PROJECT_USER_ACCESS_WRITE'), await roleWith('CREATE_FEATURE')];
    const { id, token } = await newUser({ other: [taking, creating] });
    const [first, second] = [await newUser({ other: [ROLE_ID.owner] }), await newUser({ other: [ROLE_ID.owner] })];
    const friend = await newUser({ other: [creating] });
    const ofFirst = { params: { ...project, id: first.id }, token };
    await refused(service, 'removeAccessOfProjectUser', FORBIDDEN, ofFirst);
    await refused(service, 'setRolesForProjectUser', FORBIDDEN, { ...ofFirst, body: { roles: [creating] } });
    const roles = [{ id: taking, users: [id], groups: [] }];
    await refused(service, 'setProjectAccess', FORBIDDEN, { params: project, body: { roles }, token });
    const asRole = { ...project, id: first.id, roleId: ROLE_ID.owner };
    await refused(service, 'removeRoleOfProjectUser', FORBIDDEN, { params: asRole, token });
    // A role that the user could not give or take does not hinder a change of another one.
    await accepted(service, 'setRolesForProjectUser', { ...ofFirst, body: { roles: [ROLE_ID.owner, creating] } });
    // A user can remove a role with permissions of their own, from another user and from themselves.
    await accepted(service, 'removeAccessOfProjectUser', { params: { ...project, id: friend.id }, token });
    await accepted(service, 'removeAccessOfProjectUser', { params: { ...project, id }, token });
    // An owner can remove another owner.
    await accepted(service, 'removeAccessOfProjectUser', { params: ofFirst.params, token: second.token });
  });

  it('by transferring a project: an owner can grant the role and lose it in one request', async () => {
    const { token } = await newUser({ other: [ROLE_ID.owner] });
    const heir = await newUser();
    const body = { roles: [{ id: ROLE_ID.owner, users: [heir.id], groups: [] }] };
    await accepted(service, 'setProjectAccess', { params: { projectId: 'other' }, body, token });
    await refused(service, 'setProjectAccess', FORBIDDEN, { params: { projectId: 'other' }, body, token });
  });

  it('by an import: it requires the permissions of the same single changes', async () => {
    const updating = await newUser({ default: [await roleWith('UPDATE_FEATURE')] });
    const more = { contextFields: [{ name: 'plan' }], tagTypes: [{ name: 'team' }] };
    const body = importBody(exportOf('smuggled', more));
    const answer = await refused(service, 'importFeatures', FORBIDDEN, { body, token: updating.token });
    const needed = [
      'CREATE_CONTEXT_FIELD',
      'CREATE_TAG_TYPE',
      'CREATE_FEATURE',
      'UPDATE_FEATURE_ENVIRONMENT',
      'CREATE_FEATURE_STRATEGY',
    ];
    for (const name of needed) expect(answer.body.message).toContain(name);
    const { body: validation } = await accepted(service, 'validateImport', { body, token: updating.token });
    expect(validation.permissions).toMatchObject([{ affectedItems: needed }]);
    const owner = await newUser({ default: [ROLE_ID.owner] });
    await refused(service, 'importFeatures', FORBIDDEN, { body, token: owner.token });
    const plain = importBody(exportOf('imported'));
    expect((await accepted(service, 'validateImport', { body: plain, token: owner.token })).body.permissions).toEqual(
      [],
    );
    await accepted(service, 'importFeatures', { body: plain, token: owner.token });
    await refused(service, 'importFeatures', FORBIDDEN, {
      body: { ...plain, project: 'other' },
      token: owner.token,
    });
  });

  it('by an import that changes the expected state of a parent', async () => {
    for (const name of ['parent', 'child'])
      await accepted(service, 'createFeature', { params: inDefault, body: { name } });
    const params = { ...inDefault, child: 'child' };
    await accepted(service, 'addFeatureDependency', { params, body: { feature: 'parent' } });
    const { token } = await newUser({ default: [await roleWith('UPDATE_FEATURE')] });
    const expecting = (enabled: boolean) =>
      importBody({
        features: [{ name: 'child' }],
        featureStrategies: [],
        dependencies: [{ feature: 'child', dependencies: [{ feature: 'parent', enabled }] }],
      });
    await accepted(service, 'importFeatures', { body: expecting(true), token });
    const { body } = await refused(service, 'importFeatures', FORBIDDEN, { body: expecting(false), token });
    expect(body.message).toContain('UPDATE_FEATURE_DEPENDENCY');
  });

  it('by an update that archives a flag', async () => {
    const { token } = await newUser({ default: [ROLE_ID.member] });
    await accepted(service, 'createFeature', { params: inDefault, body: { name: 'kept' }, token });
    const params = { ...inDefault, featureName: 'kept' };
    await refused(service, 'archiveFeature', FORBIDDEN, { params, token });
    await refused(service, 'updateFeature', FORBIDDEN, { params, body: { archived: true }, token });
    const body = [{ op: 'replace', path: '/archived', value: true }];
    await refused(service, 'patchFeature', FORBIDDEN, { params, body, token });
  });
});

describe('a removed permission', () => {
  it('refuses a request that was accepted before the removal and is decided after it', async () => {
    const { id, token } = await newUser({ default: [ROLE_ID.member] });
    const { writer, state } = service.running.services;
    const takeAway = {
      decide: ({ draft }: CommandContext) => draft.remove('projectRoles', `user:${id}:default`),
    };
    // The HTTP layer accepts the request. Before its command is submitted, another command removes the permission.
    const submit = writer.submit.bind(writer);
    let taken: Promise<unknown> | undefined;
    writer.submit = (command, input, by) => {
      if ('kind' in by && by.user === String(id)) taken ??= submit(takeAway, undefined, { id: 1, name: 'test' });
      return submit(command, input, by);
    };
    try {
      const answer = await service.call('createFeature', { params: inDefault, body: { name: 'too-late' }, token });
      expect([answer.status, answer.body.name]).toEqual(FORBIDDEN);
    } finally {
      writer.submit = submit;
    }
    expect(await taken).toHaveProperty('seq');
    expect(state.get('features', 'too-late')).toBeUndefined();
  });

  it('refuses the next request, and every request of a deleted user', async () => {
    const { id, token } = await newUser({ default: [ROLE_ID.member] });
    const create = (name: string) => ({ params: inDefault, body: { name }, token });
    await accepted(service, 'createFeature', create('before'));
    await accepted(service, 'removeAccessOfProjectUser', { params: { ...inDefault, id } });
    await refused(service, 'createFeature', FORBIDDEN, create('after'));
    await accepted(service, 'deleteUser', { params: { id } });
    await refused(service, 'createFeature', UNAUTHENTICATED, create('after'));
    await refused(service, 'getProjects', UNAUTHENTICATED, { token });
  });

  it('also results from a role that loses a permission', async () => {
    const role = await roleWith('CREATE_FEATURE');
    const { token } = await newUser({ default: [role] });
    await accepted(service, 'createFeature', { params: inDefault, body: { name: 'by-role' }, token });
    await accepted(service, 'updateRole', { params: { roleId: role }, body: { name: 'emptied', permissions: [] } });
    await refused(service, 'createFeature', FORBIDDEN, { params: inDefault, body: { name: 'no-more' }, token });
  });
});
