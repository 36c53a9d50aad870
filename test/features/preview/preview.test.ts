import { beforeEach, describe, expect, it } from 'vitest';
import { ROLE_ID } from '../../../src/model/role.ts';
import { give } from '../../access/people.ts';
import { accepted, CONFLICT, FORBIDDEN, flag, INVALID, MISSING, prepare, refused } from '../../support/admin.ts';
import { personalTokenOf, putUser } from '../../support/people.ts';
import { type CallOptions, useFreshService } from '../../support/service.ts';
import { stateDigest } from '../../support/state-digest.ts';

const DEVELOPMENT = { projectId: 'default', environment: 'development' };
const AT = '2026-01-01T00:00:00.000Z';

const service = useFreshService({ env: { PREVIEW_CONTEXTS_MAX: '20000' } });
/** A member of the project default, and a user who may only read. Neither sees the private project. */
let tokens: Record<'member' | 'viewer', string>;

beforeEach(async () => {
  tokens = { member: await tokenOf(101), viewer: await tokenOf(102) };
  await prepare(service, (draft) => give(draft, 'default', 'user', 101, [ROLE_ID.member]));
  await accepted(service, 'createFeature', { params: { projectId: 'default' }, body: { name: 'flag' } });
});

async function tokenOf(id: number): Promise<string> {
  await putUser(service, id, { rootRole: ROLE_ID.viewer });
  return personalTokenOf(service, id);
}

const ON = { action: 'updateEnabled', feature: 'flag', payload: { enabled: true } };
const PLACE = { project: 'default', environment: 'development' };
const rollout = (percentage: string, more: object = {}) => ({
  action: 'addStrategy',
  feature: 'flag',
  payload: {
    name: 'flexibleRollout',
    parameters: { rollout: percentage, stickiness: 'default', groupId: 'flag' },
    ...more,
  },
});

const options = (body: object, more: CallOptions = {}): CallOptions => ({ body: { ...PLACE, ...body }, ...more });

const preview = async (body: object, more: CallOptions = {}) =>
  (await accepted(service, 'previewChanges', options(body, more))).body;

const deny = (expected: Parameters<typeof refused>[2], body: object, more: CallOptions = {}) =>
  refused(service, 'previewChanges', expected, options(body, more));

/** A flag that is on for everybody in the environment development, in the private project `secret`. */
async function makeSecretFlag(more: Parameters<typeof flag>[1] = {}): Promise<void> {
  await prepare(service, (draft) => {
    const project = draft.get('projects', 'default');
    if (project) draft.put('projects', { ...project, id: 'secret', name: 'secret', mode: 'private' });
    draft.put('features', flag('hidden', { project: 'secret', ...more }));
  });
}

