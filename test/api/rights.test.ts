import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { CommandContext } from '../../src/engine/command.ts';
import { ROLE_ID } from '../../src/model/role.ts';
import { customRole, give, putGroup } from '../access/people.ts';
import { accepted, eventsOf, FORBIDDEN, prepare, refused, UNAUTHENTICATED } from '../support/admin.ts';
import { exportOf, importBody } from '../support/exports.ts';
import { personalTokenOf, putUser } from '../support/people.ts';
import { ADMIN_TOKEN, CLIENT_TOKEN, startTestService, type TestService } from '../support/service.ts';

let service: TestService;
let nextId = 0;

beforeAll(async () => {
  service = await startTestService();
  await accepted(service, 'createProject', { body: { id: 'other', name: 'Other' } });
});

afterAll(() => service.close());

/** A new user who has roles in projects; answers their id, and a token of theirs. */
async function somebody(
  inProjects: Readonly<Record<string, number[]>> = {},
  rootRole: number = ROLE_ID.viewer,
): Promise<{ id: number; token: string }> {
  const { id } = await putUser(service, ++nextId, { rootRole });
  await prepare(service, (draft) => {
    for (const [project, roles] of Object.entries(inProjects)) give(draft, project, 'user', id, roles);
  });
  return { id, token: await personalTokenOf(service, id) };
}

/** A new role of projects, with these permissions everywhere in them; answers its id. */
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

describe('who calls', () => {
  it('signs what they do, in every event, by their id and their email', async () => {
    const { id, token } = await somebody({ default: [ROLE_ID.member] });
    const [event] = await eventsOf(service, () =>
      accepted(service, 'createFeature', { params: inDefault, body: { name: 'signed' }, token }),
    );
    expect(event).toMatchObject({ type: 'feature-created', createdBy: `user-${id}@example.org`, createdByUserId: id });
    const { body } = await accepted(service, 'getFeature', { params: { ...inDefault, featureName: 'signed' }, token });
    expect(body.createdBy).toMatchObject({ id });
  });

  it('is told who they are, and what they may do where', async () => {
    const { id, token } = await somebody({ other: [ROLE_ID.member] });
    await prepare(service, (draft) => {
      putGroup(draft, 300, [id], { rootRole: ROLE_ID.editor });
      give(draft, 'other', 'group', 300, [ROLE_ID.owner]);
    });
    const { body } = await accepted(service, 'getMe', { token });
    expect(body.user).toMatchObject({ id, isAPI: false, rootRole: ROLE_ID.viewer });
    const everywhere = { permission: 'UPDATE_FEATURE_ENVIRONMENT', project: 'other', environment: '*' };
    for (const held of [{ permission: 'CREATE_SEGMENT' }, everywhere]) expect(body.permissions).toContainEqual(held);
    const told = body.permissions.map((one: unknown) => JSON.stringify(one));
    expect(new Set(told).size).toBe(told.length);
    const profile = await accepted(service, 'getProfile', { token });
    expect(profile.body).toMatchObject({ rootRole: { name: 'Viewer' }, projects: ['other'] });
    const roles = await accepted(service, 'getUserRoles', { query: 'projectId=other', token });
    expect(roles.body.roles.map(({ name }: { name: string }) => name)).toEqual(['Owner', 'Member']);
  });

  it('owns the project that they create', async () => {
    const { id, token } = await somebody({}, ROLE_ID.editor);
    await accepted(service, 'createProject', { body: { id: 'created', name: 'Created' }, token });
    expect(service.running.services.state.get('projectRoles', `user:${id}:created`)?.roles).toEqual([ROLE_ID.owner]);
    await accepted(service, 'createFeature', { params: { projectId: 'created' }, body: { name: 'in-it' }, token });
    await refused(service, 'createFeature', FORBIDDEN, { params: { projectId: 'other' }, body: { name: 'no' }, token });
  });

  it('is told what they lack, and where', async () => {
    const { token } = await somebody();
    const params = { ...inDefault, featureName: 'signed', environment: 'development' };
    const told = await refused(service, 'toggleFeatureEnvironmentOn', FORBIDDEN, { params, token });
    expect(told.body.message).toBe(
      'You need the permission UPDATE_FEATURE_ENVIRONMENT in the project default for the environment development.',
    );
    const unknown = await refused(service, 'getProjects', UNAUTHENTICATED, { token: 'user:unknown' });
    expect(unknown.body.message).toContain('/auth/simple/login');
  });
});

