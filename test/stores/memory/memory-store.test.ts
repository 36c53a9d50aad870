import { describe, expect, it } from 'vitest';
import { MemoryBacking, MemoryStore } from '../../../src/stores/memory/memory-store.ts';
import { StoreError } from '../../../src/stores/store.ts';
import { describeCountersContract } from '../counters-contract.ts';
import { batchOf, describeStoreContract, type StoreBench } from '../store-contract.ts';

const bench = (): StoreBench => {
  const backing = new MemoryBacking();
  return {
    create: () => new MemoryStore({ backing }),
    createSecond: () => new MemoryStore({ backing }),
    dispose: async () => {},
  };
};

describeStoreContract('MemoryStore', bench);
describeCountersContract('MemoryStore', bench);

const bytes = (content: string) => new TextEncoder().encode(content);

describe('MemoryStore with the backing of another one', () => {
  async function replicas() {
    const backing = new MemoryBacking('epoch of this test');
    const [writer, follower] = [new MemoryStore({ backing }), new MemoryStore({ backing })];
    await writer.open();
    expect(await follower.open()).toEqual({ epoch: 'epoch of this test', tip: 0, firstSeq: 1 });
    return { writer, follower };
  }

  it('receives hints of commits of others, not of its own', async () => {
    const { writer, follower } = await replicas();
    const heard = { writer: [] as number[], follower: [] as number[] };
    writer.onTip((tip) => heard.writer.push(tip));
    follower.onTip((tip) => heard.follower.push(tip));
    await writer.append(batchOf(0, [bytes('a'), bytes('b')]));
    await follower.append(batchOf(2, [bytes('c')]));
    expect(heard).toEqual({ writer: [3], follower: [2] });
  });

  it('does not receive hints that a fault drops', async () => {
    const { writer, follower } = await replicas();
    const heard: number[] = [];
    follower.onTip((tip) => heard.push(tip));
    follower.faults.passHint = (tip) => tip !== 1;
    await writer.append(batchOf(0, [bytes('a')]));
    await writer.append(batchOf(1, [bytes('b')]));
    expect(heard).toEqual([2]);
  });
});

describe('MemoryStore with faults', () => {
  it('stores nothing when the fault comes before the append', async () => {
    const store = new MemoryStore();
    await store.open();
    store.faults.beforeAppend = () => {
      throw new StoreError('cable pulled', 'not-appended');
    };
    await expect(store.append(batchOf(0, [bytes('a')], [1]))).rejects.toThrow('cable pulled');
    store.faults.beforeAppend = undefined;
    expect(await store.tip()).toBe(0);
    expect(await store.readEventsForward(1, 1)).toEqual([]);
    expect(await store.append(batchOf(0, [bytes('a')]))).toMatchObject({ status: 'appended' });
  });

  it('has stored the batch when the fault comes after the append', async () => {
    const store = new MemoryStore({
      faults: {
        afterAppend: () => {
          throw new StoreError('answer lost', 'unknown');
        },
      },
    });
    await store.open();
    const outcome = await store.append(batchOf(0, [bytes('a')], [1])).catch((error: unknown) => error);
    expect((outcome as StoreError).outcome).toBe('unknown');
    expect(await store.tip()).toBe(1);
    expect(await store.readEventsForward(1, 1)).toHaveLength(1);
  });

  it('reports that it is unreachable', async () => {
    const store = new MemoryStore();
    await store.open();
    store.faults.unreachable = { since: '2026-01-01T00:00:00.000Z', reason: 'cable pulled' };
    expect(store.status()).toEqual({ reachable: false, since: '2026-01-01T00:00:00.000Z', reason: 'cable pulled' });
  });
});
