import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'vitest';
import { systemClock } from '../../src/base/clock.ts';
import { silentLogger } from '../../src/base/logger.ts';
import { decodeCommit, decodeEvent } from '../../src/state/commit.ts';
import { RedisStore } from '../../src/stores/redis/redis-store.ts';
import type { ReplicaProcess } from './fleet.ts';

/** Creates flags with several writers. Each uses one replica after the other; the outcome of every write is recorded. */
export class Writers {
  /** Name → revision in the answer. */
  readonly acknowledged = new Map<string, number>();
  /** How many of these each replica acknowledged. */
  readonly #counts = new Map<ReplicaProcess, number>();
  /** Answered 503 with nothing changed. */
  readonly refused = new Set<string>();
  /** Answered that the outcome is not known, or not answered. */
  readonly unknown = new Set<string>();
  /** All other answers. */
  readonly odd: string[] = [];
  #isOver = false;
  readonly #pauseMs: number;
  readonly #running: Promise<void>[];

  /** `pauseMs`: of each writer after each write. */
  constructor(count: number, replicas: readonly ReplicaProcess[], prefix: string, pauseMs = 0) {
    this.#pauseMs = pauseMs;
    this.#running = Array.from({ length: count }, (_, index) => this.#write(replicas, `${prefix}-${index}`, index));
  }

  countOf(replica: ReplicaProcess): number {
    return this.#counts.get(replica) ?? 0;
  }

  async stop(): Promise<void> {
    this.#isOver = true;
    await Promise.all(this.#running);
    expect(this.odd).toEqual([]);
  }

  async #write(replicas: readonly ReplicaProcess[], prefix: string, offset: number): Promise<void> {
    for (let count = 0; !this.#isOver; count++) {
      const name = `${prefix}-${count}`;
      const replica = replicas[(offset + count) % replicas.length] as ReplicaProcess;
      try {
        const { status, headers, text } = await replica.create(name);
        if (status === 201) {
          this.acknowledged.set(name, Number(headers.get('burgee-revision')));
          this.#counts.set(replica, this.countOf(replica) + 1);
        } else if (status === 503 && isUnknown(text) === (headers.get('retry-after') === null)) {
          (isUnknown(text) ? this.unknown : this.refused).add(name);
          await sleep(5);
        } else this.odd.push(`${name}: ${status} ${text}`);
      } catch {
        this.unknown.add(name);
        await sleep(5);
      }
      if (this.#pauseMs > 0) await sleep(this.#pauseMs);
    }
  }
}

/** Returns whether the write may have taken effect, according to the answer. */
export function isUnknown(text: string): boolean {
  return text.includes('not known') || text.includes('not finished');
}

/** Polls without a pause, as an SDK would, and expects 200 or 304 and no fewer flags than before. */
export class Poller {
  polls = 0;
  readonly wrong: string[] = [];
  #isOver = false;
  readonly #running: Promise<void>;

  /** `onCount` is called with the number of flags in each answer. */
  constructor(replica: ReplicaProcess, { onCount = (_count: number): void => {} } = {}) {
    this.#running = this.#poll(replica, onCount);
  }

  async stop(): Promise<void> {
    this.#isOver = true;
    await this.#running;
    expect(this.wrong).toEqual([]);
    expect(this.polls).toBeGreaterThan(0);
  }

  async #poll(replica: ReplicaProcess, onCount: (count: number) => void): Promise<void> {
    let most = 0;
    while (!this.#isOver) {
      try {
        const { status, text, json } = await replica.poll();
        const count = json?.features?.length ?? -1;
        onCount(count);
        if (status !== 200 || count < most) {
          this.wrong.push(`${status} with ${count} flags after ${most}: ${text.slice(0, 200)}`);
        }
        most = count;
      } catch (error) {
        this.wrong.push(String(error));
      }
      this.polls++;
      await sleep(5);
    }
  }
}

/** Reads the log. Expects that no entry is missing or twice, and returns the flags that were created up to `throughSeq`, in order. */
export async function readLog(
  url: string,
  throughSeq = Number.POSITIVE_INFINITY,
): Promise<{ readonly created: readonly string[]; readonly tip: number }> {
  const store = new RedisStore({ url, logger: silentLogger, clock: systemClock });
  try {
    const { tip, firstSeq } = await store.open();
    const commits = (await store.read(firstSeq, tip)).map(({ bytes }) => decodeCommit(bytes));
    expect(commits.map(({ seq }) => seq)).toEqual(Array.from({ length: tip - firstSeq + 1 }, (_, at) => firstSeq + at));
    expect(new Set(commits.map(({ writeId }) => writeId)).size).toBe(commits.length);
    const selected = commits.filter(({ seq }) => seq <= throughSeq);
    const created = selected.flatMap(({ changes }) =>
      changes.flatMap(({ collection, key }) => (collection === 'features' ? [key] : [])),
    );
    return { created, tip };
  } finally {
    await store.close();
  }
}

/** The flags that were created according to the audit events, which outlive the log. Expects that no event is missing. */
export async function readCreated(url: string): Promise<readonly string[]> {
  const store = new RedisStore({ url, logger: silentLogger, clock: systemClock });
  try {
    await store.open();
    const entries = await store.readEventsForward(1, 1_000_000);
    expect(entries.map(({ id }) => id)).toEqual(entries.map((_, at) => at + 1));
    const events = entries.map(({ bytes }) => decodeEvent(bytes));
    return events.flatMap(({ type, featureName }) => (type === 'feature-created' && featureName ? [featureName] : []));
  } finally {
    await store.close();
  }
}

/** Expects every acknowledged write, and none that was refused. */
export function expectKept(present: ReadonlySet<string>, { acknowledged, refused }: Writers): void {
  const missing = [...acknowledged.keys()].filter((name) => !present.has(name));
  const lying = [...refused].filter((name) => present.has(name));
  expect({ missing, lying }).toEqual({ missing: [], lying: [] });
}
