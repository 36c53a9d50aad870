import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { SIGNAL_LIMITS } from '../../../src/features/signals/limits.ts';
import { projectRolesKey } from '../../../src/model/project-roles.ts';
import { ROLE_ID } from '../../../src/model/role.ts';
import { give } from '../../access/people.ts';
import { accepted, CONFLICT, eventsOf, FORBIDDEN, INVALID, MISSING, prepare, refused } from '../../support/admin.ts';
import { ManualClock } from '../../support/manual-clock.ts';
import { personalTokenOf, putUser } from '../../support/people.ts';
import { startTestService, type TestService } from '../../support/service.ts';
import { alertmanager, datadog, type SignalWorld, send, signalWorld, switching } from '../../support/signals.ts';
import { until } from '../../support/until.ts';

const DEFAULT = { projectId: 'default' };
const MINUTE_MS = 60_000;

let service: TestService;
let clock: ManualClock;
let world: SignalWorld;

beforeEach(async () => {
  clock = new ManualClock();
  service = await startTestService({ clock });
  world = await signalWorld(service, 'monitor');
  for (const name of ['checkout', 'banner']) await createOn(name);
});

afterEach(() => service.close());

const locationOf = (featureName: string, environment = 'development') => ({ ...DEFAULT, featureName, environment });
const turn = (position: 'On' | 'Off', name: string, environment?: string) =>
  accepted(service, `toggleFeatureEnvironment${position}`, { params: locationOf(name, environment) });

async function createOn(name: string): Promise<void> {
  await accepted(service, 'createFeature', { params: DEFAULT, body: { name } });
  await turn('On', name);
}

/** Whether the flag is on, as a poll of an SDK gets it. */
const isOn = async (name: string): Promise<boolean> => {
  const { features } = (await accepted(service, 'getAllClientFeatures')).body;
  return features.find((feature: { name: string }) => feature.name === name).enabled;
};
const create = async (body: object): Promise<number> =>
  (await accepted(service, 'createActionSet', { params: DEFAULT, body })).body.id;
const runsOf = async (id: number) =>
  (await accepted(service, 'getActionSetEvents', { params: { ...DEFAULT, id } })).body.events;
/** The executions of the set when there are as many, and none waits. */
const ended = (id: number, count: number) =>
  until(
    () => runsOf(id),
    (runs) => runs.length >= count && runs.every(({ state }: { state: string }) => state !== 'started'),
  );
const step = (action: 'ON' | 'OFF', featureName: string, environment = 'development') => ({
  action: `TOGGLE_FEATURE_${action}`,
  executionParams: { environment, featureName },
});

describe('a monitor', () => {
  it('Alertmanager switches a flag off when an alert fires, which SDKs see, and on when it is resolved', async () => {
    const named = (status: string) => ({
      status: { operator: 'IN', values: [status] },
      'commonLabels.alertname': { operator: 'IN', values: ['CheckoutErrors'] },
      'alerts.0.labels.severity': { operator: 'STR_STARTS_WITH', values: ['CRIT'], caseInsensitive: true },
    });
    const off = await create(switching(world, 'checkout', { name: 'off' }, named('firing')));
    const on = await create(
      switching(world, 'checkout', { name: 'on', actions: [step('ON', 'checkout')] }, named('resolved')),
    );
    expect(await isOn('checkout')).toBe(true);
    expect((await send(service, world, alertmanager('firing', 'DiskFull'))).status).toBe(202);
    const { id: signalId } = (await send(service, world, alertmanager())).body;
    expect(await ended(off, 1)).toMatchObject([
      {
        actionSetId: off,
        signalId,
        state: 'success',
        details: null,
        repeated: 0,
        actions: [{ action: 'TOGGLE_FEATURE_OFF', state: 'success', details: 'The flag was switched off.' }],
      },
    ]);
    expect(await isOn('checkout')).toBe(false);
    expect(await isOn('banner')).toBe(true);
    await send(service, world, alertmanager('resolved'));
    expect(await ended(on, 1)).toMatchObject([{ state: 'success' }]);
    expect(await isOn('checkout')).toBe(true);
    expect(await runsOf(off)).toHaveLength(1);
    const params = { id: world.endpointId };
    const { signalEndpointSignals } = (await accepted(service, 'getSignalEndpointSignals', { params })).body;
    const started = { project: 'default', state: 'success' };
    expect(signalEndpointSignals).toMatchObject([
      { executions: [{ ...started, actionSetId: on, actionSetName: 'on' }] },
      { id: signalId, executions: [{ ...started, actionSetId: off, actionSetName: 'off' }] },
      { executions: [] },
    ]);
  });

  it('Datadog switches a flag off by a text in the title and a custom field', async () => {
    const payload = {
      alert_transition: { operator: 'NOT_IN', values: ['Triggered', 'Re-Triggered'], inverted: true },
      title: { operator: 'REGEX', value: 'service:checkout' },
      'org.id': { operator: 'NUM_EQ', value: '1234567' },
    };
    const id = await create(switching(world, 'checkout', {}, payload));
    await send(service, world, datadog('Recovered'));
    await send(service, world, datadog());
    expect(await ended(id, 1)).toMatchObject([{ state: 'success' }]);
    expect(await isOn('checkout')).toBe(false);
  });

  it('makes changes in the name of the service account, with the signal as their reason', async () => {
    const id = await create(switching(world, 'checkout', { name: 'kill switch' }));
    let signalId = 0;
    const events = await eventsOf(service, async () => {
      signalId = (await send(service, world, datadog())).body.id;
      await ended(id, 1);
    });
    expect(events).toMatchObject([
      {
        type: 'feature-environment-disabled',
        featureName: 'checkout',
        environment: 'development',
        createdBy: 'robot-of-monitor',
        createdByUserId: world.actorId,
        reason: `Signal ${signalId} of the endpoint monitor, action set kill switch`,
      },
    ]);
  });
});

