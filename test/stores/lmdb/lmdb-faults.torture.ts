import { copyFileSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { silentLogger } from '../../../src/base/logger.ts';
import { FreeDiskSpace } from '../../../src/stores/lmdb/free-disk-space.ts';
import { LmdbEnvironment } from '../../../src/stores/lmdb/lmdb-environment.ts';
import { LmdbStore } from '../../../src/stores/lmdb/lmdb-store.ts';
import { StoreError } from '../../../src/stores/store.ts';
import { type ChildLine, type Injection, StoreChild, straceWorks } from '../children.ts';
import { batchOf } from '../store-contract.ts';

const bytes = (content: string) => new TextEncoder().encode(content);

async function* piecesOf(...contents: string[]): AsyncGenerator<Uint8Array> {
  for (const content of contents) yield bytes(content);
}

let directory: string;
let store: LmdbStore | undefined;

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'burgee-lmdb-faults-'));
  store = undefined;
});

afterEach(async () => {
  await store?.close();
  rmSync(directory, { recursive: true, force: true });
});

const openPlain = async () => {
  store = new LmdbStore({ directory, logger: silentLogger });
  return { store, opening: await store.open() };
};

/** An environment whose commits fail on demand, after LMDB's own work or instead of it. */
class FailingEnvironment extends LmdbEnvironment {
  fault: Error | null = null;

  protected override async commit(transaction: () => Promise<boolean>): Promise<boolean> {
    if (this.fault) throw this.fault;
    return transaction();
  }
}

const failure = (message: string, code: number) => Object.assign(new Error(message), { code });

async function openFailing(freeBytes = Number.POSITIVE_INFINITY) {
  const disk = { freeBytes };
  const environments: FailingEnvironment[] = [];
  store = new LmdbStore({
    directory,
    logger: silentLogger,
    openEnvironment: (path) => {
      environments.push(new FailingEnvironment(path, new FreeDiskSpace(() => disk.freeBytes)));
      return environments[0] as FailingEnvironment;
    },
  });
  await store.open();
  return { store, disk, environment: environments[0] as FailingEnvironment };
}

const errorOf = (promise: Promise<unknown>): Promise<StoreError> =>
  promise.then(
    () => Promise.reject(new Error('was expected to fail')),
    (error) => error as StoreError,
  );

describe('LmdbStore when a sync fails', () => {
  it('acknowledges nothing, refuses all later writes, and can still be read', async () => {
    const { store: failing, environment } = await openFailing();
    await failing.append(batchOf(0, [bytes('one')], [1]));
    environment.fault = failure('Input/output error', 5);
    const queued = [1, 2].map((tip) => errorOf(failing.append(batchOf(tip, [bytes('lost')], [2]))));
    for (const error of await Promise.all(queued)) {
      expect(error).toBeInstanceOf(StoreError);
      expect(error.outcome).toBe('not-appended');
      expect(error.message).toMatch(/Input\/output error.*start/);
    }
    // A second sync would report data as written that the first one lost.
    environment.fault = null;
    for (const attempt of [
      () => failing.append(batchOf(1, [bytes('after')])),
      () => failing.saveSnapshot(1, piecesOf('state')),
    ]) {
      const error = await errorOf(attempt());
      expect(error).toBeInstanceOf(StoreError);
      expect(error.message).toMatch(/restart/);
    }
    expect(failing.status()).toMatchObject({ reachable: false, reason: 'Input/output error' });
    expect(await failing.tip()).toBe(1);
    expect(await failing.read(1, 10)).toHaveLength(1);
    expect(await failing.readEvents(100, 10)).toHaveLength(1);
    await failing.close();
    const { opening, store: reopened } = await openPlain();
    expect(opening.tip).toBe(1);
    expect(await reopened.append(batchOf(1, [bytes('two')]))).toMatchObject({ status: 'appended' });
  });

  it('keeps the previous snapshot when a sync fails while the next one is saved', async () => {
    const { store: failing, environment } = await openFailing();
    await failing.append(batchOf(0, [bytes('one'), bytes('two')]));
    await failing.saveSnapshot(1, piecesOf('kept'));
    const pieces = async function* () {
      yield bytes('next');
      environment.fault = failure('Input/output error', 5);
    };
    expect((await errorOf(failing.saveSnapshot(2, pieces()))).outcome).toBe('not-appended');
    expect((await failing.loadSnapshot())?.info.seq).toBe(1);
    await failing.close();
    const { store: reopened } = await openPlain();
    expect((await reopened.loadSnapshot())?.info.seq).toBe(1);
  });
});

