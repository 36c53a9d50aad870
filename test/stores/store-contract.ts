import assert from 'node:assert';
import { createHash } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { InvariantError } from '../../src/base/assert.ts';
import { isShared } from '../../src/stores/shared-store.ts';
import {
  type AppendBatch,
  AUDIT_SLICE_EVENTS,
  type AuditLog,
  type LogEntry,
  type Store,
  StoreError,
} from '../../src/stores/store.ts';

/** One durable location, and stores on it. Every test has a new one. */
export interface StoreBench {
  /** A new store on the location, not opened yet. The previous one must be closed. */
  create(): Store;
  /** A store that shares the location with an open one, as another process would; not opened yet. */
  createSecond(): Store;
  /** Ends what is still open and removes the location. */
  dispose(): Promise<void>;
}

const text = (content: string): Uint8Array => new TextEncoder().encode(content);
const asText = (bytes: Uint8Array): string => new TextDecoder().decode(bytes);

/** Bytes that are the same on every run, and not compressible. */
function noise(sizeBytes: number, seed: number): Uint8Array {
  const bytes = new Uint8Array(sizeBytes);
  let state = seed + 1;
  for (let index = 0; index < sizeBytes; index += 1) {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
    bytes[index] = state >>> 16;
  }
  return bytes;
}

export function batchOf(
  expectedTip: number,
  contents: readonly Uint8Array[],
  events: readonly number[] = [],
): AppendBatch {
  return {
    expectedTip,
    writeId: `write-${expectedTip}-${Math.random()}`,
    entries: contents.map((bytes, index) => ({ seq: expectedTip + 1 + index, bytes })),
    events: events.map((id) => ({ id, bytes: text(`event ${id}`) })),
  };
}

async function* piecesOf(...pieces: Uint8Array[]): AsyncGenerator<Uint8Array> {
  for (const piece of pieces) {
    await Promise.resolve();
    yield piece;
  }
}

async function collect(pieces: AsyncIterable<Uint8Array>): Promise<Uint8Array[]> {
  const collected: Uint8Array[] = [];
  for await (const piece of pieces) collected.push(Uint8Array.from(piece));
  return collected;
}

const digestOf = (pieces: readonly Uint8Array[]): string => {
  const hash = createHash('sha256');
  for (const piece of pieces) hash.update(piece);
  return hash.digest('hex');
};

const seqs = (entries: readonly LogEntry[]): number[] => entries.map(({ seq }) => seq);
const ids = (events: readonly { id: number }[]): number[] => events.map(({ id }) => id);
const range = (from: number, to: number): number[] => Array.from({ length: to - from + 1 }, (_, index) => from + index);

/** Tests every guarantee of `Store`, for any adapter. */
export function describeStoreContract(name: string, createBench: () => Promise<StoreBench> | StoreBench): void {
  describe(`${name} keeps the guarantees of Store:`, () => {
    let bench: StoreBench;
    let store: Store;

    beforeEach(async () => {
      bench = await createBench();
      store = bench.create();
    });

    afterEach(async () => {
      await store.close();
      await bench.dispose();
    });

    const reopen = async () => {
      await store.close();
      store = bench.create();
      return store.open();
    };

    /** Opens the store and fills it with `count` entries `entry 1`… */
    const fill = async (count: number) => {
      await store.open();
      const contents = range(1, count).map((seq) => text(`entry ${seq}`));
      expect(await store.append(batchOf(0, contents))).toMatchObject({ status: 'appended' });
    };

    describeLog(() => ({ bench, store, reopen, fill }));
    describeEvents(() => ({ bench, store, reopen, fill }));
    describeAuditLog(() => ({ bench, store, reopen, fill }));
    describeSnapshots(() => ({ bench, store, reopen, fill }));
    describeTrimming(() => ({ bench, store, reopen, fill }));
    describeEnds(() => ({ bench, store, reopen, fill }));
  });
}

