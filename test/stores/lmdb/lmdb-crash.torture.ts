import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { silentLogger } from '../../../src/base/logger.ts';
import { LmdbStore } from '../../../src/stores/lmdb/lmdb-store.ts';
import type { LogEntry } from '../../../src/stores/store.ts';
import { type ChildMode, StoreChild } from '../children.ts';

const asText = ({ bytes }: LogEntry): string => new TextDecoder().decode(bytes);

describe('LmdbStore after SIGKILL', () => {
  let directory: string;
  let children: StoreChild[];
  let stores: LmdbStore[];

  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), 'burgee-lmdb-crash-'));
    children = [];
    stores = [];
  });

  afterEach(async () => {
    for (const child of children) await child.kill();
    for (const store of stores) await store.close();
    rmSync(directory, { recursive: true, force: true });
  });

  const start = (mode: ChildMode, argument = '') => {
    const child = new StoreChild(mode, directory, { argument });
    children.push(child);
    return child;
  };

  const open = async () => {
    const store = new LmdbStore({ directory, logger: silentLogger });
    stores.push(store);
    return { store, opening: await store.open() };
  };

  /** Reads the whole log, and checks its content and that it has no gaps. */
  const readAll = async (store: LmdbStore, firstSeq: number, tip: number) => {
    const entries = await store.read(firstSeq, tip);
    expect(entries.length).toBe(tip - firstSeq + 1);
    for (const [index, entry] of entries.entries()) {
      expect(entry.seq).toBe(firstSeq + index);
      expect(asText(entry).startsWith(`entry ${entry.seq}`)).toBe(true);
    }
  };

  const digestMatches = async (store: LmdbStore) => {
    const loaded = await store.loadSnapshot();
    let sizeBytes = 0;
    for await (const piece of loaded?.pieces ?? []) sizeBytes += piece.length;
    expect(sizeBytes).toBe(loaded?.info.sizeBytes ?? 0);
    return loaded?.info ?? null;
  };

  it('has at least the counts that were handed over, at most those counted since, and none twice', async () => {
    let before = 0;
    for (let round = 0; round < 4; round++) {
      const child = start('counts');
      await child.line(({ handedOver }) => (handedOver ?? 0) >= 400 * (round + 1));
      await child.kill();
      const handedOver = Math.max(0, ...child.lines.map((line) => line.handedOver ?? 0));
      const counted = Math.max(0, ...child.lines.map((line) => line.counted ?? 0));
      const { store } = await open();
      const series = {
        name: 'kills',
        spanMs: 1_000_000_000_000,
        bucketsMax: 2,
        namesMax: 5_000,
        nameBytesMax: 100_000,
      };
      let all = 0;
      let sum = 0;
      for await (const { counts, dropped } of store.counters.read({
        series,
        fromMs: 0,
        toMs: Number.MAX_SAFE_INTEGER,
      })) {
        expect(dropped).toBe(0);
        for (const [name, count] of counts) {
          if (name === 'all') all = count;
          else sum += count;
        }
      }
      await store.close();
      expect(all - before).toBeGreaterThanOrEqual(handedOver);
      // One flush more than was reported: the kill may come between a flush and its report.
      expect(all - before).toBeLessThanOrEqual(counted + 200);
      // A flush is several batches; a crash between them may have stored some of them.
      expect(Math.abs(sum - all)).toBeLessThanOrEqual(200 * (round + 1));
      before = all;
    }
  });

  it('keeps every acknowledged entry, whatever the moment of the kill', async () => {
    let acknowledged = 0;
    for (const runMs of [5, 40, 90, 150, 300]) {
      const child = start('append');
      const { opening } = await child.line((line) => line.opening !== undefined);
      expect(opening?.tip).toBeGreaterThanOrEqual(acknowledged);
      await sleep(runMs);
      await child.kill();
      expect(child.lines.filter(({ failed, refused }) => failed ?? refused)).toEqual([]);
      acknowledged = Math.max(acknowledged, opening?.tip ?? 0, ...child.lines.map(({ tip }) => tip ?? 0));
    }
    expect(acknowledged).toBeGreaterThan(20);
    const { store, opening } = await open();
    expect(opening.tip).toBeGreaterThanOrEqual(acknowledged);
    await readAll(store, 1, opening.tip);
    // Every batch is complete: its event has the seq of its first entry as id, and the next event follows its last entry.
    const events = await store.readEventsForward(1, opening.tip);
    let expected = 1;
    for (const { id } of events) {
      expect(id).toBe(expected);
      expected += 1 + ((expected - 1) % 7);
    }
    expect(expected).toBe(opening.tip + 1);
  });

  it('keeps the previous snapshot when it is killed while it saves the next one', async () => {
    let savedSeq = 0;
    for (let round = 0; round < 4; round += 1) {
      const child = start('snapshots', '30');
      const { saved } = await child.line((line) => line.saved !== undefined);
      // Killed while the second snapshot of this run is being written.
      await child.line(({ saving }) => saving === (saved?.seq ?? 0) + 1);
      await sleep(round * 4);
      await child.kill();
      savedSeq = Math.max(savedSeq, ...child.lines.map(({ saved }) => saved?.seq ?? 0));
      const { store, opening } = await open();
      const info = await digestMatches(store);
      expect(info?.seq).toBeGreaterThanOrEqual(savedSeq);
      expect(info?.seq).toBeLessThanOrEqual(opening.tip);
      await readAll(store, 1, opening.tip);
      await store.close();
    }
  });

  it('has the snapshot and the whole log when it is killed between snapshot and trim, and can trim then', async () => {
    const child = start('untrimmed');
    const { saved } = await child.line((line) => line.saved !== undefined);
    await child.kill();
    const { store, opening } = await open();
    expect(opening).toMatchObject({ tip: 1_000, firstSeq: 1 });
    expect(await digestMatches(store)).toEqual(saved);
    await readAll(store, 1, 1_000);
    await store.trim(1_000);
    expect(await store.read(1_001, 10)).toEqual([]);
  });

  it('has a log without gaps when it is killed during a trim', async () => {
    const child = start('trims');
    await child.line(({ trimming }) => trimming === true);
    await sleep(10);
    await child.kill();
    const { store, opening } = await open();
    expect(opening.tip).toBe(20_000);
    expect((await digestMatches(store))?.seq).toBe(20_000);
    if (opening.firstSeq <= 20_000) await readAll(store, opening.firstSeq, 20_000);
    await store.trim(20_000);
    expect(await store.read(20_001, 1)).toEqual([]);
  });

  it('recovers at the next start when recovery itself was killed', async () => {
    const child = start('snapshots', '30');
    await child.line(({ saved }) => saved !== undefined);
    await child.line(({ saving }) => saving !== undefined && saving > 1);
    await child.kill();
    const savedSeq = Math.max(...child.lines.map(({ saved }) => saved?.seq ?? 0));
    // Recovery opens, checks, and removes the pieces of the unfinished snapshot. It is killed at several moments of this.
    for (const delayMs of [40, 60, 70, 80, 90]) {
      const recovering = start('hold');
      await sleep(delayMs);
      await recovering.kill();
    }
    const { store, opening } = await open();
    expect(opening.tip).toBeGreaterThanOrEqual(savedSeq);
    expect((await digestMatches(store))?.seq).toBeGreaterThanOrEqual(savedSeq);
    await readAll(store, 1, opening.tip);
  });

  it('refuses a second process, names the first one, and admits another one after SIGKILL of the first', async () => {
    const holder = start('hold');
    await holder.line(({ opening }) => opening !== undefined);
    for (let round = 0; round < 2; round += 1) {
      const refused = start('hold');
      const { refused: message, name } = await refused.line((line) => line.refused !== undefined);
      expect(name).toBe('StoreError');
      expect(message).toContain(`process ${holder.pid} on`);
      expect(message).toContain(directory);
      expect(message).toContain('DATA_DIR');
      await refused.kill();
    }
    await holder.kill();
    expect((await open()).opening.tip).toBe(0);
  });

  it('admits exactly one of many starting processes, despite the lock files of a killed one', async () => {
    const killed = start('hold');
    await killed.line(({ opening }) => opening !== undefined);
    await killed.kill();
    const starters = Array.from({ length: 8 }, () => start('hold'));
    const first = await Promise.all(
      starters.map((child) => child.line((line) => (line.opening ?? line.refused) !== undefined)),
    );
    expect(first.filter(({ opening }) => opening)).toHaveLength(1);
    expect(first.filter(({ refused }) => refused)).toHaveLength(7);
  });

  it('keeps one history if the directory lock fails and several processes append', async () => {
    const { store: created } = await open();
    await created.close();
    const contenders = Array.from({ length: 3 }, () => start('contend', '60'));
    await Promise.all(contenders.map((child) => child.line(({ opening }) => opening !== undefined)));
    writeFileSync(join(directory, 'go'), '');
    await Promise.all(contenders.map((child) => child.ended()));
    expect(contenders.map(({ exitCode }) => exitCode)).toEqual([0, 0, 0]);
    const { store, opening } = await open();
    expect(opening.tip).toBe(180);
    const entries = await store.read(1, 200);
    for (const child of contenders) {
      const own = entries.filter((entry) => asText(entry).endsWith(` of ${child.pid}`)).map(({ seq }) => seq);
      expect(own).toEqual(child.lines.flatMap(({ tip }) => tip ?? []));
    }
  });

  it.each(['', 'close'])('does not keep a process alive (%s)', async (argument) => {
    const child = start('leave', argument);
    await child.line(({ opening }) => opening !== undefined);
    await child.ended();
    expect(child.exitCode).toBe(0);
    expect(existsSync(join(directory, 'data.mdb'))).toBe(true);
    expect((await open()).opening.tip).toBe(0);
  });
});