describe('an action set', () => {
  it('makes its actions in order, and none after a failure', async () => {
    await createOn('third');
    const actions = [
      { ...step('OFF', 'third'), sortOrder: 3 },
      { ...step('OFF', 'checkout'), sortOrder: 1 },
      { ...step('OFF', 'banner'), sortOrder: 2 },
    ];
    const id = await create(switching(world, 'checkout', { actions }));
    await accepted(service, 'archiveFeature', { params: { ...DEFAULT, featureName: 'banner' } });
    await send(service, world, {});
    const [run] = await ended(id, 1);
    expect(run).toMatchObject({
      state: 'failed',
      actions: [{ state: 'success' }, { state: 'failed' }, { state: 'not started', details: null }],
    });
    expect(run.actions[1].details).toContain('The feature banner does not exist in the project default.');
    expect([await isOn('checkout'), await isOn('third')]).toEqual([false, true]);
  });

  it('without filters follows every signal; a flag that is off already is no failure', async () => {
    const id = await create(switching(world, 'checkout'));
    await send(service, world, {});
    await send(service, world, { any: ['thing'] });
    const runs = await ended(id, 2);
    expect(runs.map(({ actions }: { actions: { details: string }[] }) => actions[0]?.details)).toEqual([
      'The flag was off already.',
      'The flag was switched off.',
    ]);
  });

  it('that is off, or of another endpoint, follows no signal', async () => {
    const other = await signalWorld(service);
    const off = await create(switching(world, 'checkout', { enabled: false }));
    const elsewhere = await create(switching({ ...world, endpointId: other.endpointId }, 'banner'));
    const sign = await create(switching(world, 'banner', { name: 'sign', actions: [step('ON', 'banner')] }));
    await send(service, world, {});
    await ended(sign, 1);
    expect([await runsOf(off), await runsOf(elsewhere)]).toEqual([[], []]);
    await accepted(service, 'toggleActionSetOn', { params: { ...DEFAULT, id: off } });
    await send(service, world, {});
    expect(await ended(off, 1)).toMatchObject([{ state: 'success' }]);
  });

  it('is listed, changed and deleted, each with an audit event', async () => {
    const payload = { 'a.b': { operator: 'IN', values: ['1'], inverted: true }, c: { operator: 'IN', values: [] } };
    const events = await eventsOf(service, async () => {
      const id = await create(switching(world, 'checkout', {}, payload));
      const params = { ...DEFAULT, id };
      const { body: set } = await accepted(service, 'getActionSet', { params });
      expect(set).toMatchObject({ id, project: 'default', enabled: true, description: null, actorId: world.actorId });
      expect(set.match).toEqual({ source: 'signal-endpoint', sourceId: world.endpointId, payload });
      expect(set.actions).toEqual([
        {
          id: 1,
          action: 'TOGGLE_FEATURE_OFF',
          sortOrder: 1,
          executionParams: { project: 'default', environment: 'development', featureName: 'checkout' },
        },
      ]);
      await accepted(service, 'updateActionSet', { params, body: switching(world, 'banner', { name: 'new' }) });
      await accepted(service, 'toggleActionSetOff', { params });
      const { actions } = (await accepted(service, 'getActionSets', { params: DEFAULT })).body;
      expect(actions).toMatchObject([{ id, name: 'new', enabled: false, match: { payload: {} } }]);
      await accepted(service, 'deleteActionSet', { params });
      await refused(service, 'getActionSet', MISSING, { params });
    });
    expect(events.map(({ type }) => type)).toEqual([
      'actions-created',
      'actions-updated',
      'actions-updated',
      'actions-deleted',
    ]);
    expect(events[0]).toMatchObject({ project: 'default', data: { name: 'set of checkout' } });
  });

  it('is refused if it names something that does not exist, or a filter without meaning', async () => {
    const body = (rest: object, payload = {}) => switching(world, 'checkout', rest, payload);
    await create(body({ name: 'taken' }));
    await refused(service, 'createActionSet', CONFLICT, { params: DEFAULT, body: body({ name: 'taken' }) });
    await refused(service, 'createActionSet', MISSING, { params: { projectId: 'none' }, body: body({}) });
    await putUser(service, 501);
    const source = (sourceId: number) => ({ match: { source: 'signal-endpoint', sourceId } });
    for (const wrong of [
      { actorId: 501 },
      { actorId: 999 },
      source(999),
      { actions: [] },
      { name: ' ' },
      ...[step('OFF', 'none'), step('OFF', 'checkout', 'none')].map((action) => ({ actions: [action] })),
      { actions: [{ ...step('OFF', 'checkout'), action: 'RUN' }] },
      { actions: [{ ...step('OFF', 'checkout'), executionParams: { ...locationOf('checkout'), project: 'other' } }] },
    ])
      await refused(service, 'createActionSet', INVALID, { params: DEFAULT, body: body(wrong) });
    for (const payload of [
      { a: { operator: 'NUM_GT', value: 'many' } },
      { a: { operator: 'IN' } },
      { a: { operator: 'REGEX', value: '(' } },
      { a: { operator: 'LIKE', value: 'x' } },
      { ['p'.repeat(101)]: { operator: 'IN', values: ['1'] } },
      { '': { operator: 'IN', values: ['1'] } },
    ])
      await refused(service, 'createActionSet', INVALID, { params: DEFAULT, body: body({}, payload) });
  });
});