type Context = () => {
  bench: StoreBench;
  store: Store;
  reopen: () => Promise<{ epoch: string; tip: number; firstSeq: number }>;
  fill: (count: number) => Promise<void>;
};

function describeLog(context: Context): void {
  describe('the log', () => {
    it('is empty when the store is new', async () => {
      const { store } = context();
      const opening = await store.open();
      expect(opening).toMatchObject({ tip: 0, firstSeq: 1 });
      expect(opening.epoch.length).toBeGreaterThan(8);
      expect(await store.tip()).toBe(0);
      expect(await store.read(1, 10)).toEqual([]);
      expect(store.status()).toEqual({ reachable: true });
    });

    it('returns the appended entries, in order and byte for byte', async () => {
      const { store } = context();
      await store.open();
      expect(await store.append(batchOf(0, [text('one')]))).toMatchObject({ status: 'appended' });
      expect(await store.append(batchOf(1, [text('two'), new Uint8Array(0), noise(300, 7)]))).toMatchObject({
        status: 'appended',
      });
      const entries = await store.read(1, 10);
      expect(seqs(entries)).toEqual([1, 2, 3, 4]);
      expect(entries.slice(0, 2).map(({ bytes }) => asText(bytes))).toEqual(['one', 'two']);
      expect(entries[2]?.bytes.length).toBe(0);
      expect(Buffer.compare(entries[3]?.bytes ?? text(''), noise(300, 7))).toBe(0);
      expect(await store.tip()).toBe(4);
    });

    it('returns the id of the write that appended an entry, also after later appends', async () => {
      const { store } = context();
      const { epoch } = await store.open();
      const batches = [batchOf(0, [text('one')]), batchOf(1, [text('two'), text('three')])];
      for (const batch of batches) {
        const outcome = await store.append(batch);
        assert(outcome.status === 'appended');
        // In a store that replicas share, the position follows the state.
        const { origin } = outcome;
        if (isShared(store) && origin) for (const { seq } of batch.entries) store.take(seq, origin);
        const { seq } = batch.entries.at(-1) as LogEntry;
        expect(store.lineAt(seq)).toMatchObject({ epoch, seq, writeId: batch.writeId });
      }
      if (isShared(store)) return;
      // A batch was appended, and is not applied yet or only in part.
      expect(store.lineAt(1)).toMatchObject({ epoch, seq: 1, writeId: batches[0]?.writeId });
      expect(store.lineAt(2)).toMatchObject({ epoch, seq: 2, writeId: batches[1]?.writeId });
    });

    it('is read from any seq, up to a limit', async () => {
      const { store, fill } = context();
      await fill(20);
      expect(seqs(await store.read(7, 5))).toEqual([7, 8, 9, 10, 11]);
      expect(seqs(await store.read(18, 100))).toEqual([18, 19, 20]);
      expect(await store.read(21, 5)).toEqual([]);
      expect(await store.read(5, 0)).toEqual([]);
    });

    it('keeps its own bytes: neither writer nor reader can change them afterwards', async () => {
      const { store } = context();
      await store.open();
      const bytes = text('as written');
      await store.append(batchOf(0, [bytes]));
      bytes.fill(0);
      const [entry] = await store.read(1, 1);
      await store.append(batchOf(1, [text('something else')]));
      await store.read(2, 1);
      expect(asText(entry?.bytes ?? text(''))).toBe('as written');
    });

    it('refuses all of a batch with another expected tip, and returns the tip', async () => {
      const { store, fill } = context();
      await fill(3);
      for (const expectedTip of [0, 2, 4, 100]) {
        const outcome = await store.append(batchOf(expectedTip, [text('no'), text('no')], [50]));
        expect(outcome).toEqual({ status: 'conflict', tip: 3 });
      }
      expect(await store.tip()).toBe(3);
      expect(seqs(await store.read(1, 10))).toEqual([1, 2, 3]);
      expect(await store.readEvents(1_000, 10)).toEqual([]);
    });

    it('appends one of two batches with the same expected tip', async () => {
      const { store } = context();
      await store.open();
      const outcomes = await Promise.all([
        store.append(batchOf(0, [text('a')])),
        store.append(batchOf(0, [text('b')])),
      ]);
      expect(outcomes.map(({ status }) => status).sort()).toEqual(['appended', 'conflict']);
      expect(await store.read(1, 10)).toHaveLength(1);
    });

    it('is never forked by two handles that append at the same time', async () => {
      const { bench, store } = context();
      await store.open();
      const second = bench.createSecond();
      const opening = await second.open();
      expect(opening.tip).toBe(0);
      const wins = { first: 0, second: 0 };
      const writer = async (handle: Store, name: 'first' | 'second') => {
        let tip = 0;
        while (wins[name] < 25) {
          const outcome = await handle.append(batchOf(tip, [text(`${name} ${wins[name]}`)]));
          if (outcome.status === 'appended') {
            tip += 1;
            wins[name] += 1;
          } else tip = outcome.tip;
        }
      };
      await Promise.all([writer(store, 'first'), writer(second, 'second')]);
      const entries = await store.read(1, 100);
      expect(seqs(entries)).toEqual(range(1, 50));
      for (const name of ['first', 'second']) {
        const own = entries.map(({ bytes }) => asText(bytes)).filter((content) => content.startsWith(name));
        expect(own).toEqual(range(0, 24).map((count) => `${name} ${count}`));
      }
      expect(await second.read(1, 100)).toEqual(entries);
      await second.close();
    });

    it('stores commits of several megabytes', async () => {
      const { store, reopen } = context();
      await store.open();
      const large = [noise(1_500_000, 1), noise(5_000_000, 2)];
      expect(await store.append(batchOf(0, large))).toMatchObject({ status: 'appended' });
      await reopen();
      const entries = await context().store.read(1, 10);
      expect(entries.map(({ bytes }, index) => Buffer.compare(bytes, large[index] ?? text('')))).toEqual([0, 0]);
    });

    it('stores 10,000 entries, appended in batches', async () => {
      const { store, reopen } = context();
      await store.open();
      for (let tip = 0; tip < 10_000; tip += 100) {
        await store.append(
          batchOf(
            tip,
            range(tip + 1, tip + 100).map((seq) => text(`entry ${seq}`)),
          ),
        );
      }
      expect(await reopen()).toMatchObject({ tip: 10_000, firstSeq: 1 });
      const entries = await context().store.read(1, 20_000);
      expect(seqs(entries)).toEqual(range(1, 10_000));
      expect(asText(entries[9_998]?.bytes ?? text(''))).toBe('entry 9999');
    });

    it('refuses a batch whose entries do not follow its expected tip', async () => {
      const { store, fill } = context();
      await fill(2);
      const gap: AppendBatch = { expectedTip: 2, writeId: 'w', entries: [{ seq: 4, bytes: text('x') }], events: [] };
      await expect(store.append(gap)).rejects.toThrow(InvariantError);
      await expect(store.append({ ...gap, entries: [] })).rejects.toThrow(InvariantError);
      expect(await store.tip()).toBe(2);
    });
  });
}

