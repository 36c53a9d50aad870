import { beforeEach, describe, expect, it } from 'vitest';
import { silentLogger } from '../../src/base/logger.ts';
import { conflict, Rejection } from '../../src/base/rejection.ts';
import type { CommandContext, Decidable } from '../../src/engine/command.ts';
import { Replica } from '../../src/engine/replica.ts';
import { Writer, type WriterOptions } from '../../src/engine/writer.ts';
import { loadGuards } from '../../src/features/guards.ts';
import { decodeCommit, decodeEvent } from '../../src/state/commit.ts';
import { State } from '../../src/state/state.ts';
import { MemoryBacking, type MemoryFaults, MemoryStore } from '../../src/stores/memory/memory-store.ts';
import { StoreError } from '../../src/stores/store.ts';
import { ManualClock } from '../support/manual-clock.ts';

const GUARDS = await loadGuards();

const BY = { id: 1, name: 'test' };

let backing: MemoryBacking;
let faults: MemoryFaults;

interface Started {
  readonly writer: Writer;
  readonly replica: Replica;
}

async function start(options: Partial<WriterOptions> = {}, storeFaults: MemoryFaults = {}): Promise<Started> {
  const store = new MemoryStore({ backing, faults: storeFaults });
  await store.open();
  const replica = new Replica(new State(), store);
  return {
    replica,
    writer: new Writer(replica, store, new ManualClock(), silentLogger, { guards: GUARDS, ...options }),
  };
}

beforeEach(() => {
  backing = new MemoryBacking();
  faults = {};
});

function create({ draft, emit }: CommandContext, name: string): void {
  draft.put('tagTypes', { name, description: null, icon: null, color: null });
  emit({ type: 'tag-type-created', data: { name } });
}

const createOne: Decidable<string, string> = {
  decide: (context, name) => {
    if (context.draft.get('tagTypes', name)) return conflict(`${name} exists.`);
    create(context, name);
    return name;
  },
};

const createMany: Decidable<readonly string[], number> = {
  decide: function* (context, names) {
    for (const name of names) {
      create(context, name);
      yield;
    }
    return names.length;
  },
};

const names = (count: number, prefix = 'n') => Array.from({ length: count }, (_, index) => `${prefix}-${index}`);

/** Counts the turns of the event loop until `work` is done. */
async function turnsDuring(work: Promise<unknown>): Promise<number> {
  let turns = 0;
  let running = true;
  const turn = () => {
    turns++;
    if (running) setImmediate(turn);
  };
  setImmediate(turn);
  await work;
  running = false;
  return turns;
}