describe('the rights of an action set', () => {
  it('are those of its service account when the action is made', async () => {
    const id = await create(switching(world, 'checkout'));
    await prepare(service, (draft) => draft.remove('projectRoles', projectRolesKey('default', 'user', world.actorId)));
    await send(service, world, {});
    const [run] = await ended(id, 1);
    expect(run.state).toBe('failed');
    expect(run.actions[0].details).toBe(
      'The service account robot-of-monitor was refused. You need the permission UPDATE_FEATURE_ENVIRONMENT in the project default for the environment development.',
    );
    await accepted(service, 'deleteServiceAccount', { params: { id: world.actorId } });
    await send(service, world, {});
    const [after] = await ended(id, 2);
    expect(after.actions[0].details).toBe(`There is no service account with the id ${world.actorId}.`);
    expect(await isOn('checkout')).toBe(true);
  });

  it('do not skip the review of a protected environment: the refusal is recorded', async () => {
    await turn('On', 'checkout', 'production');
    await accepted(service, 'updateProjectChangeRequestConfig', {
      params: { ...DEFAULT, environment: 'production' },
      body: { changeRequestsEnabled: true, requiredApprovals: 1 },
    });
    const id = await create(switching(world, 'checkout', { actions: [step('OFF', 'checkout', 'production')] }));
    await send(service, world, {});
    const [run] = await ended(id, 1);
    expect(run).toMatchObject({ state: 'failed', actions: [{ state: 'failed' }] });
    expect(run.actions[0].details).toContain('have to be reviewed');
    const { environments } = (
      await accepted(service, 'getFeature', { params: { ...DEFAULT, featureName: 'checkout' } })
    ).body;
    expect(environments.find(({ name }: { name: string }) => name === 'production').enabled).toBe(true);
  });

  it('are not more than those of the person who saves it', async () => {
    await putUser(service, 601);
    await putUser(service, 602);
    const custom = { id: 5_000, name: 'settings', description: '', type: 'custom' as const };
    await prepare(service, (draft) => {
      draft.put('roles', { ...custom, permissions: [{ name: 'PROJECT_SETTINGS_WRITE' }] });
      give(draft, 'default', 'user', 601, [custom.id]);
      give(draft, 'default', 'user', 602, [ROLE_ID.owner]);
    });
    const [settings, owner] = [await personalTokenOf(service, 601), await personalTokenOf(service, 602)];
    const body = switching(world, 'checkout');
    await refused(service, 'createActionSet', FORBIDDEN, { params: DEFAULT, body, token: settings });
    const { id } = (await accepted(service, 'createActionSet', { params: DEFAULT, body, token: owner })).body;
    const params = { ...DEFAULT, id };
    // To switch it off is always allowed, to switch it on again is not.
    await accepted(service, 'toggleActionSetOff', { params, token: settings });
    await refused(service, 'toggleActionSetOn', FORBIDDEN, { params, token: settings });
    await refused(service, 'updateActionSet', FORBIDDEN, { params, body, token: settings });
    const account = { username: 'mighty', name: 'Mighty', rootRole: ROLE_ID.admin };
    const { id: actorId } = (await accepted(service, 'createServiceAccount', { body: account })).body;
    const mighty = switching({ ...world, actorId }, 'checkout', { name: 'mighty' });
    const answer = await refused(service, 'createActionSet', FORBIDDEN, {
      params: DEFAULT,
      body: mighty,
      token: owner,
    });
    expect(answer.body.message).toContain('The service account Mighty may change the environment development without');
    await accepted(service, 'createActionSet', { params: DEFAULT, body: mighty });
  });

  it('belong to one project: others neither see nor change it', async () => {
    const id = await create(switching(world, 'checkout'));
    await accepted(service, 'createProject', { body: { id: 'other', name: 'Other' } });
    await putUser(service, 603);
    await prepare(service, (draft) => give(draft, 'other', 'user', 603, [ROLE_ID.owner]));
    const token = await personalTokenOf(service, 603);
    await refused(service, 'deleteActionSet', FORBIDDEN, { params: { ...DEFAULT, id }, token });
    for (const operation of ['getActionSet', 'deleteActionSet', 'toggleActionSetOff', 'getActionSetEvents'])
      await refused(service, operation, MISSING, { params: { projectId: 'other', id }, token });
  });
});

