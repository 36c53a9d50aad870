import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { signalEndpointEndpoints } from '../../../src/features/signals/endpoints/routes.ts';
import { SIGNAL_LIMITS } from '../../../src/features/signals/limits.ts';
import { ROLE_ID } from '../../../src/model/role.ts';
import {
  accepted,
  CONFLICT,
  eventsOf,
  FORBIDDEN,
  INVALID,
  MISSING,
  NOT_ALLOWED,
  refused,
  UNAUTHENTICATED,
} from '../../support/admin.ts';
import { ManualClock } from '../../support/manual-clock.ts';
import { personalTokenOf, putUser } from '../../support/people.ts';
import { startTestService, type TestService } from '../../support/service.ts';
import { alertmanager, bearer, type SignalWorld, send, signalWorld, switching } from '../../support/signals.ts';
import { until } from '../../support/until.ts';

const TOO_LARGE = [413, 'PayloadTooLargeError'] as const;
const TOO_MANY = [429, 'TooManyRequestsError'] as const;

let service: TestService;
let clock: ManualClock;

beforeAll(async () => {
  clock = new ManualClock();
  service = await startTestService({ clock, env: { UNLEASH_SIGNAL_TOKENS_PER_ENDPOINT_LIMIT: '2' } });
});

afterAll(() => service.close());

const signalsOf = async (id: number) =>
  (await accepted(service, 'getSignalEndpointSignals', { params: { id } })).body.signalEndpointSignals;

describe('a signal endpoint', () => {
  it('is not deleted while an action set uses it', async () => {
    const { endpointId: id } = await signalWorld(service, 'taken');
    await accepted(service, 'createFeature', { params: { projectId: 'default' }, body: { name: 'used' } });
    const world = { endpointId: id, tokenId: 0, token: '', actorId: (await signalWorld(service, 'of-used')).actorId };
    const set = await accepted(service, 'createActionSet', {
      params: { projectId: 'default' },
      body: switching(world, 'used'),
    });
    await refused(service, 'deleteSignalEndpoint', CONFLICT, { params: { id } });
    await accepted(service, 'deleteActionSet', { params: { projectId: 'default', id: set.body.id } });
    await accepted(service, 'deleteSignalEndpoint', { params: { id } });
  });

  it('is changed, and its signals are read, by admins only; all users see it', async () => {
    await putUser(service, 901, { rootRole: ROLE_ID.editor });
    const token = await personalTokenOf(service, 901);
    const { endpointId: id, tokenId } = await signalWorld(service);
    await accepted(service, 'getSignalEndpoints', { token });
    await accepted(service, 'getSignalEndpoint', { params: { id }, token });
    const body = { name: 'x' };
    for (const { operationId, access, ...route } of signalEndpointEndpoints) {
      const options = { params: { id, tokenId }, token, ...(route.body && { body }) };
      if (access.permission === 'ADMIN') await refused(service, operationId, FORBIDDEN, options);
    }
  });
});

describe('a token of a signal endpoint', () => {
  it('is shown once and stored as a hash, and ends when it is deleted', async () => {
    const world = await signalWorld(service);
    const { endpointId: id, token, tokenId } = world;
    expect(token).toMatch(/^signal:[0-9a-f]{56}$/);
    const { text } = await accepted(service, 'getSignalEndpoint', { params: { id } });
    expect(text).not.toContain(token);
    expect(text).not.toContain('sha256');
    expect(JSON.stringify(service.running.services.state.get('signalEndpoints', String(id)))).not.toContain(token);
    const params = { id, tokenId };
    await accepted(service, 'updateSignalEndpointToken', { params, body: { name: 'renamed' } });
    expect((await send(service, world, { a: 1 })).status).toBe(202);
    const events = await eventsOf(service, () => accepted(service, 'deleteSignalEndpointToken', { params }));
    expect(events).toMatchObject([{ type: 'signal-endpoint-token-deleted', preData: { name: 'renamed' } }]);
    expect(JSON.stringify(events)).not.toMatch(/sha256|signal:/);
    expect((await send(service, world, { a: 1 })).status).toBe(401);
  });

  it('has a unique name, and an endpoint has a limited number of tokens', async () => {
    const { endpointId: id, tokenId } = await signalWorld(service);
    await refused(service, 'createSignalEndpointToken', CONFLICT, { params: { id }, body: { name: 'cluster' } });
    await accepted(service, 'createSignalEndpointToken', { params: { id }, body: { name: 'second' } });
    const params = { id, tokenId };
    await refused(service, 'updateSignalEndpointToken', CONFLICT, { params, body: { name: 'second' } });
    const answer = await refused(service, 'createSignalEndpointToken', INVALID, {
      params: { id },
      body: { name: 'third' },
    });
    expect(answer.body.message).toContain('at most 2 tokens of a signal endpoint');
    const missing = { id, tokenId: 999 };
    await refused(service, 'updateSignalEndpointToken', MISSING, { params: missing, body: { name: 'x' } });
    await refused(service, 'deleteSignalEndpointToken', MISSING, { params: missing });
  });
});