describe('the writer', () => {
  it('decides, stores and applies a long command as a whole, and yields to the event loop meanwhile', async () => {
    const { writer, replica } = await start({ sliceBudgetMs: 0 });
    const wanted = names(300);
    const seen = new Set<number>();
    const watch = () => seen.add(replica.state.size('tagTypes'));
    const done = writer.submit(createMany, wanted, BY);
    const watching = setInterval(watch, 0);
    expect(await turnsDuring(done)).toBeGreaterThan(600);
    clearInterval(watching);
    watch();
    expect(await done).toEqual({ value: 300, seq: 1 });
    expect([...seen].filter((size) => size !== 0 && size !== 300)).toEqual([]);
    expect(decodeCommit(backing.log[0]?.bytes ?? new Uint8Array())).toMatchObject({
      seq: 1,
      events: { firstId: 1, count: 300 },
    });
    expect(backing.events.map(({ bytes }) => decodeEvent(bytes)).map(({ id, data }) => [id, data])).toEqual(
      wanted.map((name, index) => [index + 1, { name }]),
    );
    expect(replica.state.lastEventId).toBe(300);
  });

  it('yields to the event loop between the commands of one batch, which share an append and keep their order', async () => {
    let appends = 0;
    const options = { sliceBudgetMs: 0, batchLimit: 128 };
    const { writer } = await start(options, { beforeAppend: () => void appends++ });
    const outcomes = Promise.all(names(128).map((name) => writer.submit(createOne, name, BY)));
    expect(await turnsDuring(outcomes)).toBeGreaterThan(256);
    expect(appends).toBe(1);
    expect(await outcomes).toEqual(names(128).map((name, index) => ({ value: name, seq: index + 1 })));
  });

  it('makes one append of all commands that arrive in one turn of the event loop, after however many steps', async () => {
    let appends = 0;
    const { writer } = await start({}, { beforeAppend: () => void appends++ });
    const arrive = async (name: string, steps: number) => {
      for (let step = 0; step < steps; step++) await Promise.resolve();
      return writer.submit(createOne, name, BY);
    };
    const outcomes = await Promise.all(names(32).map((name, index) => arrive(name, index)));
    expect(outcomes.map((outcome) => outcome instanceof Rejection)).not.toContain(true);
    expect(appends).toBe(1);
  });

  it('refuses, and does not retry forever, if the log ends before the state', async () => {
    const { writer } = await start({}, faults);
    expect(await writer.submit(createOne, 'first', BY)).toMatchObject({ seq: 1 });
    backing.log = [];
    let tries = 0;
    faults.beforeAppend = () => {
      if (++tries > 3) throw new Error('tried for ever');
    };
    const refused = await writer.submit(createOne, 'second', BY);
    expect(refused).toMatchObject({ name: 'ServiceUnavailableError' });
    expect((refused as Rejection).message).toContain('nothing was changed');
    expect(tries).toBe(1);
  });

  it('decides a long command again when another replica’s commit is applied during a pause', async () => {
    const [one, other] = [await start({ sliceBudgetMs: 0 }), await start()];
    const started: number[] = [];
    const command: Decidable<void, boolean> = {
      decide: function* ({ draft }) {
        started.push(draft.get('counters', 'c')?.value ?? 0);
        for (let step = 0; step < 20; step++) yield;
        return draft.next('c') === (started.at(-1) ?? 0) + 1;
      },
    };
    const outcome = one.writer.submit(command, undefined, BY);
    await other.writer.submit({ decide: ({ draft }) => draft.next('c') }, undefined, BY);
    await one.replica.catchUp();
    expect(await outcome).toEqual({ value: true, seq: 2 });
    expect(started).toEqual([0, 1]);
  });

  it('refuses a long command, and no other one, with 503 if other commits interrupt it every time', async () => {
    const [one, other] = [await start({ sliceBudgetMs: 0 }), await start()];
    const long = one.writer.submit(createMany, names(200, 'long'), BY);
    const short = one.writer.submit(createOne, 'short', BY);
    let isOver = false;
    const outcomes = Promise.all([long, short]).finally(() => {
      isOver = true;
    });
    for (let count = 0; !isOver; count++) {
      await other.writer.submit(createOne, `other-${count}`, BY);
      await one.replica.catchUp();
      for (let turns = 0; turns < 10; turns++) await new Promise((resolve) => setImmediate(resolve));
    }
    const [refused, accepted] = await outcomes;
    expect(refused).toMatchObject({ name: 'ServiceUnavailableError', retryAfterS: 2 });
    expect(accepted).toMatchObject({ value: 'short' });
    await other.replica.catchUp();
    expect([other.replica.state.get('tagTypes', 'short'), other.replica.state.get('tagTypes', 'long-0')]).toEqual([
      expect.objectContaining({ name: 'short' }),
      undefined,
    ]);
  });

  it('refuses a command that exceeds the size of a commit, and decides the others as if it was not submitted', async () => {
    const { writer, replica } = await start({ commitBytesMax: 5_000 });
    const outcomes = await Promise.all([
      writer.submit(createOne, 'before', BY),
      writer.submit(createMany, names(150, 'large'), BY),
      writer.submit(createOne, 'large-0', BY),
    ]);
    expect(outcomes[0]).toEqual({ value: 'before', seq: 1 });
    expect(outcomes[1]).toMatchObject({ name: 'PayloadTooLargeError' });
    expect(outcomes[2]).toEqual({ value: 'large-0', seq: 2 });
    expect([replica.state.seq, replica.state.lastEventId]).toEqual([2, 2]);
    expect([...replica.state.values('tagTypes')].map(({ name }) => name)).toEqual(['before', 'large-0']);
  });

  it('fails a command that throws, at once or halfway, and keeps none of its changes', async () => {
    const { writer, replica } = await start();
    const throwing: Decidable<string, void> = {
      decide: (context, name) => {
        create(context, name);
        throw new Error(`defect of ${name}`);
      },
    };
    const throwingLate: Decidable<string, void> = {
      decide: function* (context, name) {
        create(context, name);
        yield;
        throw new Error(`defect of ${name}`);
      },
    };
    const [before, first, second, after] = await Promise.allSettled([
      writer.submit(createOne, 'before', BY),
      writer.submit(throwing, 'first', BY),
      writer.submit(throwingLate, 'second', BY),
      writer.submit(createOne, 'after', BY),
    ]);
    expect([before.status, first.status, second.status, after.status]).toEqual([
      'fulfilled',
      'rejected',
      'rejected',
      'fulfilled',
    ]);
    expect([...replica.state.values('tagTypes')].map(({ name }) => name)).toEqual(['before', 'after']);
    expect(replica.state.lastEventId).toBe(2);
  });

  it('returns the result of the committed decision, not of one that was dropped', async () => {
    const other = await start();
    let isFirst = true;
    faults.beforeAppend = async () => {
      if (isFirst) await other.writer.submit(createOne, 'theirs', BY);
      isFirst = false;
    };
    const { writer } = await start({}, faults);
    const wantsTheirs: Decidable<void, string> = {
      decide: ({ draft }) => {
        const found = draft.get('tagTypes', 'theirs');
        if (!found) throw new Error('not there');
        return found.name;
      },
    };
    const outcomes = await Promise.all([
      writer.submit(wantsTheirs, undefined, BY),
      writer.submit(createOne, 'mine', BY),
      writer.submit(createOne, 'theirs', BY),
    ]);
    expect(outcomes[0]).toEqual({ value: 'theirs', seq: 1 });
    expect(outcomes[1]).toEqual({ value: 'mine', seq: 2 });
    expect(outcomes[2]).toMatchObject({ name: 'NameExistsError' });
  });

  it('reports whether a failed append may have happened, and accepts the next command', async () => {
    const { writer, replica } = await start({}, faults);
    const message = async (outcome: 'not-appended' | 'unknown', when: 'beforeAppend' | 'afterAppend') => {
      faults[when] = () => {
        faults[when] = undefined;
        throw new StoreError('broken', outcome);
      };
      const answer = await writer.submit(createOne, `${when}-${outcome}`, BY);
      return answer instanceof Rejection ? [answer.message, answer.retryAfterS] : ['accepted'];
    };
    expect(await message('not-appended', 'beforeAppend')).toEqual([expect.stringContaining('nothing was changed'), 2]);
    // Clients must not repeat it automatically: an update would have two events.
    const unknown = [expect.stringContaining('is not known'), undefined];
    expect(await message('unknown', 'beforeAppend')).toEqual(unknown);
    expect(await message('unknown', 'afterAppend')).toEqual(unknown);
    expect(await writer.submit(createOne, 'next', BY)).toEqual({ value: 'next', seq: 2 });
    expect([...replica.state.values('tagTypes')].map(({ name }) => name)).toEqual(['afterAppend-unknown', 'next']);
  });

  it('reports that nothing was changed if the decision cannot be encoded', async () => {
    const { writer } = await start();
    const broken: Decidable<null, void> = {
      decide: ({ draft }) => {
        const value = new Proxy([], { get: () => expect.fail('it cannot be read') });
        draft.put('settings', { name: 'broken', value: value as unknown as string });
      },
    };
    const answer = await writer.submit(broken, null, BY);
    expect((answer as Rejection).message).toContain('nothing was changed');
    expect(await writer.submit(createOne, 'next', BY)).toEqual({ value: 'next', seq: 1 });
  });

  it('refuses commands beyond its limit, and all commands once it is closed', async () => {
    const { writer, replica } = await start({ mailboxLimit: 2 });
    const outcomes = names(4).map((name) => writer.submit(createOne, name, BY));
    await writer.close();
    const kinds = (await Promise.all(outcomes)).map((outcome) => outcome instanceof Rejection);
    expect(kinds).toEqual([false, false, true, true]);
    expect(await writer.submit(createOne, 'late', BY)).toMatchObject({ name: 'ServiceUnavailableError' });
    expect(replica.state.size('tagTypes')).toBe(2);
  });
});