describe('the limits of actions', () => {
  it('bound what a set and a project have', async () => {
    const small = await startTestService({
      env: {
        UNLEASH_ACTION_SETS_PER_PROJECT_LIMIT: '1',
        UNLEASH_ACTION_SET_ACTIONS_LIMIT: '1',
        UNLEASH_ACTION_SET_FILTERS_LIMIT: '1',
        UNLEASH_ACTION_SET_FILTER_VALUES_LIMIT: '1',
      },
    });
    try {
      const own = await signalWorld(small);
      await accepted(small, 'createFeature', { params: DEFAULT, body: { name: 'checkout' } });
      const filter = (values: string[]) => ({ operator: 'IN', values });
      const attempt = (rest: object, payload: object = {}) =>
        refused(small, 'createActionSet', INVALID, {
          params: DEFAULT,
          body: switching(own, 'checkout', rest, payload),
        });
      const actions = [step('OFF', 'checkout'), step('ON', 'checkout')];
      expect((await attempt({ actions })).body.message).toContain('at most 1 actions of an action set');
      const two = await attempt({}, { a: filter(['1']), b: filter(['1']) });
      expect(two.body.message).toContain('at most 1 filters of an action set');
      const values = await attempt({}, { a: filter(['1', '2']) });
      expect(values.body.message).toContain('at most 1 values of a filter');
      const body = switching(own, 'checkout', {}, { a: filter(['1']) });
      await accepted(small, 'createActionSet', { params: DEFAULT, body });
      expect((await attempt({ name: 'second' })).body.message).toContain('at most 1 action sets of a project');
      const { resourceLimits } = (await accepted(small, 'getUiConfig')).body;
      expect(resourceLimits).toMatchObject({ actionSetsPerProject: 1, actionSetFilterValues: 1, signalEndpoints: 20 });
    } finally {
      await small.close();
    }
  });

  it('end a loop of two sets that switch a flag on and off in turns', async () => {
    const word = (value: string) => ({ word: { operator: 'IN', values: [value] } });
    const off = await create(switching(world, 'checkout', { name: 'off' }, word('off')));
    const on = await create(
      switching(world, 'checkout', { name: 'on', actions: [step('ON', 'checkout')] }, word('on')),
    );
    const { max } = SIGNAL_LIMITS.actionSwitches;
    for (let count = 0; count <= max; count++) {
      const [id, value] = count % 2 === 0 ? [off, 'off'] : [on, 'on'];
      await send(service, world, { word: value });
      await ended(id, Math.floor(count / 2) + 1);
    }
    const [newest] = await runsOf(off);
    expect(newest.actions[0].details).toContain(`Actions switched this flag ${max} times in ten minutes`);
    expect(await isOn('checkout')).toBe(true);
    clock.advance(11 * MINUTE_MS);
    await send(service, world, { word: 'off' });
    expect((await ended(off, max / 2 + 2))[0]).toMatchObject({ state: 'success' });
  });

  it('refuse too many executions of a set in a minute, and record the reason once with a count', async () => {
    const id = await create(switching(world, 'checkout'));
    const { max } = SIGNAL_LIMITS.actionRunsPerMinute;
    for (let count = 0; count < max + 3; count++) expect((await send(service, world, { count })).status).toBe(202);
    const runs = await ended(id, max + 1);
    expect(runs).toHaveLength(max + 1);
    expect(runs[0]).toMatchObject({ state: 'failed', repeated: 2, actions: [{ state: 'not started' }] });
    expect(runs[0].details).toBe(
      `The action set was executed ${max} times in the last minute: more executions are not made.`,
    );
    clock.advance(MINUTE_MS + 1);
    await send(service, world, {});
    expect((await ended(id, max + 2))[0]).toMatchObject({ state: 'success' });
  });

  it('let actions wait during maintenance, for at most an hour', async () => {
    const id = await create(switching(world, 'checkout'));
    const maintain = (enabled: boolean) => accepted(service, 'toggleMaintenance', { body: { enabled } });
    for (const [minutes, state] of [
      [61, 'failed'],
      [59, 'success'],
    ] as const) {
      await maintain(true);
      expect((await send(service, world, {})).status).toBe(202);
      expect(await isOn('checkout')).toBe(true);
      expect((await runsOf(id))[0]).toMatchObject({ state: 'started', actions: [{ state: 'started', details: null }] });
      clock.advance(minutes * MINUTE_MS);
      await maintain(false);
      const [run] = await ended(id, 1);
      expect(run.state).toBe(state);
      if (state === 'failed') expect(run.actions[0].details).toContain('The signal is older than an hour');
    }
    expect(await isOn('checkout')).toBe(false);
  });

  it('keep the newest executions', async () => {
    const id = await create(switching(world, 'checkout'));
    const { max } = SIGNAL_LIMITS.actionRunsKept;
    for (let count = 0; count < max + 2; count++) {
      clock.advance(7_000);
      await send(service, world, {});
    }
    const runs = await ended(id, max);
    expect(runs).toHaveLength(max);
  });
});

describe('a deleted project', () => {
  it('takes its action sets with it', async () => {
    await accepted(service, 'createProject', { body: { id: 'gone', name: 'Gone' } });
    await accepted(service, 'createFeature', { params: { projectId: 'gone' }, body: { name: 'leaving' } });
    const body = switching(world, 'leaving');
    await accepted(service, 'createActionSet', { params: { projectId: 'gone' }, body });
    await send(service, world, {});
    await accepted(service, 'archiveFeature', { params: { projectId: 'gone', featureName: 'leaving' } });
    await accepted(service, 'deleteProject', { params: { projectId: 'gone' } });
    const { state } = service.running.services;
    expect([state.size('actionSets'), state.size('actionRuns')]).toEqual([0, 0]);
    await accepted(service, 'deleteSignalEndpoint', { params: { id: world.endpointId } });
  });
});