describe('a preview of unsaved changes', () => {
  it('counts the differences, and shows examples with the reasons before and after', async () => {
    const contexts = { madeUp: { count: 1_000 }, seed: 7 };
    const body = await preview({ changes: [rollout('30'), ON], contexts, examples: 2 });
    const [found] = body.flags;
    expect(found).toMatchObject({ name: 'flag', project: 'default', reason: 'changed', warnings: [] });
    expect(body.contexts).toBe(1_000);
    expect(found.counts).toMatchObject({ onToOff: 0, otherVariant: 0 });
    expect(found.counts.offToOn).toBeGreaterThan(200);
    expect(found.counts.offToOn + found.counts.unchanged).toBe(1_000);
    expect(found.examples.map(({ kind }: { kind: string }) => kind)).toEqual([
      'offToOn',
      'offToOn',
      'unchanged',
      'unchanged',
    ]);
    expect(found.examples[0].before).toMatchObject({ isEnabled: false, isEnabledInCurrentEnvironment: false });
    expect(found.examples[0].after.strategies.data[0].result).toEqual({ evaluationStatus: 'complete', enabled: true });
    expect(await preview({ changes: [rollout('30'), ON], contexts, examples: 0 })).toMatchObject({
      flags: [{ counts: found.counts, examples: [] }],
    });
  });

  it('changes nothing', async () => {
    const before = stateDigest(service.running.services.state);
    await preview({ changes: [rollout('30'), ON, { action: 'archiveFeature', feature: 'flag', payload: {} }] });
    expect(stateDigest(service.running.services.state)).toBe(before);
  });

  it('combines given contexts, legal values and made-up ids', async () => {
    const legalValues = ['NO', 'SE', '__proto__'].map((value) => ({ value }));
    await accepted(service, 'createContextField', { body: { name: 'country', legalValues } });
    const constraints = [{ contextName: 'country', operator: 'IN', values: ['NO'] }];
    const contexts = {
      given: [{ properties: { plan: 'free' } }, { appName: 'shop' }],
      legalValuesOf: ['country'],
      madeUp: { count: 5, field: 'sessionId' },
    };
    const body = await preview({ changes: [rollout('100', { constraints }), ON], contexts, examples: 20 });
    expect(body.contexts).toBe(30);
    expect(body.flags[0].counts).toEqual({ offToOn: 10, onToOff: 0, otherVariant: 0, unchanged: 20 });
    const on = body.flags[0].examples.filter(({ kind }: { kind: string }) => kind === 'offToOn');
    for (const { context } of on) expect(context.properties.country).toBe('NO');
    expect(new Set(on.map(({ context }: { context: { sessionId: string } }) => context.sessionId)).size).toBe(5);
  });

  it('uses one random number for each context, so that only the changes make a difference', async () => {
    const random = (rolloutText: string) => ({
      action: 'addStrategy',
      feature: 'flag',
      payload: { name: 'flexibleRollout', parameters: { rollout: rolloutText, stickiness: 'random', groupId: 'g' } },
    });
    for (const one of [random('50'), ON]) {
      const params = { ...DEVELOPMENT, featureName: 'flag' };
      if (one === ON) await accepted(service, 'toggleFeatureEnvironmentOn', { params });
      else await accepted(service, 'addFeatureStrategy', { params, body: one.payload });
    }
    const contexts = { madeUp: { count: 1_000, field: 'plan' } };
    const off = { name: 'default', disabled: true };
    const same = await preview({ changes: [{ action: 'addStrategy', feature: 'flag', payload: off }], contexts });
    expect(same.flags[0].counts).toEqual({ offToOn: 0, onToOff: 0, otherVariant: 0, unchanged: 1_000 });
    // On for about half of them, as before.
    expect(Math.abs(same.flags[0].staysOn - 500)).toBeLessThan(200);
    expect(new Set(same.flags[0].examples.map(({ kind }: { kind: string }) => kind))).toEqual(new Set(['unchanged']));
    const { counts } = (await preview({ changes: [random('80')], contexts })).flags[0];
    expect(counts).toMatchObject({ onToOff: 0, otherVariant: 0 });
    expect(counts.offToOn).toBeGreaterThan(200);
  });

  it('includes flags that use a changed segment, and flags that depend on a changed flag', async () => {
    await prepare(service, (draft) => {
      const strategy = { id: 's', name: 'default', title: null, disabled: false, sortOrder: 0, parameters: {} };
      const uses = { ...strategy, constraints: [], segments: [1], variants: [] };
      const environments = [{ environment: 'development', enabled: true, strategies: [uses], variants: [] }];
      draft.put('features', flag('parent', { environments }));
      const dependencies = [{ feature: 'parent', enabled: true, variants: [] }];
      const always = [{ ...environments[0], environment: 'development', strategies: [{ ...uses, segments: [] }] }];
      draft.put('features', flag('child', { dependencies, environments: always as typeof environments }));
      const constraints = [{ contextName: 'userId', operator: 'IN' as const, values: ['u'] }];
      const segment = { id: 1, name: 'users', description: null, project: null, createdBy: 'test', createdAt: AT };
      draft.put('segments', { ...segment, constraints });
    });
    const constraints = [{ contextName: 'userId', operator: 'IN', values: ['v'] }];
    const change = { action: 'updateSegment', payload: { id: 1, name: 'users', constraints } };
    const contexts = { given: [{ userId: 'u' }, { userId: 'v' }, { userId: 'w' }] };
    const counts = { offToOn: 1, onToOff: 1, otherVariant: 0, unchanged: 1 };
    const { flags } = await preview({ changes: [change], contexts });
    expect(flags).toMatchObject([
      { name: 'child', reason: 'parent', counts },
      { name: 'parent', reason: 'segment', counts },
    ]);
    const selected = await preview({ changes: [change], contexts, features: ['child'] });
    expect(selected.flags.map(({ name }: { name: string }) => name)).toEqual(['child']);
  });

  it('shows cost and bytes beside their limits, and warns of rules that are never true', async () => {
    await accepted(service, 'createStrategy', { body: { name: 'custom', parameters: [] } });
    const custom = { action: 'addStrategy', feature: 'flag', payload: { name: 'custom' } };
    const [found] = (await preview({ changes: [custom, rollout('50')] })).flags;
    expect(found.warnings).toMatchObject([{ message: 'unknown strategy "custom"' }]);
    for (const measure of ['evaluationCost', 'featureBytes', 'storedFeatureBytes']) {
      const { before, after, limit } = found.measures[measure];
      expect(after, measure).toBeGreaterThan(before);
      expect(limit, measure).toBeGreaterThan(after);
    }
    const params = { ...DEVELOPMENT, featureName: 'flag' };
    for (const { payload } of [custom, rollout('50')])
      await accepted(service, 'addFeatureStrategy', { params, body: payload });
    const { measures } = (await accepted(service, 'getFeatureEnvironment', { params })).body;
    for (const [name, { after, limit }] of Object.entries<Record<string, number>>(found.measures)) {
      expect(measures[name]).toEqual({ value: after, limit });
    }
  });

  it('says that a change of a protected environment needs a change request', async () => {
    const params = { projectId: 'default', environment: 'production' };
    const config = { changeRequestsEnabled: true, requiredApprovals: 1 };
    await accepted(service, 'updateProjectChangeRequestConfig', { params, body: config });
    const member = { token: tokens.member };
    const body = await preview({ environment: 'production', changes: [ON] }, member);
    expect(body.changes).toEqual([
      {
        action: 'updateEnabled',
        feature: 'flag',
        needsChangeRequest: true,
        reason: expect.stringContaining('have to be reviewed'),
        review: { project: 'default', environment: 'production' },
      },
    ]);
    expect(body.flags[0].counts).toMatchObject({ offToOn: 1_000 });
    const open = await preview({ changes: [ON] }, member);
    expect(open.changes).toMatchObject([{ needsChangeRequest: false, reason: null }]);
  });

  it('refuses what the save would refuse, with the same text', async () => {
    const params = { ...DEVELOPMENT, featureName: 'flag' };
    const viewer = { token: tokens.viewer };
    const denied = await service.call('toggleFeatureEnvironmentOn', { params, ...viewer });
    const answer = await deny(FORBIDDEN, { changes: [ON] }, viewer);
    expect(answer.body.message).toBe(denied.body.message);
    expect(answer.body.details[0].path).toBe('/changes/0');
    const bad = { name: 'flexibleRollout', parameters: { rollout: '200' } };
    const invalidSave = await service.call('addFeatureStrategy', { params, body: bad });
    const invalidAnswer = await deny(INVALID, { changes: [ON, { ...rollout('1'), payload: bad }] });
    expect(invalidAnswer.body.message).toBe(invalidSave.body.message);
    expect(invalidAnswer.body.details[0].path).toBe('/changes/1/parameters/rollout');
    await deny(MISSING, { changes: [{ ...ON, feature: 'missing' }] });
    const many = Array.from({ length: 31 }, () => rollout('1'));
    expect((await deny(INVALID, { changes: many })).body.message).toContain('at most 30 strategies');
    await accepted(service, 'toggleMaintenance', { body: { enabled: true } });
    await deny([503, 'ServiceUnavailableError'], { changes: [ON] });
    await accepted(service, 'toggleMaintenance', { body: { enabled: false } });
  });

  it('refuses incomplete requests, too many contexts and too much work', async () => {
    await deny(INVALID, {});
    await deny(INVALID, { changes: [ON], changeRequest: 1 });
    await deny(INVALID, { changes: [ON], environment: undefined });
    await deny(INVALID, { changes: [ON], project: undefined });
    await deny(INVALID, { changes: [ON], contexts: { madeUp: { count: 20_001 } } });
    await deny(INVALID, { changes: [ON], contexts: { legalValuesOf: ['missing'] } });
    await deny(INVALID, { changes: [ON], contexts: { madeUp: { count: 2, field: 'environment' } } });
    const late = await deny(INVALID, { changes: [ON], contexts: { given: [{}, { currentTime: 'later' }] } });
    expect(late.body.details[0].path).toBe('/contexts/given/1/currentTime');
    const madeUp = await deny(INVALID, { changes: [ON], contexts: { madeUp: { count: 2, field: 'currentTime' } } });
    expect(madeUp.body.message).toContain('currentTime is not a date');
    const variants = ['blue', 'red'].map((name) => ({
      name,
      weight: 500,
      weightType: 'variable',
      stickiness: 'default',
    }));
    const dear = Array.from({ length: 30 }, () => rollout('1', { variants }));
    const contexts = { given: [{ userId: 'y'.repeat(4_000) }], madeUp: { count: 20_000, field: 'id' } };
    const tooMuch = await deny([413, 'PayloadTooLargeError'], { changes: dear, contexts });
    expect(tooMuch.body.message).toContain('Send fewer contexts');
  });

  it('limits the previews in progress of each caller and in total', async () => {
    const { previewQuota } = service.running.services;
    const member = { token: tokens.member };
    while (previewQuota.take('101'));
    await deny([429, 'TooManyRequestsError'], { changes: [ON] }, member);
    await preview({ changes: [ON] });
    previewQuota.give('101');
    await preview({ changes: [ON] }, member);
    await deny(INVALID, {}, member);
    await preview({ changes: [ON] }, member);
    for (let other = 0; previewQuota.take(`other ${other}`); other++);
    await deny([429, 'TooManyRequestsError'], { changes: [ON] });
  });

  it('evaluates the contexts of saved sets that the caller may read', async () => {
    const constraints = [{ contextName: 'country', operator: 'IN', values: ['NO'] }];
    const changes = [rollout('100', { constraints }), ON];
    await accepted(service, 'createContextField', {
      body: { name: 'plan', legalValues: [{ value: 'free' }, { value: 'paid' }] },
    });
    const contextsIn = (...countries: string[]) => countries.map((country) => ({ properties: { country } }));
    const save = async (body: object, token = tokens.member) =>
      (await accepted(service, 'createOwnContextSet', { body, token })).body.id as number;
    const own = await save({ name: 'own', contexts: contextsIn('NO', 'SE', 'NO') });
    const shared = await save({ name: 'shared', project: 'default', contexts: contextsIn('DK') });
    const empty = await save({ name: 'empty', contexts: [] });
    const token = { token: tokens.member };
    const counts = async (contexts: object, caller: CallOptions = token) => {
      const { flags, contexts: count } = await preview({ changes, contexts }, caller);
      return [count, flags[0].counts.offToOn];
    };
    expect(await counts({ sets: [own] })).toEqual([3, 2]);
    expect(await counts({ sets: [own, shared], given: contextsIn('NO', 'NO') })).toEqual([6, 4]);
    expect(await counts({ sets: [own, shared], legalValuesOf: ['plan'] })).toEqual([8, 4]);
    await deny(INVALID, { changes, contexts: { sets: [empty] } }, token);
    await deny(MISSING, { changes, contexts: { sets: [999] } }, token);
    // An admin token belongs to no user.
    await deny(INVALID, { changes, contexts: { sets: [shared] } });
    await prepare(service, (draft) => give(draft, 'default', 'user', 102, [ROLE_ID.member]));
    const other = { token: tokens.viewer };
    expect(await counts({ sets: [shared], given: contextsIn('NO') }, other)).toEqual([2, 1]);
    await deny(MISSING, { changes, contexts: { sets: [own] } }, other);
  });

  it('neither shows nor counts flags of projects that the caller may not see', async () => {
    const strategy = { id: 's', name: 'default', title: null, disabled: false, sortOrder: 0, parameters: {} };
    const strategies = [{ ...strategy, constraints: [], segments: [1], variants: [] }];
    await makeSecretFlag({ environments: [{ environment: 'development', enabled: true, strategies, variants: [] }] });
    await prepare(service, (draft) => {
      const constraints = [{ contextName: 'userId', operator: 'IN' as const, values: ['u'] }];
      const segment = { id: 1, name: 'users', description: null, project: 'default', createdBy: 'test', createdAt: AT };
      draft.put('segments', { ...segment, constraints });
    });
    await putUser(service, 103, { rootRole: ROLE_ID.viewer });
    await prepare(service, (draft) => give(draft, 'default', 'user', 103, [ROLE_ID.owner]));
    const caller = { token: await personalTokenOf(service, 103) };
    const constraints = [{ contextName: 'userId', operator: 'IN', values: ['v'] }];
    const changes = [{ action: 'updateSegment', payload: { id: 1, name: 'users', project: 'default', constraints } }];
    expect((await preview({ changes })).flags).toMatchObject([{ name: 'hidden' }]);
    const answer = await service.call('previewChanges', options({ changes }, caller));
    expect(answer.status).toBe(200);
    expect(answer.body.flags).toEqual([]);
    expect(answer.text).not.toMatch(/hidden|secret/);
    const inside = await service.call('previewChanges', options({ changes, project: 'secret' }, caller));
    const missing = await service.call('previewChanges', options({ changes, project: 'nothing' }, caller));
    expect(inside.status).toBe(404);
    expect(inside.body.message).toBe(missing.body.message.replace('nothing', 'secret'));
  });
});

