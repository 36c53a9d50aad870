import { randomUUID } from 'node:crypto';
import { Redis } from 'ioredis';
import { APPEND } from '../../src/stores/redis/append-scripts.ts';
import { keysOf, STORE_FORMAT } from '../../src/stores/redis/keys.ts';
import type { EventEntry, LogEntry } from '../../src/stores/store.ts';
import { redisStore } from './replicas.ts';

const COMMAND_TIMEOUT_MS = 10_000;
const KEY_PREFIX = 'raw';
/** The same value as in the store. */
const HINT_ENTRIES_MAX_BYTES = 65_536;

interface Sample {
  readonly entries: readonly LogEntry[];
  readonly events: readonly EventEntry[];
}

/** The append script alone, on its own log: one entry and one event per call, with the bytes of real writes. */
export class RawLog {
  readonly #redis: Redis;
  readonly #listener: Redis;
  readonly #keys = keysOf(KEY_PREFIX);
  readonly #sample: Sample;
  readonly #heard: (() => void)[] = [];
  #guard: readonly string[] = [];
  #tip = 0;

  constructor(url: string, sample: Sample) {
    this.#sample = sample;
    const options = { lazyConnect: true, commandTimeout: COMMAND_TIMEOUT_MS, enableAutoPipelining: false };
    this.#redis = new Redis(url, options);
    this.#listener = new Redis(url, options);
  }

  async start(url: string): Promise<void> {
    const store = redisStore(url, KEY_PREFIX);
    const { epoch } = await store.open();
    await store.close();
    await this.#redis.connect();
    await this.#listener.connect();
    await this.#listener.subscribe(this.#keys.hints);
    this.#listener.on('messageBuffer', () => this.#heard.shift()?.());
    this.#guard = [String(STORE_FORMAT), epoch, (await this.#redis.hget(this.#keys.meta, 'run')) ?? ''];
    await this.#redis.script('LOAD', APPEND.source);
  }

  /** Appends `size` entries with as many calls, sent together. */
  async appendPipeline(size: number): Promise<void> {
    const pipeline = this.#redis.pipeline();
    for (let index = 0; index < size; index++) pipeline.evalsha(...this.#next());
    for (const [error, reply] of (await pipeline.exec()) ?? []) check(error, reply);
  }

  /** Appends `size` entries with one call, as the service's writer does. */
  async appendBatch(size: number): Promise<void> {
    check(null, await this.#redis.evalsha(...this.#next(size)));
  }

  /** Milliseconds from an append to its message on the other connection. */
  async timeAppend(): Promise<number> {
    const startedMs = performance.now();
    const heard = this.#hear();
    check(null, await this.#redis.evalsha(...this.#next()));
    return (await heard) - startedMs;
  }

  /** Milliseconds from a PUBLISH, of bytes as long as a commit, to its message on the other connection. */
  async timePublish(): Promise<number> {
    const { bytes } = this.#entry();
    const startedMs = performance.now();
    const heard = this.#hear();
    await this.#redis.publish(this.#keys.hints, Buffer.from(bytes));
    return (await heard) - startedMs;
  }

  close(): void {
    this.#redis.disconnect();
    this.#listener.disconnect();
  }

  #hear(): Promise<number> {
    return new Promise((resolve) => this.#heard.push(() => resolve(performance.now())));
  }

  #entry(): { readonly bytes: Uint8Array } {
    return this.#sample.entries[this.#tip % this.#sample.entries.length] ?? { bytes: new Uint8Array() };
  }

  #next(size = 1): [string, number, ...(string | number | Buffer)[]] {
    const expectedTip = this.#tip;
    const entries: Buffer[] = [];
    const trail: (number | Buffer)[] = [];
    for (let count = 0; count < size; count++) {
      entries.push(Buffer.from(this.#entry().bytes));
      const event = this.#sample.events[this.#tip % this.#sample.events.length]?.bytes ?? new Uint8Array();
      trail.push(++this.#tip, Buffer.from(event));
    }
    const { meta, log, events, hints } = this.#keys;
    const head = [...this.#guard, expectedTip, '', randomUUID(), 'raw', 0, hints, HINT_ENTRIES_MAX_BYTES, size, size];
    return [APPEND.sha, 3, meta, log, events, ...head, ...entries, ...trail];
  }
}

function check(error: Error | null, reply: unknown): void {
  if (error) throw error;
  if (String((reply as unknown[])[0]) !== 'appended') throw new Error(`the raw log answered ${String(reply)}`);
}
