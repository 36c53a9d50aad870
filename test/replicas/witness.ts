import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'vitest';
import { stateOfFrames } from '../../src/engine/state-frames.ts';
import { readFrames } from '../../src/stores/local/framed-file.ts';
import type { RedisServer } from '../support/programs/redis.ts';
import type { Fleet, ReplicaProcess } from './fleet.ts';
import { Writers } from './load.ts';

/** The time between two polls of one replica. */
const POLL_MS = 10;

/** The outcome of the writes that were acknowledged. */
interface Verdict {
  readonly acknowledged: number;
  /** Not in the state of any replica, but in a file that a replica wrote when it gave them up. */
  readonly missing: readonly string[];
}

/**
 * Records what clients see of a fleet, from its beginning to its end: which writes were acknowledged, and which list each ETag named. It judges only by
 * that, so it works for all faults of the fleet.
 */
export class Witness {
  readonly #fleet: Fleet;
  readonly #writers: Writers[] = [];
  /** ETag → the digest of its list, and the replica that sent it first. */
  readonly #lists = new Map<string, { readonly digest: string; readonly sender: string }>();
  readonly #contradictions: string[] = [];
  readonly #polling: Promise<void>[] = [];
  #polls = 0;
  #isOver = false;

  constructor(fleet: Fleet) {
    this.#fleet = fleet;
    for (const replica of fleet.replicas) this.watch(replica);
  }

  /** Number of writes that were acknowledged so far. */
  get acknowledged(): number {
    return this.#writers.reduce((sum, { acknowledged }) => sum + acknowledged.size, 0);
  }

  /** Polls the replica until the end, whether it answers or not. */
  watch(replica: ReplicaProcess): void {
    this.#polling.push(this.#poll(replica));
  }

  /** Starts writers whose acknowledged writes count in `judge`. */
  write(count: number, replicas: readonly ReplicaProcess[], prefix: string, pauseMs: number): Writers {
    const writers = new Writers(count, replicas, prefix, pauseMs);
    this.#writers.push(writers);
    return writers;
  }

  /**
   * To be called when no writer writes any more, and all replicas run. Expects that they reach one state with every acknowledged write, except those that a
   * replica reports as given up, and without any refused write; and that no ETag named two lists.
   */
  async judge(redis?: RedisServer): Promise<Verdict> {
    const { names } = await this.#fleet.expectAgreement(redis);
    const givenUp = await this.#givenUp();
    const acknowledged = this.#writers.flatMap((writers) => [...writers.acknowledged.keys()]);
    const refused = this.#writers.flatMap((writers) => [...writers.refused]);
    const missing = acknowledged.filter((name) => !names.has(name));
    const silently = missing.filter((name) => !givenUp.has(name));
    const lying = refused.filter((name) => names.has(name) || givenUp.has(name));
    expect({ silently, lying }).toEqual({ silently: [], lying: [] });
    expect(this.#contradictions).toEqual([]);
    expect(this.#polls).toBeGreaterThan(0);
    return { acknowledged: acknowledged.length, missing };
  }

  async close(): Promise<void> {
    this.#isOver = true;
    await Promise.all([...this.#polling, ...this.#writers.map((writers) => writers.stop())]);
  }

  /** Flags in the files of divergent commits, or in copies that replicas set aside. */
  async #givenUp(): Promise<ReadonlySet<string>> {
    const names = new Set<string>();
    for (const { directory } of this.#fleet.replicas) {
      for (const file of divergentFilesOf(directory)) for (const name of file.created) names.add(name);
      for (const name of readdirSync(directory).filter((file) => /^replica\.copy\.20/.test(file))) {
        for (const flag of await flagsOfCopy(join(directory, name))) names.add(flag);
      }
    }
    return names;
  }

  async #poll(replica: ReplicaProcess): Promise<void> {
    while (!this.#isOver) {
      try {
        const { status, text, headers } = await replica.poll();
        if (status === 200) this.#compare(headers.get('etag') ?? '', text, replica.url);
      } catch {
        // The replica is not running, or is stopped.
        await sleep(POLL_MS * 10);
      }
      await sleep(POLL_MS);
    }
  }

  #compare(etag: string, text: string, sender: string): void {
    this.#polls++;
    const digest = createHash('sha256').update(text).digest('base64');
    const first = this.#lists.get(etag);
    if (!first) this.#lists.set(etag, { digest, sender });
    else if (first.digest !== digest)
      this.#contradictions.push(`${etag} named two lists, at ${first.sender} and ${sender}`);
  }
}

interface DivergentFile {
  readonly commits: number;
  readonly created: readonly string[];
}

/** The files that a replica wrote to its directory when it gave up commits. */
export function divergentFilesOf(directory: string): readonly DivergentFile[] {
  const files = readdirSync(directory).filter((name) => /^divergent-.*\.ndjson$/.test(name));
  return files.map((name) => {
    const lines = readFileSync(join(directory, name), 'utf8').trim().split('\n');
    const [head, ...rest] = lines.map((line) => JSON.parse(line));
    const changes: readonly Change[] = rest.flatMap((line: Change & { changes?: Change[] }) => line.changes ?? [line]);
    const created = changes.filter(({ collection, after }) => collection === 'features' && after !== null);
    return { commits: head.throughSeq - head.fromSeq + 1, created: created.map(({ key }) => key) };
  });
}

interface Change {
  readonly collection: string;
  readonly key: string;
  readonly after: unknown;
}

async function flagsOfCopy(path: string): Promise<readonly string[]> {
  const state = await stateOfFrames(
    () => readFrames(path),
    () => '',
  );
  return [...state.entries('features')].map(([name]) => name);
}