function describeEvents(context: Context): void {
  describe('the audit events', () => {
    it('are stored with the entries of their batch, and can be paged from both ends', async () => {
      const { store, reopen } = context();
      await store.open();
      await store.append(batchOf(0, [text('a')], [1, 2, 3]));
      await store.append(batchOf(1, [text('b')], []));
      await store.append(batchOf(2, [text('c'), text('d')], [4, 5, 6, 7, 8, 9, 10, 11, 12]));
      await reopen();
      const reopened = context().store;
      expect(ids(await reopened.readEvents(Number.MAX_SAFE_INTEGER, 4))).toEqual([12, 11, 10, 9]);
      expect(ids(await reopened.readEvents(Number.POSITIVE_INFINITY, 1))).toEqual([12]);
      expect(ids(await reopened.readEvents(9, 4))).toEqual([8, 7, 6, 5]);
      expect(ids(await reopened.readEvents(3, 4))).toEqual([2, 1]);
      expect(await reopened.readEvents(1, 4)).toEqual([]);
      expect(ids(await reopened.readEventsForward(1, 5))).toEqual([1, 2, 3, 4, 5]);
      expect(ids(await reopened.readEventsForward(0, 2))).toEqual([1, 2]);
      expect(ids(await reopened.readEventsForward(11, 5))).toEqual([11, 12]);
      expect(await reopened.readEventsForward(13, 5)).toEqual([]);
      const [first] = await reopened.readEventsForward(7, 1);
      expect(asText(first?.bytes ?? text(''))).toBe('event 7');
    });

    it('may have gaps in their ids', async () => {
      const { store } = context();
      await store.open();
      await store.append(batchOf(0, [text('a')], [5, 300, 70_000]));
      expect(ids(await store.readEvents(100_000, 10))).toEqual([70_000, 300, 5]);
      expect(ids(await store.readEvents(300, 10))).toEqual([5]);
      expect(ids(await store.readEventsForward(6, 10))).toEqual([300, 70_000]);
    });

    it('are read by their ids, in the requested order, without the missing ones', async () => {
      const { store } = context();
      await store.open();
      await store.append(batchOf(0, [text('a')], [5, 300, 70_000]));
      const read = await store.readEventsById([70_000, 4, 5, 6, 300, 80_000]);
      expect(read.map(({ id, bytes }) => [id, asText(bytes)])).toEqual([
        [70_000, 'event 70000'],
        [5, 'event 5'],
        [300, 'event 300'],
      ]);
      expect(await store.readEventsById([])).toEqual([]);
    });

    it('outlive the trimming of the log', async () => {
      const { store } = context();
      await store.open();
      await store.append(batchOf(0, [text('a')], [1, 2]));
      await store.saveSnapshot(1, piecesOf(text('state')));
      await store.trim(1);
      expect(ids(await store.readEventsForward(1, 10))).toEqual([1, 2]);
    });
  });
}

