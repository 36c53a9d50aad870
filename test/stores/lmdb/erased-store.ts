import { expect } from 'vitest';
import type { LmdbStore } from '../../../src/stores/lmdb/lmdb-store.ts';

/** What must be in no file after it was erased. */
export const SECRET = '*:development.0f1e2d3c4b5a69788796a5b4c3d2e1f0';

const bytes = (content: string) => new TextEncoder().encode(content);
const text = ({ bytes: content }: { bytes: Uint8Array }) => new TextDecoder().decode(content);

/** A batch of one event and three entries of varying size, one of them long. */
export function batch(tip: number, content: string) {
  const entries = [1, 2, 3].map((offset) => ({
    seq: tip + offset,
    bytes: bytes(
      `${tip + offset} ${content} `.padEnd(((tip * 7 + offset * 991) % 3_000) + (offset === 3 ? 9_000 : 0), '.'),
    ),
  }));
  return { expectedTip: tip, writeId: 'w', entries, events: [{ id: tip + 1, bytes: bytes(`event ${tip + 1}`) }] };
}

export async function* pieces(content: string): AsyncGenerator<Uint8Array> {
  for (let index = 0; index < 10; index += 1) yield bytes(`piece ${index} ${content} `.padEnd(700 * (index + 1), '.'));
}

/** The content of a store that has something to erase: entries up to `secretSeq` have the secret, and the last snapshot covers more. */
export interface Filling {
  readonly trimmedSeq: number;
  readonly secretSeq: number;
  readonly snapshotSeq: number;
  readonly tip: number;
}

/** Stores entries and a snapshot with the secret, then entries and a snapshot without it. */
export async function fill(store: LmdbStore, { trimmedSeq, secretSeq, snapshotSeq, tip: end }: Filling): Promise<void> {
  for (let tip = 0; tip < secretSeq; tip += 3) await store.append(batch(tip, SECRET));
  await store.saveSnapshot(secretSeq, pieces(SECRET));
  await store.trim(trimmedSeq);
  for (let tip = secretSeq; tip < end; tip += 3) await store.append(batch(tip, 'harmless'));
  await store.saveSnapshot(snapshotSeq, pieces('harmless'));
}

/** Expects that a filled store has every entry from `firstSeq` to `tip`, every event, and its last snapshot. */
export async function expectWhole(store: LmdbStore, snapshotSeq: number, firstSeq: number, tip: number): Promise<void> {
  expect(await store.tip()).toBe(tip);
  const entries = await store.read(firstSeq, tip);
  expect(entries.map(({ seq }) => seq)).toEqual(Array.from({ length: tip - firstSeq + 1 }, (_, at) => firstSeq + at));
  expect(entries.every((entry) => text(entry).startsWith(`${entry.seq} harmless`))).toBe(true);
  const events = await store.readEventsForward(1, 1_000);
  expect(events.map(text)).toEqual(Array.from({ length: tip / 3 }, (_, at) => `event ${3 * at + 1}`));
  const loaded = await store.loadSnapshot();
  let count = 0;
  for await (const piece of loaded?.pieces ?? []) expect(text({ bytes: piece })).toContain(`piece ${count++} harmless`);
  expect([loaded?.info.seq, count]).toEqual([snapshotSeq, 10]);
}
