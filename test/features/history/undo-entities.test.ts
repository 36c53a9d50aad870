import { beforeAll, describe, expect, it, vi } from 'vitest';
import type { CommandContext } from '../../../src/engine/command.ts';
import { RECORDED } from '../../../src/features/modules.ts';
import { LAST_BUILT_IN, ROLE_ID } from '../../../src/model/role.ts';
import { authorOf, type User } from '../../../src/model/user.ts';
import { give, putGroup } from '../../access/people.ts';
import { accepted, CONFLICT, prepare } from '../../support/admin.ts';
import { putUser } from '../../support/people.ts';
import { changeOf, createOne, exampleOf, operationsOf } from '../../support/resource-calls.ts';
import { RESOURCES } from '../../support/resources.ts';
import { type CallResult, useService } from '../../support/service.ts';

const service = useService();

beforeAll(async () => {
  for (const id of [701, 702]) await putUser(service, id, { rootRole: ROLE_ID.viewer });
  await prepare(service, (draft) => {
    give(draft, 'default', 'user', 701, [ROLE_ID.owner]);
    putGroup(draft, 71, [701], { description: 'before' });
  });
  await call('createContextField', undefined, { name: 'country', legalValues: [{ value: 'NO' }] });
  await call('createTagType', undefined, { name: 'team' });
  bannerId = (await call('createBanner', undefined, { message: 'Hello' })).body.id;
});

/** The revision of the newest change here. The service makes commits of its own, such as the note that a token was used. */
let newest = 0;
const seq = () => newest;

const noted = <A extends Pick<CallResult, 'headers'>>(answer: A): A => {
  newest = Number(answer.headers.get('burgee-revision'));
  return answer;
};
const call = async (operationId: string, params?: object, body?: object) =>
  noted(await accepted(service, operationId, { ...(params && { params: params as never }), ...(body && { body }) }));

const TIMES = ['updatedAt', 'changedAt', 'collaborators'];

/** Every entity with a recorded past, without the times of its changes. */
function stored(): ReadonlyMap<string, unknown> {
  const { state } = service.running.services;
  const found = new Map<string, unknown>();
  for (const collection of Object.keys(RECORDED) as (keyof typeof RECORDED)[]) {
    for (const entity of state.values(collection)) {
      const fields = Object.entries(entity).filter(([field]) => !TIMES.includes(field));
      const text = JSON.stringify(Object.fromEntries(fields));
      found.set(`${collection} ${text}`, text);
    }
  }
  return found;
}

const sorted = (states: ReadonlyMap<string, unknown>) => [...states.keys()].sort();

const undo = async (revision: number, body: object = {}) =>
  noted(await service.call('undoRevision', { params: { revision }, body }));

const STRATEGY = { name: 'flexibleRollout', parameters: { rollout: '30' } };
const inDefault = { projectId: 'default' };

let bannerId = 0;
let groupId = 0;
let roleId = 0;

type Step = readonly [operationId: string, params?: object, body?: object];

