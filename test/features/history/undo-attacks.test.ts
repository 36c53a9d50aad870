import { beforeAll, describe, expect, it } from 'vitest';
import type { CommandContext } from '../../../src/engine/command.ts';
import { HISTORY_TYPES } from '../../../src/features/shared/recorded.ts';
import { locationKey } from '../../../src/model/change-request.ts';
import { LAST_BUILT_IN, ROLE_ID } from '../../../src/model/role.ts';
import { customRole, give } from '../../access/people.ts';
import { accepted, CONFLICT, FORBIDDEN, flag, MISSING, prepare, refused } from '../../support/admin.ts';
import { personalTokenOf, putUser } from '../../support/people.ts';
import { useService } from '../../support/service.ts';

const [VIEWER, MAKER, OWNER, SEGMENTS] = [901, 902, 903, 904];
/** May create and delete flags, and switches none. */
const MAKER_ROLE = LAST_BUILT_IN + 91;
/** May change global segments, and no flag. */
const SEGMENTS_ROLE = LAST_BUILT_IN + 92;

const service = useService();
const tokens = new Map<number, string>();

beforeAll(async () => {
  for (const id of [VIEWER, MAKER, OWNER]) {
    await putUser(service, id, { rootRole: ROLE_ID.viewer });
    tokens.set(id, await personalTokenOf(service, id));
  }
  await putUser(service, SEGMENTS, { rootRole: SEGMENTS_ROLE });
  tokens.set(SEGMENTS, await personalTokenOf(service, SEGMENTS));
  await prepare(service, (draft) => {
    draft.put('roles', customRole(91, 'custom', [{ name: 'CREATE_FEATURE' }, { name: 'DELETE_FEATURE' }]));
    draft.put('roles', customRole(92, 'root-custom', [{ name: 'UPDATE_SEGMENT' }]));
    give(draft, 'default', 'user', MAKER, [MAKER_ROLE]);
  });
});

const seq = () => service.running.services.state.seq;
const call = (operationId: string, params?: object, body?: object) =>
  accepted(service, operationId, { ...(params && { params: params as never }), ...(body && { body }) });

const undoOf = (revision: number, user?: number, body: object = {}) => ({
  params: { revision },
  body,
  ...(user !== undefined && { token: tokens.get(user) as string }),
});

const undo = (revision: number, user?: number) => accepted(service, 'undoRevision', undoOf(revision, user));

/** A commit of several changes, as an import makes it. Returns its revision. */
async function commit(change: (context: CommandContext) => void): Promise<number> {
  const by = { id: 1, name: 'test' };
  expect(await service.running.services.writer.submit({ decide: change }, undefined, by)).toHaveProperty('seq');
  return seq();
}

