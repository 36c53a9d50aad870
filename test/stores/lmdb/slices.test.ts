import { createHash } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { SERVICE } from '../../../src/base/asking/asker.ts';
import { decodeSnapshot, encodeSnapshot } from '../../../src/state/snapshot.ts';
import { State } from '../../../src/state/state.ts';
import { type Frame, framedChunks, KIND, readFrames, writeFramedFile } from '../../../src/stores/local/framed-file.ts';
import { inBatches } from '../../../src/stores/staging.ts';
import type { EventEntry } from '../../../src/stores/store.ts';
import { flag } from '../../support/admin.ts';
import { commitOf } from '../../support/random-state.ts';
import { stateDigest } from '../../support/state-digest.ts';

const KB = 1024;
/** The most bytes that one turn of the event loop may handle without a noticeable delay. */
const TURN_BYTES = 256 * KB;

/** A state of `flags` flags, each with a constraint of `values` values. */
function stateOf(flags: number, values: number): State {
  const state = new State();
  const constraint = { contextName: 'userId', operator: 'IN' as const, values: [] as string[] };
  constraint.values = Array.from({ length: values }, (_, index) => `user-${index}-${'x'.repeat(20)}`);
  const strategy = {
    id: 'strategy',
    name: 'default',
    title: null,
    disabled: false,
    parameters: {},
    segments: [],
    variants: [],
    constraints: [constraint],
  };
  const environments = [{ environment: 'development', enabled: true, strategies: [strategy], variants: [] }];
  const changes = Array.from({ length: flags }, (_, index) => {
    const name = `flag-${index}`;
    return { collection: 'features' as const, key: name, entity: flag(name, { environments } as object) };
  });
  state.apply(commitOf(state, changes));
  return state;
}

async function* inTurn<T>(items: readonly T[]): AsyncGenerator<T, void, void> {
  yield* items;
}

async function all<T>(items: AsyncIterable<T>): Promise<T[]> {
  const list: T[] = [];
  for await (const item of items) list.push(item);
  return list;
}

describe('Content that is stored in pieces blocks the event loop only briefly, whatever the size of the pieces:', () => {
  it('a snapshot of large flags, which is read back unchanged', async () => {
    const state = stateOf(96, 6_500);
    const pieces = await all(encodeSnapshot(state, SERVICE));
    for (const { length } of pieces) expect(length).toBeLessThan(TURN_BYTES);
    expect(stateDigest(await decodeSnapshot(inTurn(pieces)))).toBe(stateDigest(state));
  });

  it('a snapshot of small flags, which share slices', async () => {
    const pieces = await all(encodeSnapshot(stateOf(4_800, 2), SERVICE));
    expect(pieces).toHaveLength(4_800 / 48 + 2);
  });

  it('audit events, whose batches are also limited by size, and omit no event', async () => {
    const events = Array.from({ length: 1_000 }, (_, index): EventEntry => {
      return { id: index + 1, bytes: new Uint8Array(index < 600 ? 20 * KB : 100) };
    });
    const read = async (fromId: number, limit: number) => events.slice(fromId - 1, fromId - 1 + limit);
    const batches = await all(inBatches(read));
    expect(batches.flat()).toEqual(events);
    for (const batch of batches) {
      const sizeBytes = batch.reduce((sum, { bytes }) => sum + bytes.length, 0);
      expect(sizeBytes).toBeLessThan(TURN_BYTES + 20 * KB);
    }
    expect(batches.length).toBeLessThan(60);
  });

  it('a file, whose large frames are hashed and written in chunks, and read as one', async () => {
    const frames: Frame[] = [100, 3_000 * KB, 0, 256 * KB, 700 * KB].map((length, index) => {
      return { kind: index < 4 ? KIND.piece : KIND.end, bytes: new Uint8Array(length).fill(index + 1) };
    });
    const chunks = await all(framedChunks(inTurn(frames)));
    for (const { length } of chunks) expect(length).toBeLessThan(2 * TURN_BYTES);
    const directory = mkdtempSync(join(tmpdir(), 'burgee-frames-'));
    const path = join(directory, 'file');
    await writeFramedFile(path, inTurn(frames));
    const written = readFileSync(path);
    expect(written.equals(Buffer.concat(chunks))).toBe(true);
    const digest = createHash('sha256').update(written.subarray(0, -32)).digest();
    expect(digest.equals(written.subarray(-32))).toBe(true);
    const found = await all(readFrames(path));
    expect(found.map(({ kind, bytes }) => [kind, bytes.length, bytes[0]])).toEqual(
      frames.map(({ kind, bytes }) => [kind, bytes.length, bytes[0]]),
    );
    rmSync(directory, { recursive: true });
  });
});
