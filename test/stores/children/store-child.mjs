// One process on one data directory: node store-child.mjs MODE DIRECTORY [ARGUMENT]. It tells what it did, a JSON line at a time, written
// synchronously, so that a line that was printed before SIGKILL is a line that arrives.
import { existsSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { CounterRecorder } from '../../../dist/src/features/usage/counter-recorder.js';
import { systemClock } from '../../../dist/src/base/clock.js';
import { silentLogger } from '../../../dist/src/base/logger.js';
import { DiskRoom } from '../../../dist/src/stores/lmdb/disk-room.js';
import { LmdbEnvironment } from '../../../dist/src/stores/lmdb/lmdb-environment.js';
import { LmdbStore } from '../../../dist/src/stores/lmdb/lmdb-store.js';

const [mode, directory, argument] = process.argv.slice(2);
// `contend` goes without the directory lock: the log must not fork even if that failed.
const noLock = async () => ({ release: async () => {} });
// `unaware` never looks at the disk: as if it was filled right after every look.
const openUnaware = (path) => new LmdbEnvironment(path, new DiskRoom(() => Number.POSITIVE_INFINITY));
const store = new LmdbStore({
  directory,
  logger: silentLogger,
  ...(mode === 'contend' && { lock: noLock }),
  ...(mode === 'unaware' && { openEnvironment: openUnaware }),
});
const tell = (line) => writeSync(1, `${JSON.stringify(line)}\n`);
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
  /** Holds the directory. */
  hold: () => {},
  /** Appends batches of 1 to 7 entries for ever; a failure is told, and tried again twice. */
  append: async ({ tip }) => {
    let failures = 0;
    while (failures < 3) {
      const count = 1 + (tip % 7);
      try {
        const { status } = await store.append(batch(tip, count, argument));
        if (status !== 'appended') return tell({ conflict: tip });
        tip += count;
        tell({ tip });
      } catch (error) {
        failures += 1;
        const read = await store.tip().catch((readError) => readError.name);
        tell({ failed: error.message, name: error.name, outcome: error.outcome, status: store.status(), read });
      }
    }
    await store.close();
    tell({ closed: true });
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
        pieces(Number(argument), `snapshot ${tip}`, (index) => index === 2 && tell({ saving: tip })),
      );
      tell({ saved: info });
    }
  },
  /** A snapshot of everything, but no trim: as if killed between the two. */
  untrimmed: async ({ tip }) => {
    await store.append(batch(tip, 1_000));
    tell({ saved: await store.saveSnapshot(tip + 1_000, pieces(3, 'whole')) });
  },
  /** Trims again and again in steps, until killed. */
  trims: async ({ tip }) => {
    await store.append(batch(tip, 20_000));
    await store.saveSnapshot(tip + 20_000, pieces(3, 'whole'));
    tell({ trimming: true });
    await store.trim(tip + 20_000);
    tell({ trimmed: true });
  },
  /** Appends without a pause; each thousandth entry or so is followed by a snapshot, and all before it, which hold `argument`, is erased. */
  erases: async ({ tip, residue }) => {
    tell({ residue });
    let erasing;
    let told = tip;
    for (let next = tip + 20; ; ) {
      await store.append(batch(tip, 1, argument.padEnd(2_000, '.')));
      tip += 1;
      if (tip < next || erasing) continue;
      const seq = tip;
      next = tip + 20;
      erasing = store
        .saveSnapshot(seq, pieces(3, 'clean'))
        .then(() => tell({ erasing: seq }))
        .then(() => store.trim(seq, { erase: true }))
        .then(() => {
          erasing = undefined;
          tell({ erased: seq });
        });
      tell({ tip, since: told });
      told = tip;
    }
  },
  /** Appends `argument` entries against whoever else does, without the directory lock. */
  contend: async ({ tip }) => {
    // All open before any appends: whoever opens a file that is being written to may take it for damaged, and refuse it.
    while (!existsSync(join(directory, 'go'))) await sleep(5);
    for (let won = 0; won < Number(argument); ) {
      const outcome = await store.append(batch(tip, 1, ` of ${process.pid}`));
      if (outcome.status === 'appended') {
        won += 1;
        tip += 1;
        tell({ tip });
      } else tip = outcome.tip;
    }
    await store.close();
  },
  /** Counts for ever, under a name of its own each time and one for all, and hands it over now and then. */
  counts: async () => {
    const recorder = new CounterRecorder(store.counters, systemClock, silentLogger, { recorder: `p${process.pid}` });
    const series = { name: 'kills', spanMs: 1_000_000_000_000, bucketsMax: 2, namesMax: 5_000, nameBytesMax: 100_000 };
    for (let counted = 0; ; ) {
      for (let round = 0; round < 200; round += 1) {
        counted += 1;
        recorder.count(series, 'all');
        recorder.count(series, `name-${counted % 1_000}`);
      }
      tell({ counted });
      await recorder.flush();
      tell({ handedOver: counted });
    }
  },
  /** Releases the directory after a moment and ends by itself: nothing may keep the process alive. */
  leave: async () => {
    await sleep(20);
    if (argument === 'close') await store.close();
  },
};

try {
  const opening = await store.open();
  tell({ opening });
  if (mode === 'leave') await modes.leave();
  else {
    const keepAlive = setInterval(() => {}, 60_000);
    await modes[mode](opening);
    if (mode === 'contend' || mode === 'append') clearInterval(keepAlive);
  }
} catch (error) {
  tell({ refused: error.message, name: error.name });
  process.exitCode = 3;
}