describe('an undo makes no change that an ordinary edit refuses', () => {
  it('does not switch a flag on for a caller who may only create it', async () => {
    const environments = ['development', 'production'].map((environment) => ({
      environment,
      enabled: environment === 'development',
      variants: [],
      strategies: [],
    }));
    const imported = await commit(({ draft, emit }) => {
      draft.put('features', flag('attack.on', { environments }));
      emit({ type: 'feature-created', project: 'default', featureName: 'attack.on' });
    });
    await undo(imported, MAKER);
    const removed = seq();
    const { body } = await refused(service, 'undoRevision', FORBIDDEN, undoOf(removed, MAKER));
    expect(body.message).toContain('UPDATE_FEATURE_ENVIRONMENT');
    await undo(removed);
    expect(service.running.services.state.get('features', 'attack.on')?.environments[0]?.enabled).toBe(true);
  });

  it('requests no changes for a caller who may not request them', async () => {
    const params = { projectId: 'requests', environment: 'development' };
    await call('createProject', undefined, { id: 'requests', name: 'requests' });
    await call('createFeature', params, { name: 'attack.segment' });
    const { id } = (await call('createSegment', undefined, { name: 'attacked', constraints: [] })).body;
    const unchanged = service.running.services.state.get('features', 'attack.segment');
    const revision = await commit(({ draft, emit }) => {
      const [feature, segment] = [draft.get('features', 'attack.segment'), draft.get('segments', String(id))];
      const environments = [{ environment: 'development', enabled: true, strategies: [], variants: [] }];
      if (feature) draft.put('features', { ...feature, environments });
      if (segment) draft.put('segments', { ...segment, description: 'changed' });
      emit({ type: 'segment-updated' });
    });
    // The flag is as it was already, so only the segment would be in the request.
    await commit(({ draft, emit }) => {
      if (unchanged) draft.put('features', unchanged);
      emit({ type: 'feature-updated', project: 'requests', featureName: 'attack.segment' });
    });
    const settings = { changeRequestsEnabled: true, requiredApprovals: 1 };
    await call('updateProjectChangeRequestConfig', params, settings);
    const body = { changeRequest: { environment: 'development' } };
    await refused(service, 'undoRevision', FORBIDDEN, undoOf(revision, VIEWER, body));
    await accepted(service, 'undoRevision', undoOf(revision, SEGMENTS, body));
  });

  it('requests nothing in a project that the caller may not see, or in which the caller may request nothing', async () => {
    const environment = 'development';
    for (const [id, mode, isProtected] of [
      ['unseen', 'private', true],
      ['unseen-open', 'private', false],
      ['foreign', 'open', true],
      ['own', 'open', false],
    ] as const) {
      await call('createProject', undefined, { id, name: id, mode });
      const settings = { changeRequestsEnabled: isProtected, requiredApprovals: 1 };
      await call('updateProjectChangeRequestConfig', { projectId: id, environment }, settings);
    }
    await call('setRolesForProjectUser', { projectId: 'own', id: OWNER }, { roles: [ROLE_ID.owner] });
    const fields = { name: 'owned', project: 'own', constraints: [] };
    const { id } = (await call('createSegment', undefined, fields)).body;
    await call('updateSegment', { id }, { ...fields, description: 'changed' });
    const revision = seq();
    const answerIn = async (project: string) => {
      const body = { changeRequest: { environment, project } };
      const answer = await refused(service, 'undoRevision', FORBIDDEN, undoOf(revision, OWNER, body));
      return String(answer.body.message).replaceAll(project, '…');
    };
    const missing = await answerIn('missing');
    for (const project of ['unseen', 'unseen-open', 'foreign']) expect(await answerIn(project)).toBe(missing);
  });

  it('does not change the settings of an archived project', async () => {
    await call('createProject', undefined, { id: 'put-away', name: 'Before' });
    await call('updateProject', { projectId: 'put-away' }, { name: 'After' });
    const renamed = seq();
    await call('archiveProject', { projectId: 'put-away' });
    await refused(service, 'undoRevision', MISSING, undoOf(renamed));
  });

  it('does not add an environment that is switched off to a project', async () => {
    await call('createEnvironment', undefined, { name: 'sleeping', type: 'test' });
    await call('addEnvironmentToProject', { projectId: 'default' }, { environment: 'sleeping' });
    await call('removeEnvironmentFromProject', { projectId: 'default', environment: 'sleeping' });
    const removed = seq();
    await call('toggleEnvironmentOff', { name: 'sleeping' });
    await refused(service, 'undoRevision', CONFLICT, undoOf(removed));
  });
});

describe('an undo gives no access to another project with the name of a deleted one', () => {
  it('names the project that was created since', async () => {
    await call('createProject', undefined, { id: 'taken', name: 'First', mode: 'private' });
    const group = (await call('createGroup', undefined, { name: 'takers', users: [{ user: { id: VIEWER } }] })).body.id;
    await call('setRolesForProjectGroup', { projectId: 'taken', id: group }, { roles: [ROLE_ID.member] });
    await call('deleteGroup', { groupId: group });
    const revision = seq();
    await call('deleteProject', { projectId: 'taken' });
    await call('createProject', undefined, { id: 'taken', name: 'Second', mode: 'private' });
    const { body } = await refused(service, 'undoRevision', CONFLICT, undoOf(revision));
    expect(body.message).toContain('The project taken was created after');
    const entities = [{ type: 'group', id: String(group) }];
    await accepted(service, 'undoRevision', undoOf(revision, undefined, { entities }));
    await refused(service, 'getProject', MISSING, {
      params: { projectId: 'taken' },
      token: tokens.get(VIEWER) as string,
    });
  });
});

