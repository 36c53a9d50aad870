import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { silentLogger } from '../../src/base/logger.ts';
import { recover } from '../../src/engine/replica.ts';
import { decodeEvent } from '../../src/state/commit.ts';
import { State } from '../../src/state/state.ts';
import { LmdbStore } from '../../src/stores/lmdb/lmdb-store.ts';
import { type ServiceProcess, spawnService, untilReady } from '../support/programs/process.ts';
import { ADMIN_TOKEN } from '../support/service.ts';

const WRITERS = 8;
const KILLS = 32;

let directory: string;
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'burgee-durability-'));
});
afterAll(() => rm(directory, { recursive: true, force: true }));

/** Names whose creation was answered with 201, with the revision from the answer. */
const acknowledged = new Map<string, number>();

/** Creates flags until the connection breaks. */
async function write(url: string, prefix: string): Promise<void> {
  for (let count = 0; ; count++) {
    const name = `${prefix}-${count}`;
    try {
      const answer = await fetch(`${url}/api/admin/projects/default/features`, {
        method: 'POST',
        headers: { authorization: ADMIN_TOKEN, 'content-type': 'application/json' },
        body: JSON.stringify({ name }),
      });
      if (answer.status === 201) acknowledged.set(name, Number(answer.headers.get('burgee-revision')));
    } catch {
      return;
    }
  }
}

/** The data of the killed process, read by the code that recovers it. */
async function inspect(): Promise<{ state: State; created: string[]; eventIds: number[] }> {
  const store = new LmdbStore({ directory, logger: silentLogger });
  try {
    const { state } = await recover(store, await store.open(), new State(), silentLogger);
    const created: string[] = [];
    const eventIds: number[] = [];
    for (let from = 1; ; ) {
      const entries = await store.readEventsForward(from, 1000);
      for (const entry of entries) {
        const event = decodeEvent(entry.bytes);
        eventIds.push(event.id);
        if (event.type === 'feature-created') created.push(event.featureName ?? '');
      }
      if (entries.length < 1000) return { state, created, eventIds };
      from = (entries.at(-1)?.id ?? 0) + 1;
    }
  } finally {
    await store.close();
  }
}

describe('durability', () => {
  it(`keeps every acknowledged write through ${KILLS} SIGKILLs under ${WRITERS} writers, without loss or duplicates`, async () => {
    const seed = Number(process.env.BURGEE_SEED ?? Date.now() % 2 ** 31);
    const delays = fc.sample(
      fc.record({
        afterReadyMs: fc.integer({ min: 5, max: 350 }),
        whileStarting: fc.boolean(),
        startMs: fc.integer({ min: 1, max: 250 }),
      }),
      {
        seed,
        numRuns: KILLS,
      },
    );
    for (const [round, { afterReadyMs, whileStarting, startMs }] of delays.entries()) {
      // A snapshot every 40 commits, so that kills also fall into snapshots, verification and trimming.
      const service: ServiceProcess = await spawnService(directory, { SNAPSHOT_EVERY_COMMITS: '40' });
      if (whileStarting) {
        await new Promise((resolve) => setTimeout(resolve, startMs));
        await service.end('SIGKILL');
        continue;
      }
      await untilReady(service);
      const writers = Array.from({ length: WRITERS }, (_, writer) => write(service.url, `r${round}-w${writer}`));
      await new Promise((resolve) => setTimeout(resolve, afterReadyMs));
      await service.end('SIGKILL');
      await Promise.all(writers);
    }
    const { state, created, eventIds } = await inspect();
    const where = `seed ${seed}, ${acknowledged.size} acknowledged`;
    expect(acknowledged.size, where).toBeGreaterThan(KILLS);
    expect(
      [...acknowledged.keys()].filter((name) => !state.get('features', name)),
      where,
    ).toEqual([]);
    expect(new Set(created).size, where).toBe(created.length);
    expect(created.length, where).toBe(state.size('features'));
    expect(eventIds, where).toEqual(eventIds.map((_, index) => index + 1));
    expect(new Set(acknowledged.values()).size, where).toBe(acknowledged.size);
    expect(Math.max(...acknowledged.values()), where).toBeLessThanOrEqual(state.seq);
  }, 240_000);

  it('starts and accepts writes after all kills', async () => {
    const service = await spawnService(directory);
    try {
      await untilReady(service);
      const answer = await fetch(`${service.url}/api/admin/projects/default/features`, {
        method: 'POST',
        headers: { authorization: ADMIN_TOKEN, 'content-type': 'application/json' },
        body: JSON.stringify({ name: 'after-all' }),
      });
      expect(answer.status).toBe(201);
    } finally {
      expect(await service.end('SIGTERM')).toBe(0);
    }
    expect((await inspect()).state.get('features', 'after-all')).toBeDefined();
  });
});
