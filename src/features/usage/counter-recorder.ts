import { type Clock, isoTime } from '../../base/clock.ts';
import { pushAll } from '../../base/lists/push-all.ts';
import type { Logger } from '../../base/logger.ts';
import { type Counters, DELTAS_MAX, foldOf, NAME_BYTES_MAX, type Series, startOf } from '../../stores/counters.ts';
import { StoreError } from '../../stores/store.ts';

/** How often counts are flushed to the store. A crash loses at most the counts of this period, and never counts that were flushed before. */
const FLUSH_MS = 10_000;

/**
 * Maximum number of names that wait for a flush, over all series, and their total length. Further names are dropped: the store has been unreachable
 * for a long time, or SDKs report too many names.
 */
const WAITING_NAMES_MAX = 200_000;
const WAITING_LENGTH_MAX = 16_000_000;

interface CounterRecorderOptions {
  /** Identifies this process among all processes that ever add counts. It is different after every start. */
  readonly recorder: string;
  readonly flushMs?: number;
  readonly waitingNamesMax?: number;
}

/** The counts that a crash would lose now, and the counts that were lost since the process started. */
interface CounterRisk {
  /** Number of names with counts that are not in the store yet. */
  readonly waitingNames: number;
  /** Time since which names wait; null if no name waits. */
  readonly waitingSince: string | null;
  /** How often a count was refused: too many names wait, its name is too long, or its time is too old. */
  readonly refused: number;
  /** How often the count of a name was dropped because its bucket was full. */
  readonly dropped: number;
  /** Number of names that were flushed and that the store then lost. A loss is detected when this process adds to the same bucket again. */
  readonly lost: number;
}

/** Counts of one bucket that have not been flushed. */
interface Pending {
  readonly series: Series;
  readonly startMs: number;
  readonly deltas: Map<string, number>;
}

/** Maximum number of buckets in `#acceptedNames`: several times the buckets of all series in a day. */
const REMEMBERED_BUCKETS_MAX = 1_024;

/** The counts of one request to the store, with the number of the request. The request is repeated unchanged until the store has the counts. */
interface CountBatch extends Pending {
  readonly number: number;
}

/**
 * Counts in memory and flushes the sums to the store periodically. Counting is a look-up and an addition. It never waits, never fails, and needs no
 * more memory than the limits above allow.
 */
export class CounterRecorder {
  readonly #counters: Counters;
  readonly #clock: Clock;
  readonly #logger: Logger;
  readonly #options: CounterRecorderOptions;
  readonly #stop = new AbortController();
  readonly #done: Promise<void>;
  /** Series and start of the bucket → its counts. */
  #pending = new Map<string, Pending>();
  /**
   * The buckets that are being flushed, oldest first. They are divided into batches one by one: dividing all of them at once would block the event
   * loop.
   */
  readonly #flushQueue: Pending[] = [];
  /** The batch that was sent to the store and is not confirmed; undefined if there is none. */
  #batch: CountBatch | undefined;
  #flushing: Promise<void> | undefined;
  #number = 0;
  #waitingNames = 0;
  #waitingLength = 0;
  #waitingSinceMs: number | null = null;
  #refused = 0;
  #dropped = 0;
  #lost = 0;
  /** Bucket → number of names that the store has accepted. The most recently changed bucket is at the end. */
  readonly #acceptedNames = new Map<string, number>();
  #loggedRefused = 0;
  #isOutageLogged = false;

  constructor(counters: Counters, clock: Clock, logger: Logger, options: CounterRecorderOptions) {
    this.#counters = counters;
    this.#clock = clock;
    this.#logger = logger;
    this.#options = options;
    this.#done = this.#run();
  }

  /**
   * Adds to the count of `name` in the current bucket of the series, or in the bucket of `atMs`. Clients may have wrong clocks: a time in the future
   * counts as now, because a future bucket would replace the oldest one. A time before the oldest bucket of the series is refused.
   */
  count(series: Series, name: string, delta = 1, atMs?: number): void {
    const nowMs = this.#clock.nowMs();
    const startMs = startOf(series, Math.min(atMs ?? nowMs, nowMs));
    const isInSeries = isKept(series, startMs, nowMs);
    const key = `${series.name} ${startMs}`;
    const waiting = this.#pending.get(key)?.deltas.get(name);
    if (!isInSeries || (waiting === undefined && !this.#reserve(name))) {
      this.#refused++;
      return;
    }
    this.#bucket(key, series, startMs).set(name, foldOf(series, waiting, delta));
  }

  /** Whether the series has a bucket of this time now. A count for an older time is refused. */
  keeps(series: Series, atMs: number): boolean {
    return isKept(series, startOf(series, atMs), this.#clock.nowMs());
  }

  get risk(): CounterRisk {
    return {
      waitingNames: this.#waitingNames,
      waitingSince: this.#waitingSinceMs === null ? null : isoTime(this.#waitingSinceMs),
      refused: this.#refused,
      dropped: this.#dropped,
      lost: this.#lost,
    };
  }

  /** Flushes the waiting counts. Joins a flush that is in progress. Never rejects: counts that the store does not accept keep waiting. */
  flush(): Promise<void> {
    this.#flushing ??= this.#flush().finally(() => {
      this.#flushing = undefined;
    });
    return this.#flushing;
  }