describe('a signal', () => {
  it('is accepted with a token of the endpoint, and listed with its content, newest first', async () => {
    const world = await signalWorld(service);
    const first = await send(service, world, alertmanager());
    const second = await send(service, world, { __proto__: null, state: 'ok' });
    expect([first.status, second.status]).toEqual([202, 202]);
    const listed = await signalsOf(world.endpointId);
    expect(listed).toMatchObject([
      { id: second.body.id, source: 'signal-endpoint', sourceId: world.endpointId, payload: { state: 'ok' } },
      { id: first.body.id, createdByTokenId: world.tokenId, payload: alertmanager() },
    ]);
  });

  it('is refused without a token of the endpoint: the answer does not show which endpoints exist', async () => {
    const world = await signalWorld(service, 'guarded');
    const other = await signalWorld(service);
    const body = {};
    const answers = [];
    for (const [name, options] of [
      ['guarded', {}],
      ['guarded', bearer('signal:wrong')],
      ['guarded', bearer(other.token)],
      ['guarded', { headers: { authorization: '*:*.test-admin' } }],
      ['missing', bearer(other.token)],
    ] as const)
      answers.push(await refused(service, 'sendSignal', UNAUTHENTICATED, { params: { name }, body, ...options }));
    expect(new Set(answers.map((answer) => answer.body.message)).size).toBe(1);
    expect(await signalsOf(world.endpointId)).toEqual([]);
    // The token is of no use elsewhere.
    await refused(service, 'getSignalEndpoints', UNAUTHENTICATED, { token: null, ...bearer(world.token) });
  });

  it('is refused while the endpoint is off', async () => {
    const world = await signalWorld(service, 'sleeping');
    const params = { id: world.endpointId };
    const [event] = await eventsOf(service, () => accepted(service, 'toggleSignalEndpointOff', { params }));
    expect(event).toMatchObject({
      type: 'signal-endpoint-updated',
      data: { enabled: false },
      preData: { enabled: true },
    });
    const options = { params: { name: 'sleeping' }, body: {}, ...bearer(world.token) };
    await refused(service, 'sendSignal', NOT_ALLOWED, options);
    await accepted(service, 'toggleSignalEndpointOn', { params: { id: world.endpointId } });
    await accepted(service, 'sendSignal', options);
  });

  it('is a JSON object of bounded size; a large one is handled, and listed without its content', async () => {
    const world = await signalWorld(service, 'sized');
    const params = { name: 'sized' };
    for (const body of ['[1]', '"text"', 'null', '{"a":'])
      await refused(service, 'sendSignal', INVALID, { params, body, ...bearer(world.token) });
    const sized = (bytes: number) => ({ a: 'x'.repeat(bytes - '{"a":""}'.length) });
    const { signalBytes, signalBytesKept } = SIGNAL_LIMITS;
    await refused(service, 'sendSignal', TOO_LARGE, {
      params,
      body: sized(signalBytes.max + 1),
      ...bearer(world.token),
    });
    for (const bytes of [signalBytes.max, signalBytesKept.max + 1, signalBytesKept.max])
      expect((await send(service, world, sized(bytes))).status).toBe(202);
    expect(await signalsOf(world.endpointId)).toMatchObject([
      { bytes: signalBytesKept.max, payload: sized(signalBytesKept.max) },
      { bytes: signalBytesKept.max + 1, payload: null },
      { bytes: signalBytes.max, payload: null },
    ]);
  });

  it('is refused when a minute had too many of its endpoint; the newest ones stay listed', async () => {
    const [world, other] = [await signalWorld(service, 'flooded'), await signalWorld(service)];
    const { signalsPerMinute, signalsKept } = SIGNAL_LIMITS;
    const flood = async () => {
      for (let count = 0; count < signalsPerMinute.max; count++)
        expect((await send(service, world, { count })).status).toBe(202);
    };
    await flood();
    const options = { params: { name: 'flooded' }, body: {}, ...bearer(world.token) };
    const answer = await refused(service, 'sendSignal', TOO_MANY, options);
    expect(answer.headers.get('retry-after')).toBe('60');
    expect((await send(service, other, {})).status).toBe(202);
    clock.advance(61_000);
    await flood();
    const listed = await signalsOf(world.endpointId);
    expect(listed).toHaveLength(signalsKept.max);
    expect(listed[0].payload).toEqual({ count: signalsPerMinute.max - 1 });
  });
});

