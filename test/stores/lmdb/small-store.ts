import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { silentLogger } from '../../../src/base/logger.ts';
import { LmdbStore } from '../../../src/stores/lmdb/lmdb-store.ts';

export const PAGE_BYTES = 4_096;

const bytes = (content: string) => new TextEncoder().encode(content);

async function* pieces(): AsyncGenerator<Uint8Array> {
  for (let index = 0; index < 4; index += 1) yield bytes(`piece ${index} `.padEnd(3_000, 'p'));
}

/** Makes a small store with every table in use, free pages, records on overflow pages, and a tree of two levels. */
export async function fillSmall(directory: string): Promise<void> {
  const store = new LmdbStore({ directory, logger: silentLogger });
  await store.open();
  let tip = 0;
  const append = async (count: number) => {
    const seqs = Array.from({ length: count }, (_, index) => tip + 1 + index);
    const entries = seqs.map((seq) => ({
      seq,
      bytes: bytes(`entry ${seq} `.padEnd(seq % 20 === 0 ? 6_000 : 90, 'e')),
    }));
    const events = seqs.map((id) => ({ id, bytes: bytes(`event ${id} `.padEnd(60, 'v')) }));
    await store.append({ expectedTip: tip, writeId: `write-${tip}`, entries, events });
    tip += count;
  };
  const series = { name: 'test', spanMs: 1_000, bucketsMax: 9, namesMax: 100, nameBytesMax: 10_000 };
  await store.counters.add({ series, startMs: 0 }, new Map([['flag', 3]]), { recorder: 'r', number: 1 });
  for (let round = 0; round < 4; round += 1) await append(25);
  await store.saveSnapshot(50, pieces());
  await store.trim(50);
  await append(1);
  await store.close();
}

/** Makes a changed copy of a store that is closed, and returns its directory. */
export function damagedCopy(original: string, directory: string, change: (file: Buffer) => void): string {
  cpSync(original, directory, { recursive: true, filter: (path) => !path.endsWith('lock') });
  const file = readFileSync(join(original, 'data.mdb'));
  change(file);
  writeFileSync(join(directory, 'data.mdb'), file);
  return directory;
}

/** Opens the store and closes it again. @throws what `open` throws */
export async function opening(directory: string) {
  const store = new LmdbStore({ directory, logger: silentLogger });
  try {
    return await store.open();
  } finally {
    await store.close();
  }
}
