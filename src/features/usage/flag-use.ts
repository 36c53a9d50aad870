import { SERVICE } from '../../base/asking/asker.ts';
import { type Clock, HOUR_MS, isoTime } from '../../base/clock.ts';
import type { Logger } from '../../base/logger.ts';
import { Slicer } from '../../base/yield-control.ts';
import type { Feature } from '../../model/feature.ts';
import { type Counters, newestBuckets, type Series } from '../../stores/counters.ts';
import { StoreError } from '../../stores/store.ts';
import { hourOf, LAST_USES, NO, nameOf, partsOf, RECENT_USES, YES } from './use-series.ts';

/** The pause between two reads of the counts of other replicas. It is longer if a read takes long. */
const REFRESH_MS = 5_000;
/** The pause is at least this many times as long as the read. */
const REFRESH_SHARE = 50;

/** Maximum number of pairs of a flag and an environment that are remembered. The last use of further pairs is not shown. */
const NAMES_MAX = 500_000;

/** How often a flag was on and off. */
interface UseCount {
  readonly yes: number;
  readonly no: number;
}

/** Gets the time of a use that is later than all known uses of the flag in the environment. */
type UseListener = (feature: string, environment: string, useMs: number) => void;

/** Hour → name → count. */
type Hours = ReadonlyMap<number, ReadonlyMap<string, number>>;

/**
 * When flags were last used, and how often they were used recently. It is kept in memory, because every answer about a flag contains it. The counts
 * of this process are included immediately. The counts of other replicas, and of earlier processes, are read from the store periodically.
 */
export class FlagUse {
  readonly #counters: Counters;
  readonly #clock: Clock;
  readonly #logger: Logger;
  readonly #stop = new AbortController();
  #running: Promise<void> = Promise.resolve();
  #refreshing: Promise<void> | undefined;
  /** Flag and environment → time of the last use. */
  readonly #seenMs = new Map<string, number>();
  readonly #ownCounts = new Map<number, Map<string, number>>();
  #storedCounts: Hours = new Map();
  #hasReadAll = false;
  #listener: UseListener | undefined;

  constructor(counters: Counters, clock: Clock, logger: Logger) {
    this.#counters = counters;
    this.#clock = clock;
    this.#logger = logger;
  }

  /** Starts to read from the store, which must be open. */
  start(): void {
    this.#running = this.#run();
  }

  async close(): Promise<void> {
    this.#stop.abort();
    await this.#running;
  }

  /** Number of pairs of a flag and an environment with a known last use. */
  get size(): number {
    return this.#seenMs.size;
  }

