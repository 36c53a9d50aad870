import { describe, expect, it } from 'vitest';
import { AppendGate } from '../../src/engine/append-gate.ts';
import { Replica } from '../../src/engine/replica.ts';
import { State } from '../../src/state/state.ts';
import { MemoryStore } from '../../src/stores/memory/memory-store.ts';
import type { Store } from '../../src/stores/store.ts';
import { SharedMemoryStore } from './shared-memory-store.ts';

const SLAB = new ArrayBuffer(1 << 20);

const batch = {
  expectedTip: 0,
  writeId: 'write',
  entries: [{ seq: 1, bytes: new Uint8Array(SLAB, 0, 10) }],
  events: [{ id: 1, bytes: new Uint8Array(SLAB, 10, 20) }],
};

async function gateTo(store: Store): Promise<AppendGate> {
  await store.open();
  return new AppendGate(store, new Replica(new State(), store));
}

describe('the append gate', () => {
  it('keeps copies of the events of a shared store, not the slab that they were encoded in', async () => {
    const gate = await gateTo(new SharedMemoryStore());
    await gate.append(batch);
    expect(gate.events.map(({ id, bytes }) => [id, bytes.byteLength, bytes.buffer.byteLength])).toEqual([[1, 20, 20]]);
  });

  it('keeps no events of a store that is not shared, because they would never be read', async () => {
    const gate = await gateTo(new MemoryStore());
    await gate.append(batch);
    expect(gate.events).toEqual([]);
  });

  it('forgets the events of a history that was given up', async () => {
    const gate = await gateTo(new SharedMemoryStore());
    await gate.append(batch);
    gate.forget();
    expect(gate.events).toEqual([]);
  });
});
