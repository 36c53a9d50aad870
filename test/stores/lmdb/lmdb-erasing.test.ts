import { existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { silentLogger } from '../../../src/base/logger.ts';
import { FreeDiskSpace } from '../../../src/stores/lmdb/free-disk-space.ts';
import { LmdbStore } from '../../../src/stores/lmdb/lmdb-store.ts';
import { filesWith } from '../../support/http/raw-bytes.ts';
import { dropThrough } from '../store-contract.ts';
import { batch, expectWhole, type Filling, fill, pieces, SECRET } from './erased-store.ts';
import { FailingEnvironment, failure } from './failing-environment.ts';

/** Few entries, so that this takes milliseconds. lmdb-erasing.torture.ts has more of them, and kills the process while it erases. */
const FILLING: Filling = { trimmedSeq: 6, secretSeq: 15, snapshotSeq: 18, tip: 24 };

describe('LmdbStore that erases what it trims', () => {
  let directory: string;
  let stores: LmdbStore[];
  /** The environments that the last store opened: the one of its directory, then those of its copies. */
  let environments: FailingEnvironment[];
  let freeBytesOfCopy: number;
  /** Called before each commit to a copy. The commits are: its tip, the pieces, the events, the log, then what changed meanwhile. */
  let beforeCommitToCopy: (commitsBefore: number) => Promise<void>;

  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), 'burgee-lmdb-erased-'));
    stores = [];
    freeBytesOfCopy = Number.POSITIVE_INFINITY;
    beforeCommitToCopy = async () => {};
  });

  afterEach(async () => {
    for (const store of stores) await store.close();
    rmSync(directory, { recursive: true, force: true });
  });

  const open = async () => {
    environments = [];
    const openEnvironment = (path: string) => {
      const isCopy = path !== directory;
      const freeBytes = () => (isCopy ? freeBytesOfCopy : Number.POSITIVE_INFINITY);
      const environment = new FailingEnvironment(path, new FreeDiskSpace(freeBytes));
      if (isCopy) environment.beforeCommit = (commitsBefore) => beforeCommitToCopy(commitsBefore);
      environments.push(environment);
      return environment;
    };
    const store = new LmdbStore({ directory, logger: silentLogger, openEnvironment });
    stores.push(store);
    return { store, opening: await store.open() };
  };

  const openFilled = async () => {
    const { store, opening } = await open();
    await fill(store, FILLING);
    return { store, opening };
  };

  const reopen = async (store: LmdbStore) => {
    await store.close();
    return open();
  };

  const isCopyGone = () => expect(existsSync(join(directory, 'rewritten'))).toBe(false);

  it('leaves no trimmed content in any file, and keeps everything else', async () => {
    const { store, opening } = await openFilled();
    await store.trim(15);
    expect(filesWith(directory, SECRET)).toEqual(['data.mdb']);
    await store.trim(18, { erase: true });
    expect(filesWith(directory, SECRET)).toEqual([]);
    isCopyGone();
    await expectWhole(store, 18, 19, 24);
    await expect(store.read(18, 1)).rejects.toThrow('log entry 18 was trimmed; the log begins at 19');
    expect((await store.append(batch(24, 'harmless'))).status).toBe('appended');
    const again = await reopen(store);
    expect(again.opening).toEqual({ epoch: opening.epoch, tip: 27, firstSeq: 19, hasResidue: false });
    await expectWhole(again.store, 18, 19, 27);
  });

  it('erases a store without a snapshot, which has nothing to trim', async () => {
    const { store } = await open();
    await store.append(batch(0, 'harmless'));
    await store.trim(0, { erase: true });
    expect((await reopen(store)).opening).toMatchObject({ tip: 3, firstSeq: 1, hasResidue: false });
  });

  it('keeps what is appended, and the counts that are added, while it erases', async () => {
    const { store } = await openFilled();
    const series = { name: 'uses', spanMs: 1_000, bucketsMax: 9, namesMax: 9, nameBytesMax: 1_000 };
    const add = (number: number) =>
      store.counters.add({ series, startMs: 0 }, new Map([['flag', 1]]), { recorder: 'r', number });
    await add(1);
    beforeCommitToCopy = async (commitsBefore) => {
      if (commitsBefore !== 3) return;
      await store.append(batch(24, 'harmless'));
      await add(2);
    };
    await store.trim(18, { erase: true });
    const { store: again } = await reopen(store);
    await expectWhole(again, 18, 19, 27);
    const counts = [];
    for await (const bucket of again.counters.read({ series, fromMs: 0, toMs: 1 })) counts.push([...bucket.counts]);
    expect(counts).toEqual([[['flag', 2]]]);
  });

  it('does not keep audit events that are dropped after they were copied', async () => {
    const { store } = await openFilled();
    beforeCommitToCopy = async (commitsBefore) => {
      if (commitsBefore === 3) await dropThrough(store, 9);
    };
    await store.trim(18, { erase: true });
    const { store: again } = await reopen(store);
    expect((await again.readEventsForward(1, 100)).map(({ id }) => id)).toEqual([10, 13, 16, 19, 22]);
  });

  it('trims, but cannot erase, without space for a second file, and reports residue at the next start', async () => {
    const { store } = await openFilled();
    freeBytesOfCopy = 0;
    await expect(store.trim(18, { erase: true })).rejects.toThrow('there is no space left on its disk. Free some disk');
    await expectWhole(store, 18, 19, 24);
    isCopyGone();
    const again = await reopen(store);
    expect(again.opening).toMatchObject({ firstSeq: 19, hasResidue: true });
    freeBytesOfCopy = Number.POSITIVE_INFINITY;
    await again.store.trim(18, { erase: true });
    expect(filesWith(directory, SECRET)).toEqual([]);
    expect((await reopen(again.store)).opening.hasResidue).toBe(false);
  });

  it('changes nothing if a write to the store fails during the copy', async () => {
    const { store } = await openFilled();
    beforeCommitToCopy = async (commitsBefore) => {
      const [own] = environments;
      if (commitsBefore !== 3 || !own) return;
      own.fault = failure('Input/output error', 5);
      await expect(store.append(batch(24, 'lost'))).rejects.toThrow('Input/output error');
      own.fault = null;
    };
    await expect(store.trim(18, { erase: true })).rejects.toThrow(
      'Input/output error. Nothing is written until Burgee is started again',
    );
    isCopyGone();
    expect(store.status()).toMatchObject({ reachable: false, refusal: 'disk-failed' });
    expect((await store.read(7, 100)).map(({ seq }) => seq)).toEqual(Array.from({ length: 18 }, (_, at) => at + 7));
    expect((await reopen(store)).opening).toMatchObject({ tip: 24, firstSeq: 7, hasResidue: true });
  });

  it('writes nothing more if it is not known which files the directory has', async () => {
    const { store } = await openFilled();
    // The data file is moved to its place, and the lock file cannot be.
    rmSync(join(directory, 'lock.mdb'));
    mkdirSync(join(directory, 'lock.mdb'));
    const refused = /EISDIR.* Nothing is written until Burgee is started again/;
    await expect(store.trim(18, { erase: true })).rejects.toThrow(refused);
    await expect(store.append(batch(24, 'lost'))).rejects.toThrow(refused);
    expect(store.status()).toMatchObject({ reachable: false, reason: expect.stringContaining('EISDIR') });
    await store.close();
    rmSync(join(directory, 'lock.mdb'), { recursive: true });
    const again = await open();
    expect(again.opening).toMatchObject({ tip: 24, firstSeq: 19, hasResidue: false });
    await expectWhole(again.store, 18, 19, 24);
  });

  it('stops when the store is closed, and keeps all entries that are not trimmed', async () => {
    const { store } = await openFilled();
    let closing: Promise<void> | undefined;
    beforeCommitToCopy = async (commitsBefore) => {
      if (commitsBefore === 2) closing = store.close();
    };
    await expect(store.trim(18, { erase: true })).rejects.toThrow('the store is being closed');
    await closing;
    isCopyGone();
    const again = await open();
    expect(again.opening).toMatchObject({ firstSeq: 7, hasResidue: true });
    await again.store.trim(18, { erase: true });
    await expectWhole(again.store, 18, 19, 24);
  });

  it('erases only what a snapshot covers, and nothing while another snapshot is saved', async () => {
    const { store } = await openFilled();
    await expect(store.trim(19, { erase: true })).rejects.toThrow('cannot trim through 19: no snapshot covers it');
    const slow = async function* () {
      yield* pieces('harmless');
      await expect(store.trim(18, { erase: true })).rejects.toThrow(
        'nothing is erased while the snapshot is exchanged',
      );
    };
    await store.saveSnapshot(21, slow());
    const erasing = store.trim(21, { erase: true });
    await expect(store.saveSnapshot(24, pieces('x'))).rejects.toThrow('one snapshot is saved at a time');
    await erasing;
    await expectWhole(store, 21, 22, 24);
  });
});