  /** Flushes everything a last time, before the store is closed. */
  async close(): Promise<void> {
    this.#stop.abort();
    await this.#done;
    await this.#flushing;
    await this.flush();
    if (this.#waitingNames > 0)
      this.#logger.warn(this.risk, 'the service stops and the store does not accept the waiting counts: they are lost');
  }

  #bucket(key: string, series: Series, startMs: number): Map<string, number> {
    let bucket = this.#pending.get(key);
    if (!bucket) {
      bucket = { series, startMs, deltas: new Map() };
      this.#pending.set(key, bucket);
    }
    return bucket.deltas;
  }

  #reserve(name: string): boolean {
    const { waitingNamesMax = WAITING_NAMES_MAX } = this.#options;
    // A character has at most three bytes in UTF-8: only a long name is measured.
    if (name === '' || (3 * name.length > NAME_BYTES_MAX && Buffer.byteLength(name) > NAME_BYTES_MAX)) return false;
    if (this.#waitingNames >= waitingNamesMax || this.#waitingLength + name.length > WAITING_LENGTH_MAX) return false;
    this.#waitingNames++;
    this.#waitingLength += name.length;
    this.#waitingSinceMs ??= this.#clock.nowMs();
    return true;
  }

  async #flush(): Promise<void> {
    // First the counts of an earlier flush that the store did not accept. New counts are added to `#pending` meanwhile.
    if (!(await this.#sendQueued())) return;
    // New counts go into a new map from here on.
    pushAll(this.#flushQueue, this.#pending.values());
    this.#pending = new Map();
    const untilMs = this.#clock.nowMs();
    if (!(await this.#sendQueued())) return;
    this.#waitingSinceMs = this.#waitingNames > 0 ? untilMs : null;
    this.#logRefused();
  }

  /** Sends all waiting batches. Returns false if the store does not accept one. */
  async #sendQueued(): Promise<boolean> {
    for (let batch = this.#nextBatch(); batch; batch = this.#nextBatch()) {
      if (!(await this.#send(batch))) return false;
      this.#batch = undefined;
      for (const name of batch.deltas.keys()) {
        this.#waitingNames--;
        this.#waitingLength -= name.length;
      }
    }
    return true;
  }

  #nextBatch(): CountBatch | undefined {
    const [bucket] = this.#flushQueue;
    if (this.#batch || !bucket) return this.#batch;
    const { series, startMs, deltas: remaining } = bucket;
    const deltas = new Map<string, number>();
    for (const [name, delta] of remaining) {
      if (deltas.size === DELTAS_MAX) break;
      deltas.set(name, delta);
      remaining.delete(name);
    }
    if (remaining.size === 0) this.#flushQueue.shift();
    this.#batch = { series, startMs, deltas, number: ++this.#number };
    return this.#batch;
  }

  async #send({ series, startMs, deltas, number }: CountBatch): Promise<boolean> {
    try {
      const flush = { recorder: this.#options.recorder, number };
      const { dropped, isFirst = false } = await this.#counters.add({ series, startMs }, deltas, flush);
      this.#dropped += dropped;
      this.#noteAccepted(`${series.name} ${startMs}`, deltas.size - dropped, isFirst);
      this.#isOutageLogged = false;
      return true;
    } catch (error) {
      if (!(error instanceof StoreError)) {
        this.#logger.error(
          { err: error, series: series.name, names: deltas.size },
          'counts were dropped because of an unexpected error',
        );
        this.#dropped += deltas.size;
        return true;
      }
      if (!this.#isOutageLogged)
        this.#logger.warn({ err: error, ...this.risk }, 'the store does not accept counts now: they wait in memory');
      this.#isOutageLogged = true;
      return false;
    }
  }

  /**
   * Remembers how many names the store has accepted. `isFirst`: the bucket had no counts of this recorder before this batch. If it had accepted names
   * before, the store has lost the bucket, for example because Redis was emptied.
   */
  #noteAccepted(key: string, names: number, isFirst: boolean): void {
    const before = this.#acceptedNames.get(key) ?? 0;
    this.#acceptedNames.delete(key);
    if (this.#acceptedNames.size >= REMEMBERED_BUCKETS_MAX)
      for (const oldest of this.#acceptedNames.keys()) if (this.#acceptedNames.delete(oldest)) break;
    if (isFirst && before > 0) {
      this.#lost += before;
      this.#logger.warn({ bucket: key, ...this.risk }, 'the store has lost counts that it had accepted');
    }
    this.#acceptedNames.set(key, names + (isFirst ? 0 : before));
  }

  #logRefused(): void {
    if (this.#refused === this.#loggedRefused) return;
    this.#loggedRefused = this.#refused;
    this.#logger.warn(
      this.risk,
      'counts were refused: too many names wait for the store, or a name is too long, or a time is too old',
    );
  }

  async #run(): Promise<void> {
    const { flushMs = FLUSH_MS } = this.#options;
    while (!this.#stop.signal.aborted) {
      await this.#clock.sleep(flushMs, this.#stop.signal);
      if (!this.#stop.signal.aborted) await this.flush();
    }
  }
}

function isKept(series: Series, startMs: number, nowMs: number): boolean {
  return startMs > startOf(series, nowMs) - series.bucketsMax * series.spanMs;
}