describe('LmdbStore whose data file is removed or replaced', () => {
  it.each([
    ['removed', () => rmSync(join(directory, 'data.mdb'))],
    [
      'replaced by a copy of it',
      () => {
        copyFileSync(join(directory, 'data.mdb'), join(directory, 'copy'));
        renameSync(join(directory, 'copy'), join(directory, 'data.mdb'));
      },
    ],
  ])('%s: refuses writes, reports the reason, and can still be read', async (_, takeAway) => {
    const { store: taken } = await openPlain();
    await taken.append(batchOf(0, [bytes('kept')]));
    await taken.probe();
    takeAway();
    await expect(taken.probe()).rejects.toThrow('data.mdb was removed or replaced');
    expect(taken.status()).toMatchObject({ reachable: false, refusal: 'disk-failed' });
    await expect(taken.append(batchOf(1, [bytes('lost')]))).rejects.toMatchObject({ outcome: 'not-appended' });
    expect((await taken.read(1, 10)).map((entry) => Buffer.from(entry.bytes).toString())).toEqual(['kept']);
  });

  it('by its own erasing: still writes', async () => {
    const { store: own } = await openPlain();
    await own.append(batchOf(0, [bytes('dropped')]));
    await own.saveSnapshot(1, piecesOf('state'));
    await own.trim(1, { erase: true });
    await own.probe();
    expect(await own.append(batchOf(1, [bytes('next')]))).toMatchObject({ status: 'appended' });
  });
});

describe('LmdbStore without disk space', () => {
  it('refuses what does not fit before LMDB tries to write it, and writes again once there is space', async () => {
    const { store: full, disk } = await openFailing(1e9);
    await full.append(batchOf(0, [bytes('one')]));
    disk.freeBytes = 17 * 2 ** 20;
    // Space that is known to be free is used first, without another check of the disk.
    const large = [new Uint8Array(30_000_000)];
    let tip = 1;
    let error: StoreError | undefined;
    for (let attempt = 0; attempt < 40 && !error; attempt += 1) {
      await full.append(batchOf(tip, large)).then(
        () => {
          tip += 1;
        },
        (caught) => {
          error = caught as StoreError;
        },
      );
    }
    expect(error?.outcome).toBe('not-appended');
    expect(error?.message).toMatch(/no space left.*Free some disk space/);
    expect(full.status()).toEqual({ reachable: true });
    disk.freeBytes = 1e9;
    expect(await full.append(batchOf(tip, [bytes('after')]))).toMatchObject({ status: 'appended' });
  });

  it('can still trim when there is no space to append', async () => {
    const { store: full, disk } = await openFailing(1e9);
    await full.append(batchOf(0, [bytes('one'), bytes('two')]));
    await full.saveSnapshot(2, piecesOf('state'));
    disk.freeBytes = 10 * 2 ** 20;
    await full.trim(2);
    await expect(full.read(1, 1)).rejects.toThrow(/trimmed/);
  });

  it('leaves no gap when trimming fails, and trims everything the next time', async () => {
    const { store: full, environment } = await openFailing();
    await full.append(batchOf(0, Array(600).fill(bytes('entry'))));
    await full.saveSnapshot(600, piecesOf('state'));
    environment.fault = failure('No space left on device', 28);
    await errorOf(full.trim(600));
    environment.fault = null;
    expect(await full.read(1, 600)).toHaveLength(600);
    await full.trim(600);
    await full.close();
    expect((await openPlain()).opening).toMatchObject({ tip: 600, firstSeq: 601 });
  });

  it('writes again after the disk reported that it was full', async () => {
    const { store: full, environment } = await openFailing();
    await full.append(batchOf(0, [bytes('one')]));
    environment.fault = failure('No space left on device', 28);
    const error = await errorOf(full.append(batchOf(1, [bytes('two')])));
    expect(error.outcome).toBe('not-appended');
    environment.fault = null;
    expect(await full.append(batchOf(1, [bytes('two')]))).toMatchObject({ status: 'appended' });
  });

  it('refuses all later writes after lmdb-js reports a page that did not fit, because lmdb-js overwrites memory then', async () => {
    const { store: full, environment } = await openFailing();
    environment.fault = failure('No space left on device: Attempting to write page at position 4096', 28);
    expect((await errorOf(full.append(batchOf(0, [bytes('one')])))).outcome).toBe('not-appended');
    environment.fault = null;
    expect((await errorOf(full.append(batchOf(0, [bytes('one')])))).message).toMatch(/restart/);
  });
});