/** Drops the oldest events up to and including `throughId`. */
export async function dropThrough(store: Store, throughId: number): Promise<void> {
  for (;;) {
    const measuredLog = await measured(store);
    const oldest = (await store.readEventsForward(0, AUDIT_SLICE_EVENTS)).filter(({ id }) => id <= throughId);
    if (oldest.length === 0) return;
    expect(await store.trimAuditLog(measuredLog, oldest)).toBe(true);
  }
}

/** Measures the whole audit log. */
export async function measured(store: Store): Promise<AuditLog & { readonly sizeBytes: number }> {
  for (;;) {
    const auditLog = await store.measureAuditLog();
    if (auditLog.sizeBytes !== null) return { ...auditLog, sizeBytes: auditLog.sizeBytes };
  }
}

function describeAuditLog(context: Context): void {
  describe('the audit log', () => {
    const eventsOf = (eventIds: readonly number[]) => eventIds.map((id) => ({ id, bytes: noise(200, id) }));

    it('reports the id of its oldest event, or null if it is empty, and its count and size', async () => {
      const { store, reopen } = context();
      await store.open();
      expect(await store.firstEventId()).toBeNull();
      expect(await measured(store)).toMatchObject({ firstId: null, count: 0 });
      await store.append({ ...batchOf(0, [text('a')]), events: eventsOf([7, 8, 9]) });
      expect(await store.firstEventId()).toBe(7);
      const few = await measured(store);
      expect(few).toMatchObject({ firstId: 7, count: 3 });
      await store.append({ ...batchOf(1, [text('b')]), events: eventsOf(range(10, 1_009)) });
      const many = await measured(store);
      expect(many).toMatchObject({ firstId: 7, count: 1_003 });
      expect((many.sizeBytes - few.sizeBytes) / 1_000).toBeGreaterThan(200);
      expect((many.sizeBytes - few.sizeBytes) / 1_000).toBeLessThan(320);
      await reopen();
      expect(await measured(context().store)).toMatchObject({ firstId: 7, count: 1_003 });
    });

    it('drops its oldest events in slices, and frees their space', async () => {
      const { store, reopen } = context();
      await store.open();
      await store.append({ ...batchOf(0, [text('a')]), events: eventsOf(range(1, 9_000)) });
      const before = await measured(store);
      await dropThrough(store, 8_300);
      const check = async (reader: Store) => {
        expect(await reader.firstEventId()).toBe(8_301);
        expect(ids(await reader.readEventsForward(1, 3))).toEqual([8_301, 8_302, 8_303]);
        expect(await reader.readEvents(8_301, 10)).toEqual([]);
        expect(ids(await reader.readEvents(8_303, 10))).toEqual([8_302, 8_301]);
      };
      await check(store);
      const after = await measured(store);
      expect(after.count).toBe(700);
      expect(after.sizeBytes).toBeLessThan(before.sizeBytes / 8);
      await reopen();
      await check(context().store);
      expect((await measured(context().store)).count).toBe(700);
    });

    it('can drop all events, and continues with the next id', async () => {
      const { store, reopen } = context();
      await store.open();
      await store.append({ ...batchOf(0, [text('a')]), events: eventsOf(range(1, 300)) });
      await dropThrough(store, 300);
      expect(await store.firstEventId()).toBeNull();
      expect(await store.readEvents(301, 10)).toEqual([]);
      await reopen();
      const reopened = context().store;
      expect(await measured(reopened)).toMatchObject({ firstId: null, count: 0 });
      await reopened.append({ ...batchOf(1, [text('b')]), events: eventsOf([301]) });
      expect(await reopened.firstEventId()).toBe(301);
      expect(await measured(reopened)).toMatchObject({ firstId: 301, count: 1 });
    });

    it('drops nothing if its oldest events are not those that must be dropped', async () => {
      const { store } = context();
      await store.open();
      await store.append({ ...batchOf(0, [text('a')]), events: eventsOf(range(1, 20)) });
      const measuredLog = await measured(store);
      const oldest = await store.readEventsForward(1, 5);
      const later = await store.readEventsForward(4, 5);
      expect(await store.trimAuditLog(measuredLog, later)).toBe(false);
      expect(await store.trimAuditLog(measuredLog, oldest)).toBe(true);
      expect(await store.trimAuditLog(measuredLog, oldest)).toBe(false);
      // These are the oldest events, but the decision is based on an outdated measurement.
      expect(await store.trimAuditLog(measuredLog, await store.readEventsForward(6, 5))).toBe(false);
      expect(await measured(store)).toMatchObject({ firstId: 6, count: 15 });
    });

    it('is trimmed while batches are appended', async () => {
      const { store } = context();
      await store.open();
      await store.append({ ...batchOf(0, [text('a')]), events: eventsOf(range(1, 500)) });
      const appending = (async () => {
        for (let tip = 1; tip < 40; tip++) {
          await store.append({ ...batchOf(tip, [text('between')]), events: eventsOf([500 + tip]) });
        }
      })();
      await dropThrough(store, 480);
      await appending;
      expect(ids(await store.readEventsForward(1, 1_000))).toEqual(range(481, 539));
      expect(await measured(store)).toMatchObject({ firstId: 481, count: 59 });
    });
  });
}