  /** Adds uses that were reported to this process. `hourMs` is the hour to which they belong. */
  note(
    feature: string,
    environment: string,
    use: UseCount & { readonly seenMs: number; readonly hourMs: number },
  ): void {
    if (this.#recordUse(nameOf(feature, environment), use.seenMs)) this.#listener?.(feature, environment, use.seenMs);
    if (use.hourMs < this.#firstHour()) return;
    let counts = this.#ownCounts.get(use.hourMs);
    if (!counts) {
      for (const hourMs of [...this.#ownCounts.keys()]) if (hourMs < this.#firstHour()) this.#ownCounts.delete(hourMs);
      counts = new Map();
      this.#ownCounts.set(use.hourMs, counts);
    }
    add(counts, nameOf(feature, environment, YES), use.yes);
    add(counts, nameOf(feature, environment, NO), use.no);
  }

  /** When the flag was last used in the environment; null if that is unknown, or if the use was of an earlier flag with the same name. */
  lastSeenAt({ name, createdAt }: Feature, environment: string): string | null {
    const seenMs = this.#seenMs.size === 0 ? undefined : this.#seenMs.get(nameOf(name, environment));
    return seenMs === undefined || seenMs < Date.parse(createdAt) ? null : isoTime(seenMs);
  }

  /** When the flag was last used in any of the environments. It is null in the same cases as `lastSeenAt`. */
  newestSeenAt({ name, createdAt }: Feature, environments: readonly string[]): string | null {
    if (this.#seenMs.size === 0) return null;
    const newestMs = this.newestUseMs(name, environments);
    return newestMs >= Date.parse(createdAt) ? isoTime(newestMs) : null;
  }

  /** The last use in any of the environments, also if it was a use of an earlier flag with the same name; -Infinity without a use. */
  newestUseMs(feature: string, environments: readonly string[]): number {
    let newestMs = Number.NEGATIVE_INFINITY;
    if (this.#seenMs.size === 0) return newestMs;
    for (const environment of environments)
      newestMs = Math.max(newestMs, this.#seenMs.get(nameOf(feature, environment)) ?? newestMs);
    return newestMs;
  }

  /** Sets the listener that is called for every later use, in the same turn of the event loop. */
  onUse(listener: UseListener): void {
    this.#listener = listener;
  }

  /**
   * How often the flag was on and off in the environment, in the current and the previous hour. Zero before its first use. Hours before the flag was
   * created are not counted: their counts belong to an earlier flag with the same name.
   */
  recentUse(feature: Feature, environment: string): UseCount {
    // Names are not built if there are no counts to search.
    if (this.#ownCounts.size === 0 && this.#storedCounts.size === 0) return { yes: 0, no: 0 };
    if (this.lastSeenAt(feature, environment) === null) return { yes: 0, no: 0 };
    const fromMs = Math.max(this.#firstHour(), hourOf(Date.parse(feature.createdAt)));
    return {
      yes: this.#count(nameOf(feature.name, environment, YES), fromMs),
      no: this.#count(nameOf(feature.name, environment, NO), fromMs),
    };
  }

  /** Reads the counts in the store. Joins a read that is in progress. If the store is unreachable, the known counts stay in use. */
  refresh(): Promise<void> {
    this.#refreshing ??= this.#refresh().finally(() => {
      this.#refreshing = undefined;
    });
    return this.#refreshing;
  }

  /**
   * Adds up, for each hour, the larger of two counts: the counts of this process may not be in the store yet, and the counts of other replicas are
   * only in the store.
   */
  #count(name: string, fromMs: number): number {
    let sum = 0;
    for (let hourMs = fromMs; hourMs <= this.#clock.nowMs(); hourMs += HOUR_MS)
      sum += Math.max(this.#ownCounts.get(hourMs)?.get(name) ?? 0, this.#storedCounts.get(hourMs)?.get(name) ?? 0);
    return sum;
  }

  #firstHour(): number {
    return hourOf(this.#clock.nowMs()) - HOUR_MS;
  }

  /** Returns whether the use is later than all known uses. */
  #recordUse(name: string, timeMs: number): boolean {
    const known = this.#seenMs.get(name);
    const isLater = known === undefined ? this.#seenMs.size < NAMES_MAX : known < timeMs;
    if (isLater) this.#seenMs.set(name, timeMs);
    return isLater;
  }

  #passOn(name: string, useMs: number): void {
    if (!this.#listener) return;
    const [feature = '', environment = ''] = partsOf(name);
    this.#listener(feature, environment, useMs);
  }

  async #refresh(): Promise<void> {
    try {
      const stored = new Map<number, ReadonlyMap<string, number>>();
      for await (const { startMs, counts } of this.#read(RECENT_USES, 2)) stored.set(startMs, counts);
      // Work of the service: the times are kept for all requests.
      const slicer = Slicer.of(SERVICE);
      for await (const { counts } of this.#read(LAST_USES, this.#hasReadAll ? 1 : LAST_USES.bucketsMax)) {
        for (const [name, seenMs] of counts) {
          if (this.#recordUse(name, seenMs)) this.#passOn(name, seenMs);
          if (slicer.spent) await slicer.pause();
        }
      }
      this.#hasReadAll = true;
      this.#storedCounts = stored;
    } catch (error) {
      if (!(error instanceof StoreError)) this.#logger.error({ err: error }, 'the use of flags could not be read');
    }
  }

  /** Reads the newest `buckets` buckets of the series. */
  #read(series: Series, buckets: number) {
    return this.#counters.read(newestBuckets(series, this.#clock.nowMs(), buckets));
  }

  async #run(): Promise<void> {
    while (!this.#stop.signal.aborted) {
      const beginMs = this.#clock.nowMs();
      await this.refresh();
      const tookMs = this.#clock.nowMs() - beginMs;
      await this.#clock.sleep(Math.max(REFRESH_MS, tookMs * REFRESH_SHARE), this.#stop.signal);
    }
  }
}

function add(counts: Map<string, number>, name: string, delta: number): void {
  if (delta > 0) counts.set(name, (counts.get(name) ?? 0) + delta);
}