/** Failing system calls of a real process. `mayAbort`: lmdb-js overwrites memory when a page cannot be written, and may crash then. */
const INJECTIONS: { name: string; inject: Injection; mayAbort?: boolean }[] = [
  { name: 'every fdatasync', inject: { call: 'fdatasync', error: 'EIO', when: '20+' } },
  { name: 'one fdatasync', inject: { call: 'fdatasync', error: 'EIO', when: '20' } },
  { name: 'one fdatasync (full disk)', inject: { call: 'fdatasync', error: 'ENOSPC', when: '20' } },
  ...['40', '41', '42', '43', '40+', '41+'].map((when) => ({
    name: `a write of a data or meta page (${when})`,
    inject: { call: 'pwrite64', error: 'EIO', when } as const,
    mayAbort: true,
  })),
  { name: 'a write (full disk)', inject: { call: 'pwrite64', error: 'ENOSPC', when: '41' }, mayAbort: true },
];

describe('LmdbStore under strace', () => {
  // Without strace, only FailingEnvironment above simulates disk faults. This list is empty then, and a warning is logged.
  const injections = straceWorks() ? INJECTIONS : [];

  it('runs with every injection if strace is installed', () => {
    if (injections.length === 0) console.warn('strace is missing: failing syncs were simulated only');
    expect(injections.length === 0 || injections.length === INJECTIONS.length).toBe(true);
  });

  it.each(injections)('stores every acknowledged entry when $name fails', async ({ inject, mayAbort }) => {
    const child = new StoreChild('append', directory, { inject });
    try {
      const first = await child.line(({ failed }) => failed !== undefined).catch((error: Error) => error);
      // The child continues and is killed while it works: entries that it did not report yet may be stored.
      const goesOn = inject.error === 'ENOSPC' && inject.call === 'fdatasync';
      if (goesOn) await child.line(({ tip }) => (tip ?? 0) > 60);
      else await child.ended();
      await child.kill();
      const failedAt = child.lines.findIndex(({ failed }) => failed !== undefined);
      const acknowledged = lastTip(child.lines);
      if (first instanceof Error) expect(mayAbort).toBe(true);
      else if (inject.error === 'EIO') checkPoisoned(child.lines.slice(failedAt));
      const { opening, store: reopened } = await openPlain();
      const unknown = child.lines.find(({ outcome }) => outcome === 'unknown');
      if (goesOn || unknown || first instanceof Error) expect(opening.tip).toBeGreaterThanOrEqual(acknowledged);
      else expect(opening.tip).toBe(acknowledged);
      expect(await reopened.read(1, opening.tip)).toHaveLength(opening.tip);
    } finally {
      await child.kill();
    }
  });
});

const lastTip = (lines: readonly ChildLine[]): number => Math.max(0, ...lines.map(({ tip }) => tip ?? 0));

/** After the first failure, nothing is acknowledged, and reads return the previous tip or an error. */
function checkPoisoned(lines: readonly ChildLine[]): void {
  expect(lines.filter(({ tip }) => tip !== undefined)).toEqual([]);
  for (const line of lines.filter(({ failed }) => failed !== undefined)) {
    expect(line.name).toBe('StoreError');
    expect(line.status?.reachable).toBe(false);
    expect(typeof line.read === 'number' || line.read === 'StoreError').toBe(true);
  }
  const [, ...later] = lines.filter(({ failed }) => failed !== undefined);
  expect(later.every(({ outcome }) => outcome === 'not-appended')).toBe(true);
}
