import { setImmediate as turn } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { SERVICE } from '../../../src/base/asking/asker.ts';
import { silentLogger } from '../../../src/base/logger.ts';
import type { PreparedAnswer } from '../../../src/base/prepared-answer.ts';
import { Rejection } from '../../../src/base/rejection.ts';
import { deltaEndpoints } from '../../../src/features/client/delta-routes.ts';
import { clientFeatureEndpoints } from '../../../src/features/client/list-routes.ts';
import { ConnectionExchange } from '../../../src/features/propagation/exchange.ts';
import { Propagation } from '../../../src/features/propagation/propagation.ts';
import { PropagationStreams } from '../../../src/features/propagation/streams.ts';
import type { Services } from '../../../src/features/services.ts';
import { CounterRecorder } from '../../../src/features/usage/counter-recorder.ts';
import { NOBODY, type Scope } from '../../../src/model/caller.ts';
import type { Project } from '../../../src/model/project.ts';
import type { Change } from '../../../src/state/commit.ts';
import type { PartitionKey } from '../../../src/state/revisions.ts';
import { type AppliedCommit, State } from '../../../src/state/state.ts';
import { MemoryStore } from '../../../src/stores/memory/memory-store.ts';
import { ClientViews } from '../../../src/views/client/client-views.ts';
import { flag } from '../../support/admin.ts';
import { ManualClock } from '../../support/manual-clock.ts';
import { commitOf } from '../../support/random-state.ts';

const SCOPE: Scope = { environment: 'development', projects: null };
const HEAD = { header: () => undefined };

/** One SDK that received revision 1, and a function that applies commits which touch these partitions. */
function followed() {
  const clock = new ManualClock();
  const propagation = new Propagation({ state: new State(), clock, exchange: null });
  const at = new Date(clock.nowMs()).toISOString();
  const apply = (seq: number, touched: readonly PartitionKey[] = ['development/default']) =>
    propagation.apply({ commit: { seq, at, touched } } as unknown as AppliedCommit);
  apply(1);
  propagation.recordContact(SCOPE, 'shop', 'one', HEAD);
  propagation.recordReceipt(SCOPE, 'W/"0123456789:0"', 1, { header: () => 'one' });
  return { clock, propagation, apply };
}

/** A caller with a token for all of development. */
const CALLER = { ...NOBODY, kind: 'client', scope: SCOPE } as const;

const at = '2026-01-01T00:00:00.000Z';
const project = (id: string): Project => ({
  id,
  name: id,
  description: null,
  mode: 'open',
  defaultStickiness: 'default',
  featureLimit: null,
  environments: ['development'],
  createdAt: at,
  updatedAt: at,
  archivedAt: null,
});

/** So many flags that lists are built in slices while their callers wait. */
function manyFlags() {
  const state = new State();
  const clientViews = new ClientViews(state);
  const propagation = new Propagation({ state, clock: new ManualClock(), exchange: null });
  const apply = (...changes: readonly Change[]) => {
    const applied = state.apply(commitOf(state, changes));
    clientViews.apply(applied);
    propagation.apply(applied);
  };
  apply({ collection: 'projects', key: 'default', entity: project('default') });
  const names = Array.from({ length: 5_000 }, (_, index) => `flag-${index}`);
  apply(...names.map((name): Change => ({ collection: 'features', key: name, entity: flag(name) })));
  const services = { state, clientViews, propagation } as unknown as Services;
  const newest = () => state.revisions.environment('development');

  /** Sends a request, and changes a flag again and again until it is answered. */
  const ask = async (endpoints: typeof deltaEndpoints, known: string, queryText = '') => {
    const headers: Readonly<Record<string, string>> = { 'if-none-match': known, 'unleash-connection-id': 'one' };
    const head = {
      header: (name: string) => headers[name] ?? '',
      query: () => queryText,
      parameter: () => '',
      asker: () => SERVICE,
    };
    const asked = newest();
    let isMade = false;
    const making = Promise.resolve(endpoints[0]?.serve(head, CALLER, services)).then((answer) => {
      isMade = true;
      return { answer: answer as PreparedAnswer, asked, newest: newest() };
    });
    for (let count = 0; !isMade; count++) {
      apply({ collection: 'features', key: 'flag-0', entity: flag('flag-0', { description: String(count) }) });
      await turn();
    }
    return making;
  };
  return { propagation, ask };
}

describe('a delta of everything', () => {
  it('counts as the revision that it contains, not as one that was written while it was built', async () => {
    const { propagation, ask } = manyFlags();
    const { answer, newest } = await ask(deltaEndpoints, '"1:00000000"');
    const { events } = JSON.parse(Buffer.concat(answer.body?.parts ?? []).toString());
    expect(events).toMatchObject([{ type: 'hydration' }]);
    expect(events[0].eventId).toBeLessThan(newest);
    expect(await propagation.spread(newest, SERVICE)).toMatchObject({ concerned: 1, have: 0 });
    expect(await propagation.spread(events[0].eventId, SERVICE)).toMatchObject({ concerned: 1, have: 1 });
  });
});