describe('a preview of a change request', () => {
  const PRODUCTION = { projectId: 'default', environment: 'production' };

  async function makeRequest(change: object): Promise<number> {
    const config = { changeRequestsEnabled: true, requiredApprovals: 1 };
    await accepted(service, 'updateProjectChangeRequestConfig', { params: PRODUCTION, body: config });
    const answer = await accepted(service, 'createChangeRequest', { params: PRODUCTION, body: change });
    return answer.body.id;
  }

  it('shows the stored changes as if they were applied, to everybody who may read them', async () => {
    const changeRequest = await makeRequest(ON);
    const body = { project: undefined, environment: undefined, changeRequest };
    const { flags, changes } = await preview(body);
    expect(changes).toMatchObject([{ action: 'updateEnabled', feature: 'flag', needsChangeRequest: false }]);
    expect(flags[0].counts).toMatchObject({ offToOn: 1_000 });
    // The request is a draft: only its author and admins see it.
    await deny(INVALID, body, { token: tokens.viewer });
    const params = { projectId: 'default', id: changeRequest };
    await accepted(service, 'changeChangeRequestState', { params, body: { state: 'In review' } });
    expect((await preview(body, { token: tokens.viewer })).flags).toHaveLength(1);
    await accepted(service, 'changeChangeRequestState', { params, body: { state: 'Cancelled' } });
    await deny(INVALID, body);
    await deny(INVALID, { changeRequest: 99 });
  });

  it('refuses a request whose changes can no longer be made', async () => {
    const changeRequest = await makeRequest(ON);
    await accepted(service, 'archiveFeature', { params: { projectId: 'default', featureName: 'flag' } });
    const { body } = await deny(CONFLICT, { ...PLACE, environment: 'production', changeRequest });
    expect(body.message).toContain(`The change request ${changeRequest} cannot be applied`);
  });
});
