// One process on one data directory: node store-child.mjs MODE DIRECTORY [ARGUMENT]. It prints what it did, one JSON line at a time, written
// synchronously, so that every line that was printed before SIGKILL arrives.
import { existsSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { CounterRecorder } from '../../../dist/src/features/usage/counter-recorder.js';
import { systemClock } from '../../../dist/src/base/clock.js';
import { silentLogger } from '../../../dist/src/base/logger.js';
import { FreeDiskSpace } from '../../../dist/src/stores/lmdb/free-disk-space.js';
import { LmdbEnvironment } from '../../../dist/src/stores/lmdb/lmdb-environment.js';
import { LmdbStore } from '../../../dist/src/stores/lmdb/lmdb-store.js';

const [mode, directory, argument] = process.argv.slice(2);
// `contend` runs without the directory lock: the log must not fork even if the lock fails.
const noLock = async () => ({ release: async () => {} });
// `unaware` never checks the free disk space, as if the disk became full right after every check.
const openUnaware = (path) => new LmdbEnvironment(path, new FreeDiskSpace(() => Number.POSITIVE_INFINITY));
const store = new LmdbStore({
  directory,
  logger: silentLogger,
  ...(mode === 'contend' && { lock: noLock }),
  ...(mode === 'unaware' && { openEnvironment: openUnaware }),
});
const print = (line) => writeSync(1, `${JSON.stringify(line)}\n`);
const bytes = (content) => new TextEncoder().encode(content);

const batch = (tip, count = 1, padding = '') => ({
  expectedTip: tip,
  writeId: `write ${tip}`,
  entries: Array.from({ length: count }, (_, index) => ({
    seq: tip + 1 + index,
    bytes: bytes(`entry ${tip + 1 + index}${padding}`),
  })),
  events: [{ id: tip + 1, bytes: bytes(`event ${tip + 1}`) }],
});

async function* pieces(count, label, onPiece = () => {}) {
  for (let index = 0; index < count; index += 1) {
    onPiece(index);
    yield bytes(`${label} piece ${index} `.padEnd(100_000, '.'));
  }
}

const modes = {
  /** Keeps the directory locked. */
  hold: () => {},
  /** Appends batches of 1 to 7 entries until the third failure. Failures are printed. */
  append: async ({ tip }) => {
    let failures = 0;
    while (failures < 3) {
      const count = 1 + (tip % 7);
      try {
        const { status } = await store.append(batch(tip, count, argument));
        if (status !== 'appended') return print({ conflict: tip });
        tip += count;
        print({ tip });
      } catch (error) {
        failures += 1;
        const read = await store.tip().catch((readError) => readError.name);
        print({ failed: error.message, name: error.name, outcome: error.outcome, status: store.status(), read });
      }
    }
    await store.close();
    print({ closed: true });
  },
  /** As `append`, with large entries. */
  unaware: (opening) => modes.append(opening),
  /** Appends and saves one snapshot after the other; `argument` pieces each. */
  snapshots: async ({ tip }) => {
    for (;;) {
      await store.append(batch(tip));
      tip += 1;
      const info = await store.saveSnapshot(
        tip,
        pieces(Number(argument), `snapshot ${tip}`, (index) => index === 2 && print({ saving: tip })),
      );
      print({ saved: info });
    }
  },
  /** A snapshot of everything, but no trim: as if killed between the two. */
  untrimmed: async ({ tip }) => {
    await store.append(batch(tip, 1_000));
    print({ saved: await store.saveSnapshot(tip + 1_000, pieces(3, 'whole')) });
  },
  /** Trims a long log, which takes many steps. */
  trims: async ({ tip }) => {
    await store.append(batch(tip, 20_000));
    await store.saveSnapshot(tip + 20_000, pieces(3, 'whole'));
    print({ trimming: true });
    await store.trim(tip + 20_000);
    print({ trimmed: true });
  },
  /** Appends entries with `argument` without a pause. About every 20 entries, it saves a snapshot and erases all entries before it. */
  erases: async ({ tip, hasResidue }) => {
    print({ hasResidue });
    let erasing;
    let reported = tip;
    for (let next = tip + 20; ; ) {
      await store.append(batch(tip, 1, argument.padEnd(2_000, '.')));
      tip += 1;
      if (tip < next || erasing) continue;
      const seq = tip;
      next = tip + 20;
      erasing = store
        .saveSnapshot(seq, pieces(3, 'clean'))
        .then(() => print({ erasing: seq }))
        .then(() => store.trim(seq, { erase: true }))
        .then(() => {
          erasing = undefined;
          print({ erased: seq });
        });
      print({ tip, since: reported });
      reported = tip;
    }
  },
  /** Appends `argument` entries while other processes append too, without the directory lock. */
  contend: async ({ tip }) => {
    // All processes open the store before one appends: a process that opens a file during a write may refuse it as damaged.
    while (!existsSync(join(directory, 'go'))) await sleep(5);
    for (let won = 0; won < Number(argument); ) {
      const outcome = await store.append(batch(tip, 1, ` of ${process.pid}`));
      if (outcome.status === 'appended') {
        won += 1;
        tip += 1;
        print({ tip });
      } else tip = outcome.tip;
    }
    await store.close();
  },
  /** Counts until it is killed, under one common name and under changing names, and hands the counts over every 200 rounds. */
  counts: async () => {
    const recorder = new CounterRecorder(store.counters, systemClock, silentLogger, { recorder: `p${process.pid}` });
    const series = { name: 'kills', spanMs: 1_000_000_000_000, bucketsMax: 2, namesMax: 5_000, nameBytesMax: 100_000 };
    for (let counted = 0; ; ) {
      for (let round = 0; round < 200; round += 1) {
        counted += 1;
        recorder.count(series, 'all');
        recorder.count(series, `name-${counted % 1_000}`);
      }
      print({ counted });
      await recorder.flush();
      print({ handedOver: counted });
    }
  },
  /** Ends by itself after a moment, with or without closing the store: nothing may keep the process alive. */
  leave: async () => {
    await sleep(20);
    if (argument === 'close') await store.close();
  },
};

try {
  const opening = await store.open();
  print({ opening });
  if (mode === 'leave') await modes.leave();
  else {
    const keepAlive = setInterval(() => {}, 60_000);
    await modes[mode](opening);
    if (mode === 'contend' || mode === 'append') clearInterval(keepAlive);
  }
} catch (error) {
  print({ refused: error.message, name: error.name });
  process.exitCode = 3;
}