describe('a list with a filter that has to be built first', () => {
  it('counts as the revision at the time of its request', async () => {
    const { propagation, ask } = manyFlags();
    const lists = clientFeatureEndpoints.filter((endpoint) => endpoint.kind === 'prepared');
    const { answer, asked, newest } = await ask(lists, 'W/"of another list"', 'namePrefix=flag-1');
    expect(answer.body).toBeDefined();
    expect(asked).toBeLessThan(newest);
    expect(await propagation.spread(newest, SERVICE)).toMatchObject({ concerned: 1, have: 0 });
    expect(await propagation.spread(asked, SERVICE)).toMatchObject({ concerned: 1, have: 1 });
  });
});

describe('Propagation', () => {
  it('reports to a waiting caller that SDKs lack a revision, however many commits followed it', async () => {
    const { clock, propagation, apply } = followed();
    apply(2);
    const waiting = propagation.wait(2, 1, 1_000, SERVICE, () => false);
    for (let seq = 3; seq < 1_500; seq++) apply(seq);
    expect(await propagation.spread(2, SERVICE)).toBeNull();
    clock.advance(1_001);
    expect(await waiting).toBe(0);
  });

  it('reports to other replicas the position of an SDK that had a list of another history, however high its revision', async () => {
    const clock = new ManualClock();
    const store = new MemoryStore();
    await store.open();
    const recorder = new CounterRecorder(store.counters, clock, silentLogger, { recorder: 'one' });
    const mark = () => '76d8bb0e';
    const exchange = new ConnectionExchange({ counters: store.counters, recorder, clock, mark });
    const propagation = new Propagation({ state: new State(), clock, exchange });
    propagation.start();
    const sdk = (name: string) => ({ header: (of: string) => (of === 'unleash-connection-id' ? name : undefined) });
    propagation.recordReceipt(SCOPE, 'W/"01234567:150000.89abcdef"', 10, sdk('far'));
    propagation.recordReceipt(SCOPE, '"01234567:999999999999999"', 10, sdk('farthest'));
    await propagation.close();
    expect(recorder.risk.dropped).toBe(0);
    const others = await exchange.remoteConnections();
    expect([...others.values()].map(({ position }) => position)).toEqual([10, 10]);
    await store.close();
  });

  it('reports browsers that lag by the name of their application, and counts those that have the revision', async () => {
    const { propagation, apply } = followed();
    const [quick, slow] = ['web', 'web'].map((appName) => propagation.openBrowserStream(SCOPE, appName));
    for (const stream of [quick, slow]) stream?.recordReceipt('=1-01234567:0123456789abcdef.x');
    apply(2);
    quick?.recordReceipt('=2-01234567:0123456789abcdef.x');
    expect(await propagation.spread(2, SERVICE)).toMatchObject({
      connected: 3,
      concerned: 3,
      have: 1,
      lagging: [
        { appName: 'shop', connections: 1 },
        { appName: 'web', connections: 1, revision: 1 },
      ],
    });
  });

  it('keeps fewer commits if they touch many partitions, and always the newest one', async () => {
    const { propagation, apply } = followed();
    const everywhere = Array.from({ length: 30_000 }, (_, index): PartitionKey => `development/p${index}`);
    apply(2, everywhere);
    expect(propagation.oldest).toBe(1);
    apply(3, everywhere);
    expect(propagation.oldest).toBe(3);
    apply(4, [...everywhere, ...everywhere]);
    expect(propagation.oldest).toBe(4);
    expect(await propagation.spread(4, SERVICE)).toMatchObject({ concerned: 1, have: 0 });
  });
});

describe('The streams of the propagation', () => {
  it('are available for 500 callers at the same time, and again when one has left', () => {
    const parts = { state: new State(), clock: new ManualClock() };
    const propagation = new Propagation({ ...parts, exchange: null });
    const streams = new PropagationStreams({ ...parts, propagation, logger: silentLogger });
    const channelOf = (id: number) => streams.channel({ ...NOBODY, kind: 'user', user: String(id) });
    const first = channelOf(0);
    for (let id = 1; id < 500; id++) expect(channelOf(id)).not.toBeInstanceOf(Rejection);
    expect(channelOf(500)).toMatchObject({ name: 'TooManyRequestsError', retryAfterS: 5 });
    expect(channelOf(0)).toBe(first);
    if (!(first instanceof Rejection)) first.closed?.();
    expect(channelOf(500)).not.toBeInstanceOf(Rejection);
    streams.close();
  });
});