function describeSnapshots(context: Context): void {
  describe('the snapshot', () => {
    it('is null at first', async () => {
      const { store } = context();
      await store.open();
      expect(await store.loadSnapshot()).toBeNull();
    });

    it('is returned piece by piece, also after a restart', async () => {
      const { store, fill, reopen } = context();
      await fill(5);
      const pieces = [
        text('header'),
        noise(2_000_000, 3),
        new Uint8Array(0),
        ...range(1, 300).map((seed) => noise(1_000, seed)),
      ];
      const info = await store.saveSnapshot(4, piecesOf(...pieces));
      const sizeBytes = pieces.reduce((sum, piece) => sum + piece.length, 0);
      expect(info).toEqual({ seq: 4, digest: digestOf(pieces), sizeBytes });
      await reopen();
      const loaded = await context().store.loadSnapshot();
      expect(loaded?.info).toEqual(info);
      const collected = loaded ? await collect(loaded.pieces) : [];
      expect(collected.map(({ length }) => length)).toEqual(pieces.map(({ length }) => length));
      expect(digestOf(collected)).toBe(info.digest);
    });

    it('replaces the previous one, also one of the same seq', async () => {
      const { store, fill } = context();
      await fill(5);
      for (const [seq, content] of [
        [2, 'old'],
        [5, 'new'],
        [5, 'newer'],
      ] as const) {
        await store.saveSnapshot(seq, piecesOf(text(content), text('end')));
        const loaded = await store.loadSnapshot();
        expect(loaded?.info.seq).toBe(seq);
        expect(loaded && (await collect(loaded.pieces)).map(asText)).toEqual([content, 'end']);
      }
    });

    it('stays the previous one if the pieces end with an error', async () => {
      const { store, fill, reopen } = context();
      await fill(5);
      const before = await store.saveSnapshot(2, piecesOf(text('kept')));
      const broken = async function* () {
        yield noise(1_500_000, 1);
        yield noise(1_500_000, 2);
        throw new Error('encoder broke');
      };
      await expect(store.saveSnapshot(5, broken())).rejects.toThrow('encoder broke');
      await expect(store.trim(3)).rejects.toThrow(InvariantError);
      for (const again of [false, true]) {
        if (again) await reopen();
        const loaded = await context().store.loadSnapshot();
        expect(loaded?.info).toEqual(before);
        expect(loaded && (await collect(loaded.pieces)).map(asText)).toEqual(['kept']);
      }
      expect((await context().store.saveSnapshot(5, piecesOf(text('next')))).seq).toBe(5);
    });

    it('is saved while batches are appended', async () => {
      const { store, fill } = context();
      await fill(1);
      const appendedBetween: Promise<unknown>[] = [];
      const pieces = async function* () {
        for (let index = 0; index < 20; index += 1) {
          appendedBetween.push(store.append(batchOf(index + 1, [text('between')])));
          yield noise(200_000, index);
        }
      };
      await store.saveSnapshot(1, pieces());
      expect(await Promise.all(appendedBetween)).toMatchObject(Array(20).fill({ status: 'appended' }));
      expect(await store.tip()).toBe(21);
    });

    it('is never older than the current one, nor newer than the log', async () => {
      const { store, fill } = context();
      await fill(5);
      await store.saveSnapshot(3, piecesOf(text('at 3')));
      await expect(store.saveSnapshot(2, piecesOf(text('at 2')))).rejects.toThrow(InvariantError);
      await expect(store.saveSnapshot(6, piecesOf(text('at 6')))).rejects.toThrow(InvariantError);
      expect((await store.loadSnapshot())?.info.seq).toBe(3);
    });
  });
}

