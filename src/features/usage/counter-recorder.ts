import { type Clock, isoTime } from '../../base/clock.ts';
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
  /** How often a name did not fit into its bucket. */
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

/** Maximum number of buckets whose flushed names are remembered: several times the buckets of all series in a day. */
const HANDED_BUCKETS_MAX = 1_024;

/** The counts of one request to the store, with the number of the request. The request is repeated unchanged until the store has the counts. */
interface ReportBatch extends Pending {
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
   * The buckets that are being flushed, oldest first. They are divided into batches one at a time: dividing all of them would block the event loop.
   */
  readonly #leaving: Pending[] = [];
  /** The batch that was sent to the store and is not confirmed; undefined if there is none. */
  #batch: ReportBatch | undefined;
  #flushing: Promise<void> | undefined;
  #number = 0;
  #waitingNames = 0;
  #waitingLength = 0;
  #waitingSinceMs: number | null = null;
  #refused = 0;
  #dropped = 0;
  #lost = 0;
  /** Bucket → number of names that the store has accepted. The most recently changed bucket is at the end. */
  readonly #handed = new Map<string, number>();
  #loggedRefused = 0;
  #isAwayLogged = false;

  constructor(counters: Counters, clock: Clock, logger: Logger, options: CounterRecorderOptions) {
    this.#counters = counters;
    this.#clock = clock;
    this.#logger = logger;
    this.#options = options;
    this.#done = this.#run();
  }

  /**
   * Adds to the count of `name` in the current bucket of the series, or in the bucket of `atMs`. A time in the future counts as now. A time before
   * the oldest bucket of the series is refused. A wrong clock of a client therefore cannot cause a bucket to be removed.
   */
  count(series: Series, name: string, delta = 1, atMs?: number): void {
    const nowMs = this.#clock.nowMs();
    const startMs = startOf(series, Math.min(atMs ?? nowMs, nowMs));
    const isKept = startMs > startOf(series, nowMs) - series.bucketsMax * series.spanMs;
    const key = `${series.name} ${startMs}`;
    const waiting = this.#pending.get(key)?.deltas.get(name);
    if (!isKept || (waiting === undefined && !this.#reserve(name))) {
      this.#refused++;
      return;
    }
    this.#bucket(key, series, startMs).set(name, foldOf(series, waiting, delta));
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
    if (this.#waitingNames > 0) this.#logger.warn(this.risk, 'counts were dropped: the store did not accept them');
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
    // Counts that a store does not accept wait in at most two maps: while one is being flushed, all new counts are added to the other.
    if (!(await this.#handOverLeaving())) return;
    // From now on counts go into new maps.
    this.#leaving.push(...this.#pending.values());
    this.#pending = new Map();
    const untilMs = this.#clock.nowMs();
    if (!(await this.#handOverLeaving())) return;
    this.#waitingSinceMs = this.#waitingNames > 0 ? untilMs : null;
    this.#logRefused();
  }

  /** Sends all waiting batches. Returns false if the store does not accept one. */
  async #handOverLeaving(): Promise<boolean> {
    for (let batch = this.#nextBatch(); batch; batch = this.#nextBatch()) {
      if (!(await this.#handOver(batch))) return false;
      this.#batch = undefined;
      for (const name of batch.deltas.keys()) {
        this.#waitingNames--;
        this.#waitingLength -= name.length;
      }
    }
    return true;
  }

  #nextBatch(): ReportBatch | undefined {
    const [bucket] = this.#leaving;
    if (this.#batch || !bucket) return this.#batch;
    const { series, startMs, deltas: left } = bucket;
    const deltas = new Map<string, number>();
    for (const [name, delta] of left) {
      if (deltas.size === DELTAS_MAX) break;
      deltas.set(name, delta);
      left.delete(name);
    }
    if (left.size === 0) this.#leaving.shift();
    this.#batch = { series, startMs, deltas, number: ++this.#number };
    return this.#batch;
  }

  async #handOver({ series, startMs, deltas, number }: ReportBatch): Promise<boolean> {
    try {
      const flush = { recorder: this.#options.recorder, number };
      const { dropped, isFirst = false } = await this.#counters.add({ series, startMs }, deltas, flush);
      this.#dropped += dropped;
      this.#noteHanded(`${series.name} ${startMs}`, deltas.size - dropped, isFirst);
      this.#isAwayLogged = false;
      return true;
    } catch (error) {
      if (!(error instanceof StoreError)) {
        this.#logger.error({ err: error, series: series.name, names: deltas.size }, 'counts were dropped');
        this.#dropped += deltas.size;
        return true;
      }
      if (!this.#isAwayLogged) this.#logger.warn({ err: error, ...this.risk }, 'counts wait for the store');
      this.#isAwayLogged = true;
      return false;
    }
  }

  /**
   * If a bucket contained counts of this recorder before this batch and contains none now, the store lost it (Redis was emptied or the key removed).
   */
  #noteHanded(key: string, names: number, isFirst: boolean): void {
    const before = this.#handed.get(key) ?? 0;
    this.#handed.delete(key);
    if (this.#handed.size >= HANDED_BUCKETS_MAX)
      for (const oldest of this.#handed.keys()) if (this.#handed.delete(oldest)) break;
    if (isFirst && before > 0) {
      this.#lost += before;
      this.#logger.warn({ bucket: key, ...this.risk }, 'the store has lost counts that it had accepted');
    }
    this.#handed.set(key, names + (isFirst ? 0 : before));
  }

  #logRefused(): void {
    if (this.#refused === this.#loggedRefused) return;
    this.#loggedRefused = this.#refused;
    this.#logger.warn(this.risk, 'counts were refused because too many names are waiting or a name is too long');
  }

  async #run(): Promise<void> {
    const { flushMs = FLUSH_MS } = this.#options;
    while (!this.#stop.signal.aborted) {
      await this.#clock.sleep(flushMs, this.#stop.signal);
      if (!this.#stop.signal.aborted) await this.flush();
    }
  }
}