/** Each change is made by one request, undone, and its undo is undone. The changes stay for the next ones. */
const CHANGES: readonly (readonly [what: string, step: () => Step])[] = [
  ['settings of a project', () => ['updateProject', inDefault, { name: 'New', mode: 'protected', featureLimit: 9 }]],
  [
    'paid settings of a project',
    () => ['updateProjectEnterpriseSettings', inDefault, { mode: 'open', featureNaming: { pattern: '[a-z.]+' } }],
  ],
  ['a new project', () => ['createProject', undefined, { id: 'made', name: 'Made' }]],
  ['the archiving of a project', () => ['archiveProject', { projectId: 'made' }]],
  ['the return of a project', () => ['reviveProject', { projectId: 'made' }]],
  ['a new environment', () => ['createEnvironment', undefined, { name: 'staging', type: 'test' }]],
  ['the order of environments', () => ['updateSortOrder', undefined, { development: 8, staging: 3 }]],
  ['the switch of an environment', () => ['toggleEnvironmentOff', { name: 'staging' }]],
  ['the other switch of an environment', () => ['toggleEnvironmentOn', { name: 'staging' }]],
  ['an environment of a project', () => ['addEnvironmentToProject', { projectId: 'made' }, { environment: 'staging' }]],
  [
    'a default strategy',
    () => ['addDefaultStrategyToProjectEnvironment', { projectId: 'made', environment: 'staging' }, STRATEGY],
  ],
  [
    'when reviews are needed',
    () => [
      'updateProjectChangeRequestConfig',
      { projectId: 'made', environment: 'staging' },
      { changeRequestsEnabled: true, requiredApprovals: 2 },
    ],
  ],
  ['a flag in a project', () => ['createFeature', { projectId: 'made' }, { name: 'made.flag' }]],
  [
    'a flag in an environment',
    () => ['toggleFeatureEnvironmentOn', { projectId: 'made', featureName: 'made.flag', environment: 'staging' }],
  ],
  ['a copy of an environment', () => ['cloneEnvironment', { name: 'staging' }, { name: 'copy', type: 'test' }]],
  ['a new role', () => ['createRole', undefined, roleBody('Toggler', 'staging')]],
  ['a role', () => ['updateRole', { roleId }, roleBody('Switcher', 'copy')]],
  ['the end of an environment', () => ['removeEnvironment', { name: 'copy' }]],
  [
    'an environment less in a project',
    () => ['removeEnvironmentFromProject', { projectId: 'made', environment: 'staging' }],
  ],
  ['a legal value', () => ['updateContextFieldLegalValue', { contextField: 'country' }, { value: 'SE' }]],
  ['a context field of a project', () => ['createProjectContextField', { projectId: 'made' }, { name: 'ofMade' }]],
  ['a new tag', () => ['createTag', undefined, { type: 'team', value: 'blue' }]],
  ['a deleted tag', () => ['deleteTag', { type: 'team', value: 'blue' }]],
  ['a tag again', () => ['createTag', undefined, { type: 'team', value: 'red' }]],
  ['the end of a tag type with its tags', () => ['deleteTagType', { name: 'team' }]],
  ['a built-in strategy type in use again', () => ['reactivateStrategy', { name: 'userWithId' }]],
  ['the lifetime of a flag type', () => ['updateFeatureTypeLifetime', { id: 'release' }, { lifetimeDays: 11 }]],
  ['the lifetime again', () => ['updateFeatureTypeLifetime', { id: 'release' }, { lifetimeDays: null }]],
  ['a hidden banner', () => ['toggleBannerOff', { id: bannerId }]],
  ['a new group', () => ['createGroup', undefined, { name: 'new', users: [{ user: { id: 702 } }] }]],
  [
    'a group and its members',
    () => ['updateGroup', { groupId }, { name: 'renamed', mappingsSSO: ['a', 'b'], users: [{ user: { id: 701 } }] }],
  ],
  [
    'roles of a group in a project',
    () => ['setRolesForProjectGroup', { projectId: 'made', id: groupId }, { roles: [ROLE_ID.member] }],
  ],
  ['the end of a group', () => ['deleteGroup', { groupId: 71 }]],
  ['roles of a user', () => ['setRolesForProjectUser', { ...inDefault, id: 702 }, { roles: [ROLE_ID.member, 4] }]],
  ['fewer roles of a user', () => ['setRolesForProjectUser', { ...inDefault, id: 702 }, { roles: [ROLE_ID.owner] }]],
  [
    'who has access to a project',
    () => [
      'setProjectAccess',
      inDefault,
      {
        roles: [
          { id: ROLE_ID.owner, users: [702] },
          { id: ROLE_ID.member, users: [701], groups: [groupId] },
        ],
      },
    ],
  ],
  ['a user less in a project', () => ['removeAccessOfProjectUser', { ...inDefault, id: 701 }]],
  ['an archived flag', () => ['archiveFeature', { projectId: 'made', featureName: 'made.flag' }]],
  ['a deleted project with its flag, field and roles', () => ['deleteProject', { projectId: 'made' }]],
];

const roleBody = (name: string, environment: string) => ({
  name,
  description: name,
  type: 'custom',
  permissions: [{ name: 'UPDATE_FEATURE_ENVIRONMENT', environment }, { name: 'CREATE_FEATURE' }],
});

/** Remembers the ids of new objects. */
function remember(operationId: string, body: { readonly id?: number; readonly roles?: { readonly id: number } }): void {
  if (operationId === 'createGroup') groupId = body.id ?? 0;
  if (operationId === 'createRole') roleId = body.roles?.id ?? 0;
}

/** What the undo of the change leaves is what was before, and what the undo of that leaves is what was after. */
async function undoAndRedo(change: () => Promise<unknown>): Promise<void> {
  const before = stored();
  await change();
  const [after, revision] = [stored(), seq()];
  expect(sorted(after), 'the request changes something').not.toEqual(sorted(before));
  const { status, text, body: undone } = await undo(revision);
  expect(status, text).toBe(200);
  expect(undone.undone).toBeGreaterThan(0);
  expect(sorted(stored())).toEqual(sorted(before));
  const again = await undo(seq());
  expect(again.status, again.text).toBe(200);
  expect(sorted(stored())).toEqual(sorted(after));
}