function describeTrimming(context: Context): void {
  describe('trimming', () => {
    it('drops what the snapshot covers and nothing else', async () => {
      const { store, fill, reopen } = context();
      await fill(2_000);
      await store.saveSnapshot(1_500, piecesOf(text('state')));
      await store.trim(1_400);
      expect(seqs(await store.read(1_401, 3_000))).toEqual(range(1_401, 2_000));
      expect(await store.tip()).toBe(2_000);
      expect(await reopen()).toMatchObject({ tip: 2_000, firstSeq: 1_401 });
      expect(seqs(await context().store.read(1_401, 2))).toEqual([1_401, 1_402]);
      await context().store.trim(10);
      expect(seqs(await context().store.read(1_401, 1))).toEqual([1_401]);
    });

    it('never goes beyond the snapshot', async () => {
      const { store, fill } = context();
      await fill(5);
      await expect(store.trim(1)).rejects.toThrow(InvariantError);
      await store.saveSnapshot(3, piecesOf(text('state')));
      await expect(store.trim(4)).rejects.toThrow(InvariantError);
      expect(await store.read(1, 10)).toHaveLength(5);
    });

    it('makes reading what was dropped an error, not an empty answer', async () => {
      const { store, fill } = context();
      await fill(5);
      await store.saveSnapshot(3, piecesOf(text('state')));
      await store.trim(3);
      await expect(store.read(3, 10)).rejects.toThrow(StoreError);
      await expect(store.read(1, 10)).rejects.toThrow(StoreError);
    });

    it('may leave an empty log, which continues with the next seq after a restart', async () => {
      const { store, fill, reopen } = context();
      await fill(4);
      await store.saveSnapshot(4, piecesOf(text('state')));
      await store.trim(4);
      expect(await store.read(5, 10)).toEqual([]);
      expect(await reopen()).toMatchObject({ tip: 4, firstSeq: 5 });
      const reopened = context().store;
      await expect(reopened.read(4, 1)).rejects.toThrow(StoreError);
      expect(await reopened.append(batchOf(4, [text('five')]))).toMatchObject({ status: 'appended' });
      expect(seqs(await reopened.read(5, 10))).toEqual([5]);
    });
  });
}

