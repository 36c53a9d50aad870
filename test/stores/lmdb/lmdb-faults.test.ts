import { copyFileSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { silentLogger } from '../../../src/base/logger.ts';
import { FreeDiskSpace } from '../../../src/stores/lmdb/free-disk-space.ts';
import { LmdbStore } from '../../../src/stores/lmdb/lmdb-store.ts';
import { StoreError } from '../../../src/stores/store.ts';
import { batchOf } from '../store-contract.ts';
import { FailingEnvironment, failure } from './failing-environment.ts';

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
    await expect(full.probe()).rejects.toThrow('there is no space left on its disk. Free some disk space');
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