describe('an undo', () => {
  it.each(CHANGES)('of %s gives what was before, and its undo what was after', async (_what, step) => {
    const [operationId, params, body] = step();
    await undoAndRedo(async () => {
      const answer = await call(operationId, params, body);
      remember(operationId, answer.body);
    });
    expect(roleId === 0 || roleId > LAST_BUILT_IN).toBe(true);
  });

  it.each(RESOURCES.filter(({ collection }) => collection in RECORDED))(
    'of the creation, of a change and of the end of $what',
    async (resource) => {
      const { update, remove } = operationsOf(resource);
      const made = {} as Awaited<ReturnType<typeof createOne>>;
      const body = exampleOf(resource);
      await undoAndRedo(async () => {
        Object.assign(made, await createOne(service, resource, { body }));
        noted(made.answer);
      });
      await undoAndRedo(() => call(update, made.params, changeOf(resource, body, resource.changes[0])));
      await undoAndRedo(() => call(remove, made.params));
    },
  );

  it('changes only the fields of the commit, and names those that were changed again', async () => {
    await call('createTagType', undefined, { name: 'again', description: 'one', icon: 'a' });
    await call('updateTagType', { name: 'again' }, { description: 'two' });
    const first = seq();
    await call('updateTagType', { name: 'again' }, { icon: 'b' });
    expect((await undo(first)).status).toBe(200);
    expect(service.running.services.state.get('tagTypes', 'again')).toMatchObject({ description: 'one', icon: 'b' });
    await call('updateTagType', { name: 'again' }, { description: 'three' });
    const second = seq();
    await call('updateTagType', { name: 'again' }, { description: 'four' });
    const before = sorted(stored());
    const { status, body } = await undo(second);
    expect([status, body.name]).toEqual(CONFLICT);
    expect(body.details).toEqual([expect.objectContaining({ path: '/tagTypes/again/description', current: 'four' })]);
    expect(sorted(stored())).toEqual(before);
  });

  it('undoes one environment of a project although another one came later', async () => {
    for (const name of ['first', 'second']) await call('createEnvironment', undefined, { name, type: 'test' });
    await call('addEnvironmentToProject', inDefault, { environment: 'first' });
    const revision = seq();
    await call('addEnvironmentToProject', inDefault, { environment: 'second' });
    expect((await undo(revision)).status).toBe(200);
    const { environments = [] } = service.running.services.state.get('projects', 'default') ?? {};
    expect(environments).toContain('second');
    expect(environments).not.toContain('first');
  });

  it('takes away nothing that came later', async () => {
    await call('createEnvironment', undefined, { name: 'used', type: 'test' });
    const created = seq();
    await call('addEnvironmentToProject', inDefault, { environment: 'used' });
    const added = seq();
    await call('createFeature', inDefault, { name: 'later' });
    await call('toggleFeatureEnvironmentOn', { ...inDefault, featureName: 'later', environment: 'used' });
    for (const [revision, reason] of [
      [created, 'The environment used is in use: 1 projects refer to it.'],
      [added, 'The project default keeps the environment used: the flag later has settings in it that came later.'],
    ] as const) {
      const { status, body } = await undo(revision);
      expect([status, body.message]).toEqual([409, reason]);
    }
  });

  it('of a group of changes undoes the selected objects', async () => {
    await call('createProject', undefined, { id: 'picked', name: 'Picked' });
    await call('createEnvironment', undefined, { name: 'gone', type: 'test' });
    await call('addEnvironmentToProject', { projectId: 'picked' }, { environment: 'gone' });
    const token = await call('createApiToken', undefined, {
      tokenName: 'gone',
      type: 'client',
      environment: 'gone',
      projects: ['picked'],
    });
    expect(token.status).toBe(201);
    await call('removeEnvironment', { name: 'gone' });
    const revision = seq();
    const { state } = service.running.services;
    const one = await undo(revision, { entities: [{ type: 'environment', id: 'gone' }] });
    expect([one.status, one.body.undone]).toEqual([200, 1]);
    expect(state.get('environments', 'gone')).toBeDefined();
    expect(state.get('projects', 'picked')?.environments).not.toContain('gone');
    const rest = await undo(revision);
    expect([rest.status, rest.body.undone]).toEqual([200, 1]);
    expect(state.get('projects', 'picked')?.environments).toContain('gone');
    expect(rest.body.left).toEqual([
      { event: 'api-token-deleted', reason: expect.stringMatching(/^a token is not restored: passwords, sessions/) },
    ]);
    expect([...state.values('apiTokens')].some(({ tokenName }) => tokenName === 'gone')).toBe(false);
  });

  it('refuses what is never restored, with the reason', async () => {
    await call('createUser', undefined, { name: 'Ann', email: 'ann@example.org', rootRole: ROLE_ID.viewer });
    const { status, body } = await undo(seq());
    expect([status, body.name]).toEqual([400, 'ValidationError']);
    expect(body.message).toMatch(/cannot be undone \(user-created\): a user is not restored: passwords, sessions/);
    await putUser(service, 703, { rootRole: ROLE_ID.viewer });
    await prepare(service, (draft) => give(draft, 'default', 'user', 703, [ROLE_ID.member]));
    await call('deleteUser', { id: 703 });
    const gone = await undo(seq());
    expect([gone.status, gone.body.message]).toEqual([409, expect.stringMatching(/^The user 703 was deleted/)]);
    await call('updateProject', inDefault, { name: 'Request' });
    const request = await undo(seq(), { changeRequest: { environment: 'development' } });
    expect([request.status, request.body.message]).toEqual([400, expect.stringMatching(/changed the project default/)]);
  });

  it('is tried by a preview as it would be made', async () => {
    await call('updateTagType', { name: 'again' }, { description: 'previewed' });
    const revision = seq();
    const body = { undo: { revision }, environment: 'development', contexts: { given: [{}] } };
    const { body: shown } = await accepted(service, 'previewChanges', { body });
    expect(shown.changes).toEqual([expect.objectContaining({ action: 'undo', needsChangeRequest: false })]);
    expect(shown.flags).toEqual([]);
    await call('updateTagType', { name: 'again' }, { description: 'changed again' });
    const conflict = await service.call('previewChanges', { body });
    expect([conflict.status, conflict.body.details[0].path]).toEqual([409, '/tagTypes/again/description']);
  });
});