describe('the executions of a signal', () => {
  const DEFAULT = { projectId: 'default' };
  const FLAG = 'of-executions';

  beforeAll(() => accepted(service, 'createFeature', { params: DEFAULT, body: { name: FLAG } }));

  const create = async (world: SignalWorld, name: string): Promise<number> => {
    const body = switching(world, FLAG, { name });
    return (await accepted(service, 'createActionSet', { params: DEFAULT, body })).body.id;
  };
  /** Makes the set follow the endpoint of the world. */
  const move = (id: number, world: SignalWorld, name: string) =>
    accepted(service, 'updateActionSet', { params: { ...DEFAULT, id }, body: switching(world, FLAG, { name }) });
  /** The executions of each signal of the endpoint when none waits, newest signal first. */
  const executionsOf = ({ endpointId }: SignalWorld) =>
    until(
      async () => (await signalsOf(endpointId)).map(({ executions }: { executions: object[] }) => executions),
      (lists: { state: string }[][]) => lists.flat().every(({ state }) => state !== 'started'),
    );

  it('are listed also if they failed or were refused, and those that were refused in a row once', async () => {
    const world = await signalWorld(service);
    const actionSetId = await create(world, 'failing');
    await accepted(service, 'deleteServiceAccount', { params: { id: world.actorId } });
    const { max } = SIGNAL_LIMITS.actionRunsPerMinute;
    for (let count = 0; count < max + 2; count++) await send(service, world, { count });
    const lists = await executionsOf(world);
    const { events } = (await accepted(service, 'getActionSetEvents', { params: { ...DEFAULT, id: actionSetId } }))
      .body;
    expect(events).toHaveLength(max + 1);
    expect(events[0]).toMatchObject({ details: expect.stringContaining('more executions are not made'), repeated: 1 });
    expect(events[1].actions[0].details).toContain('There is no service account');
    const failed = { actionSetId, actionSetName: 'failing', project: 'default', state: 'failed' };
    expect(lists).toEqual([[], ...events.map(({ id }: { id: number }) => [{ id, ...failed }])]);
  });

  it('are of several sets, in the order in which these were created', async () => {
    const [world, other] = [await signalWorld(service), await signalWorld(service)];
    const [first, second] = [await create(world, 'first'), await create(world, 'second')];
    for (const endpointId of [other.endpointId, world.endpointId]) {
      await move(second, { ...world, endpointId }, 'second');
      await move(first, { ...world, endpointId }, 'first');
    }
    await send(service, world, {});
    expect(await executionsOf(world)).toMatchObject([
      [
        { actionSetId: first, actionSetName: 'first', state: 'success' },
        { actionSetId: second, actionSetName: 'second', state: 'success' },
      ],
    ]);
  });

  it('leave with a set that follows another endpoint, and with one that is deleted', async () => {
    const [world, other] = [await signalWorld(service), await signalWorld(service)];
    const [moved, deleted] = [await create(world, 'moved'), await create(world, 'deleted')];
    await send(service, world, {});
    expect(await executionsOf(world)).toMatchObject([[{ actionSetId: moved }, { actionSetId: deleted }]]);
    await move(moved, { ...world, endpointId: other.endpointId }, 'moved');
    await send(service, other, {});
    expect(await executionsOf(world)).toMatchObject([[{ actionSetId: deleted }]]);
    expect(await executionsOf(other)).toMatchObject([[{ actionSetId: moved }]]);
    await accepted(service, 'deleteActionSet', { params: { ...DEFAULT, id: deleted } });
    expect(await executionsOf(world)).toEqual([[]]);
    await move(moved, world, 'moved');
    expect(await executionsOf(world)).toMatchObject([[{ actionSetId: moved }]]);
    expect(await executionsOf(other)).toEqual([[]]);
  });
});