describe('nobody gets more than they were given', () => {
  const secrets = (body: { tokens: { secret: string }[] }) => body.tokens.map(({ secret }) => secret);

  it('by reading tokens: whoever is told a secret may do what it may', async () => {
    const editor = await somebody({}, ROLE_ID.editor);
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
    const owner = await somebody({ default: [ROLE_ID.owner] });
    const ofProject = await accepted(service, 'getProjectApiTokens', { params: inDefault, token: owner.token });
    expect(ofProject.body.tokens.map(({ tokenName }: { tokenName: string }) => tokenName)).toEqual(['default']);
  });

  it('by giving roles in a project: nobody gives what they may not do there themselves', async () => {
    const [giving, creating] = [await roleWith('PROJECT_USER_ACCESS_WRITE'), await roleWith('CREATE_FEATURE')];
    const { id, token } = await somebody({ other: [giving] });
    const set = (holderId: number, roles: number[]) => ({
      params: { projectId: 'other', id: holderId },
      body: { roles },
      token,
    });
    await refused(service, 'setRolesForProjectUser', FORBIDDEN, set(id, [giving, creating]));
    await refused(service, 'setRolesForProjectUser', FORBIDDEN, set(id, [ROLE_ID.owner]));
    const friend = await somebody();
    const owners = { users: [friend.id], groups: [], roles: [ROLE_ID.owner] };
    await refused(service, 'addAccessToProject', FORBIDDEN, { params: { projectId: 'other' }, body: owners, token });
    await accepted(service, 'setRolesForProjectUser', set(friend.id, [giving]));
    const elsewhere = { params: { ...inDefault, id: friend.id }, body: { roles: [giving] }, token };
    await refused(service, 'setRolesForProjectUser', FORBIDDEN, elsewhere);
  });

  it('by taking roles in a project: from others, only roles whose every permission they have themselves', async () => {
    const project = { projectId: 'other' };
    const [taking, creating] = [await roleWith('PROJECT_USER_ACCESS_WRITE'), await roleWith('CREATE_FEATURE')];
    const { id, token } = await somebody({ other: [taking, creating] });
    const [first, second] = [await somebody({ other: [ROLE_ID.owner] }), await somebody({ other: [ROLE_ID.owner] })];
    const friend = await somebody({ other: [creating] });
    const ofFirst = { params: { ...project, id: first.id }, token };
    await refused(service, 'removeAccessOfProjectUser', FORBIDDEN, ofFirst);
    await refused(service, 'setRolesForProjectUser', FORBIDDEN, { ...ofFirst, body: { roles: [creating] } });
    const roles = [{ id: taking, users: [id], groups: [] }];
    await refused(service, 'setProjectAccess', FORBIDDEN, { params: project, body: { roles }, token });
    const asRole = { ...project, id: first.id, roleId: ROLE_ID.owner };
    await refused(service, 'removeRoleOfProjectUser', FORBIDDEN, { params: asRole, token });
    // What they have themselves they may take, and give up.
    await accepted(service, 'removeAccessOfProjectUser', { params: { ...project, id: friend.id }, token });
    await accepted(service, 'removeAccessOfProjectUser', { params: { ...project, id }, token });
    // An owner takes it from another one.
    await accepted(service, 'removeAccessOfProjectUser', { params: ofFirst.params, token: second.token });
  });

  it('by handing all of a project on: who gives up what they have may give it in the same go', async () => {
    const { token } = await somebody({ other: [ROLE_ID.owner] });
    const heir = await somebody();
    const body = { roles: [{ id: ROLE_ID.owner, users: [heir.id], groups: [] }] };
    await accepted(service, 'setProjectAccess', { params: { projectId: 'other' }, body, token });
    await refused(service, 'setProjectAccess', FORBIDDEN, { params: { projectId: 'other' }, body, token });
  });

  it('by an import: it takes what doing the same by hand takes', async () => {
    const updating = await somebody({ default: [await roleWith('UPDATE_FEATURE')] });
    const more = { contextFields: [{ name: 'plan' }], tagTypes: [{ name: 'team' }] };
    const body = importBody(exportOf('smuggled', more));
    const told = await refused(service, 'importFeatures', FORBIDDEN, { body, token: updating.token });
    const needed = [
      ...['CREATE_CONTEXT_FIELD', 'CREATE_TAG_TYPE', 'CREATE_FEATURE', 'UPDATE_FEATURE_ENVIRONMENT'],
      'CREATE_FEATURE_STRATEGY',
    ];
    for (const name of needed) expect(told.body.message).toContain(name);
    const { body: validation } = await accepted(service, 'validateImport', { body, token: updating.token });
    expect(validation.permissions).toMatchObject([{ affectedItems: needed }]);
    const owner = await somebody({ default: [ROLE_ID.owner] });
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

  it('by an import that changes what a flag expects of its parent', async () => {
    for (const name of ['parent', 'child'])
      await accepted(service, 'createFeature', { params: inDefault, body: { name } });
    const params = { ...inDefault, child: 'child' };
    await accepted(service, 'addFeatureDependency', { params, body: { feature: 'parent' } });
    const { token } = await somebody({ default: [await roleWith('UPDATE_FEATURE')] });
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

  it('by an update that archives', async () => {
    const { token } = await somebody({ default: [ROLE_ID.member] });
    await accepted(service, 'createFeature', { params: inDefault, body: { name: 'kept' }, token });
    const params = { ...inDefault, featureName: 'kept' };
    await refused(service, 'archiveFeature', FORBIDDEN, { params, token });
    await refused(service, 'updateFeature', FORBIDDEN, { params, body: { archived: true }, token });
    const body = [{ op: 'replace', path: '/archived', value: true }];
    await refused(service, 'patchFeature', FORBIDDEN, { params, body, token });
  });
});

describe('a right that is taken away', () => {
  it('between request and decision is gone: whatever is written first counts', async () => {
    const { id, token } = await somebody({ default: [ROLE_ID.member] });
    const { writer, state } = service.running.services;
    const takeAway = {
      decide: ({ draft }: CommandContext) => draft.remove('projectRoles', `user:${id}:default`),
    };
    // The front lets the request in; before its command is submitted, another one is that takes away what let it in.
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

  it('lets nothing through from the next request on, and nobody who is gone', async () => {
    const { id, token } = await somebody({ default: [ROLE_ID.member] });
    const create = (name: string) => ({ params: inDefault, body: { name }, token });
    await accepted(service, 'createFeature', create('before'));
    await accepted(service, 'removeAccessOfProjectUser', { params: { ...inDefault, id } });
    await refused(service, 'createFeature', FORBIDDEN, create('after'));
    await accepted(service, 'deleteUser', { params: { id } });
    await refused(service, 'createFeature', UNAUTHENTICATED, create('after'));
    await refused(service, 'getProjects', UNAUTHENTICATED, { token });
  });

  it('follows from a role that loses a permission', async () => {
    const role = await roleWith('CREATE_FEATURE');
    const { token } = await somebody({ default: [role] });
    await accepted(service, 'createFeature', { params: inDefault, body: { name: 'by-role' }, token });
    await accepted(service, 'updateRole', { params: { roleId: role }, body: { name: 'emptied', permissions: [] } });
    await refused(service, 'createFeature', FORBIDDEN, { params: inDefault, body: { name: 'no-more' }, token });
  });
});