describe('the history of an object', () => {
  it('has its changes, those of a group with its members', async () => {
    const group = await call('createGroup', undefined, { name: 'shared', users: [{ user: { id: 701 } }] });
    const { id } = group.body;
    await call('updateGroup', { groupId: id }, { name: 'shown', users: [] });
    const read = async (query: string) => (await accepted(service, 'getHistory', { query })).body.entries;
    const entries = await read(`type=group&id=${id}`);
    const kinds = entries.map(({ changes }: { changes: { type: string; kind: string }[] }) =>
      changes.map(({ type, kind }) => `${type} ${kind}`).sort(),
    );
    expect(kinds).toEqual([
      ['group changed', 'group-member deleted'],
      ['group created', 'group-member created'],
    ]);
    const names = entries.map(({ changes }: { changes: { type: string; name: string }[] }) =>
      Object.fromEntries(changes.map(({ type, name }) => [type, name])),
    );
    const user = authorOf(service.running.services.state.get('users', '701') as User).name;
    expect(names).toEqual([
      { group: 'shown', 'group-member': `${user} in shared` },
      { group: 'shared', 'group-member': `${user} in shared` },
    ]);
    expect(await read(`type=group&id=${id}999`)).toEqual([]);
    const types = await read('type=tag-type&id=again');
    expect(types.length).toBeGreaterThan(4);
    const refused = await service.call('getHistory', { query: 'type=group' });
    expect([refused.status, refused.body.details[0].path]).toEqual([400, '/type']);
  });

  it('reads no roles, groups or members that it cannot list', async () => {
    const { state, eventIndex } = service.running.services;
    await call('createFeature', inDefault, { name: 'read.alone' });
    const created = state.seq;
    const decide = ({ draft, emit }: CommandContext) => {
      for (let holderId = 5_000; holderId < 5_020; holderId++) {
        give(draft, 'default', 'user', holderId, [ROLE_ID.member]);
        emit({ type: 'project-access-added', project: 'default' });
      }
    };
    const outcome = await service.running.services.writer.submit({ decide }, undefined, { id: 1, name: 'test' });
    expect(outcome).toHaveProperty('seq');
    const [from, to] = [(await eventIndex.upToDate()).firstIdAfter(created), (await eventIndex.upToDate()).nextId];
    const read = vi.spyOn(eventIndex, 'read');
    const readOf = async (operationId: string, params?: object, query?: string) => {
      read.mockClear();
      const { body } = await accepted(service, operationId, { params: params as never, query });
      return { body, hasRead: read.mock.calls.flat(2).some((id) => id >= from && id < to) };
    };
    const flag = { projectId: 'default', featureName: 'read.alone' };
    const ofFlag = await readOf('getFeatureHistory', flag, `before=${created + 1}`);
    expect([ofFlag.body.entries.length, ofFlag.hasRead]).toEqual([1, false]);
    const ofMember = await readOf('getHistory', undefined, 'type=project-access&id=user:5000:default');
    expect([ofMember.body.entries.length, ofMember.hasRead]).toEqual([1, true]);
    read.mockRestore();
  });
});