describe('a private project', () => {
  it('is in no history by type and id, and in no answer of an undo, for callers who may not see it', async () => {
    await call('createProject', undefined, { id: 'veiled', name: 'veiled secret', mode: 'private' });
    await call('createProject', undefined, { id: 'shown', name: 'shown' });
    await call('setRolesForProjectUser', { projectId: 'shown', id: OWNER }, { roles: [ROLE_ID.owner] });
    await call('createSegment', undefined, { name: 'veiledSegment', project: 'veiled', constraints: [] });
    const { state } = service.running.services;
    const [segment] = [...state.values('segments')].filter(({ project }) => project === 'veiled');
    // One commit in both projects.
    const both = await commit(({ draft, emit, now }) => {
      for (const id of ['veiled', 'shown']) {
        const project = draft.get('projects', id);
        if (project) draft.put('projects', { ...project, description: `described ${id}` });
        const location = { project: id, environment: 'development' };
        draft.put('changeRequestConfigs', { ...location, enabled: true, requiredApprovals: 1 });
        const strategy = { id: `1-${id}`, name: 'default', title: null, disabled: false, sortOrder: 0 };
        const content = { parameters: {}, constraints: [], segments: [], variants: [] };
        draft.put('defaultStrategies', { ...location, strategy: { ...strategy, ...content } } as never);
        draft.put('projectRoles', {
          project: id,
          holder: 'user',
          holderId: MAKER,
          roles: [ROLE_ID.member],
          createdAt: now,
        });
        draft.put('features', flag(`${id}.flag`, { project: id }));
        emit({ type: 'project-updated', project: id });
      }
    });
    const ids = [
      'veiled',
      'veiled/development',
      `user:${MAKER}:veiled`,
      'veiled.flag',
      String(segment?.id),
      '1-veiled',
    ];
    const token = tokens.get(VIEWER) as string;
    for (const type of HISTORY_TYPES) {
      for (const id of ids) {
        const query = new URLSearchParams({ type, id }).toString();
        // A number is also the id of another object, such as a group.
        const { text } = await accepted(service, 'getHistory', { query, token });
        expect(text, query).not.toContain('veiled');
      }
    }
    await call('updateProject', { projectId: 'veiled' }, { description: 'changed again' });
    const { text } = await accepted(service, 'undoRevision', undoOf(both, OWNER, { entities: shownEntities }));
    expect(text).not.toContain('veiled');
    expect(state.get('projects', 'veiled')?.description).toBe('changed again');
    expect(state.get('features', 'veiled.flag')).toBeDefined();
    expect(state.get('changeRequestConfigs', locationKey('veiled', 'development'))?.enabled).toBe(true);
    expect(state.get('defaultStrategies', 'veiled/development')).toBeDefined();
    // The commit created these settings of the other project; the undo removed them.
    expect(state.get('projects', 'shown')?.description).not.toBe('described shown');
    expect(state.get('changeRequestConfigs', locationKey('shown', 'development'))).toBeUndefined();
    expect(state.get('defaultStrategies', 'shown/development')).toBeUndefined();
    const query = 'type=change-request-settings&id=shown';
    expect((await accepted(service, 'getHistory', { query })).body.entries).toHaveLength(2);
  });
});

const shownEntities = [
  { type: 'project', id: 'shown' },
  { type: 'change-request-settings', id: 'shown' },
  { type: 'default-strategy', id: 'shown' },
];

describe('a conflict', () => {
  it('lists current values only up to a limit of characters', async () => {
    const big = 'x'.repeat(90_000);
    const values = (text: string) => [{ contextName: 'userId', operator: 'IN', values: [text], inverted: false }];
    const put = (text: string) =>
      commit(({ draft, emit }) => {
        for (let id = 5_000; id < 5_050; id++) {
          const rest = { description: null, project: null, createdBy: 'test', createdAt: '2026-01-01T00:00:00.000Z' };
          draft.put('segments', { id, name: `big-${id}`, constraints: values(text), ...rest } as never);
          emit({ type: 'segment-updated' });
        }
      });
    await put('first');
    const revision = await put('second');
    await put(big);
    const { body, text } = await refused(service, 'undoRevision', CONFLICT, undoOf(revision));
    expect(body.message).toMatch(/^50 fields were changed again/);
    expect(body.details.length).toBeGreaterThan(1);
    expect(text.length).toBeLessThan(1_500_000);
  });
});
