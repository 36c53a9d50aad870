import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { SERVICE } from '../../../src/base/asking/asker.ts';
import { silentLogger } from '../../../src/base/logger.ts';
import { Slicer } from '../../../src/base/yield-control.ts';
import { IDLE_MS } from '../../../src/features/bulk/pool.ts';
import { BulkService } from '../../../src/features/bulk/service.ts';
import { State } from '../../../src/state/state.ts';
import { FlagViews } from '../../../src/views/flags/flag-views.ts';
import { flag } from '../../support/admin.ts';

describe('the memory that the threads of bulk evaluation read', () => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }));
  afterEach(() => void vi.useRealTimers());

  const state = new State();
  const at = '2026-01-01T00:00:00.000Z';
  state.load('projects', 'default', {
    id: 'default',
    name: 'default',
    description: null,
    mode: 'open',
    defaultStickiness: 'default',
    featureLimit: null,
    environments: ['development'],
    createdAt: at,
    updatedAt: at,
    archivedAt: null,
  });
  state.load('features', 'a', flag('a'));
  const views = new FlagViews(state);

  /** The memory with the bytes of the flag. */
  async function bytesOf({ scopes }: BulkService): Promise<SharedArrayBuffer | undefined> {
    const snapshot = views.snapshotOfFlags({ environment: 'development', projects: null }, ['a']);
    return (await scopes.ofSnapshot(snapshot, Slicer.of(SERVICE))).chunks[0]?.bytes;
  }

  it('is shared by requests, and freed when no request came during the idle time of a thread', async () => {
    const bulk = new BulkService('unused', { hashEncoding: 'low-bytes' }, silentLogger);
    const request = () => {
      const over = new AbortController();
      expect(bulk.claim('token', over.signal)).toBe(true);
      return () => over.abort();
    };
    const endFirst = request();
    const bytes = await bytesOf(bulk);
    expect(bytes?.byteLength).toBeGreaterThan(0);
    endFirst();
    vi.advanceTimersByTime(IDLE_MS - 1);
    const endSecond = request();
    vi.advanceTimersByTime(IDLE_MS);
    expect(await bytesOf(bulk)).toBe(bytes);
    endSecond();
    vi.advanceTimersByTime(IDLE_MS);
    expect(await bytesOf(bulk)).not.toBe(bytes);
    await bulk.close();
  });
});