function describeEnds(context: Context): void {
  describe('a store', () => {
    it('keeps its epoch, log and tip over restarts', async () => {
      const { store, reopen } = context();
      const { epoch } = await store.open();
      await store.append(batchOf(0, [text('kept')]));
      for (let round = 0; round < 3; round += 1) {
        expect(await reopen()).toMatchObject({ epoch, tip: 1, firstSeq: 1 });
        const [entry] = await context().store.read(1, 1);
        expect(asText(entry?.bytes ?? text(''))).toBe('kept');
      }
    });

    it('settles pending appends before it is closed', async () => {
      const { store, reopen } = context();
      await store.open();
      const outcomes = range(0, 9).map((tip) => store.append(batchOf(tip, [text(`entry ${tip + 1}`)])));
      await store.close();
      expect(await Promise.all(outcomes)).toMatchObject(Array(10).fill({ status: 'appended' }));
      expect(await reopen()).toMatchObject({ tip: 10 });
    });

    it('reports that a write would succeed, without making one', async () => {
      const { store, fill, reopen } = context();
      await fill(2);
      await store.probe();
      expect(await store.tip()).toBe(2);
      expect(await store.append(batchOf(2, [text('next')]))).toMatchObject({ status: 'appended' });
      await store.probe();
      await reopen();
      expect(await context().store.tip()).toBe(3);
    });

    it('refuses everything after it was closed, and may be closed twice', async () => {
      const { store, fill } = context();
      await fill(1);
      await store.close();
      await store.close();
      const refusal = await store.append(batchOf(1, [text('late')])).catch((error: unknown) => error);
      expect(refusal).toBeInstanceOf(StoreError);
      expect((refusal as StoreError).outcome).toBe('not-appended');
      await expect(store.read(1, 1)).rejects.toThrow(StoreError);
      await expect(store.tip()).rejects.toThrow(StoreError);
      await expect(store.saveSnapshot(1, piecesOf(text('late')))).rejects.toThrow(StoreError);
      await expect(store.trim(0)).rejects.toThrow(StoreError);
      await expect(store.probe()).rejects.toThrow(StoreError);
    });

    it('ends a subscription to hints when asked', async () => {
      const { store } = context();
      await store.open();
      const heard: number[] = [];
      const stop = store.onTip((tip) => heard.push(tip));
      stop();
      await store.append(batchOf(0, [text('quiet')]));
      expect(heard).toEqual([]);
    });
  });
}
