import { SERVICE } from '../../base/asking/asker.ts';
import type { Clock } from '../../base/clock.ts';
import type { Logger } from '../../base/logger.ts';
import { ThreadPool } from '../../base/thread-pool.ts';
import { Slicer } from '../../base/yield-control.ts';
import type { WriteNote } from '../../http/observed-writes.ts';
import type { Target, TelemetryResult, TelemetryTask } from './protocol.ts';

/** Maximum number of writes that wait to be sent. Further ones are dropped and counted. */
const WRITES_MAX = 2_048;
/** Maximum number of writes in one request. */
const BATCH_MAX = 512;

/** How long a stop waits for the last export. */
const LAST_MS = 2_000;

const MEMORY_MB = 256;

interface TelemetryOptions {
  readonly workerFile: string;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Undefined: no metrics are sent. */
  readonly metrics: Target | undefined;
  /** Undefined: no traces are sent. */
  readonly traces: Target | undefined;
  readonly metricIntervalMs: number;
  readonly traceDelayMs: number;
  /** The page of all metrics, in pieces. */
  readonly page: () => Iterable<string>;
}

/**
 * Sends the metrics of the page for Prometheus, and a trace of each admin write, to a collector of OpenTelemetry. A thread, which loads the SDK,
 * encodes and sends. For each of the two kinds, one export is in progress at a time: a slow collector delays only the next export.
 */
export class Telemetry {
  readonly #options: TelemetryOptions;
  #writes: WriteNote[] = [];
  #dropped = 0;
  readonly #threads: ThreadPool;
  readonly #closing = new AbortController();
  readonly #loops: Promise<void>[] = [];
  /** The kinds whose last export failed. Only changes are logged. */
  readonly #failing = new Set<TelemetryTask['kind']>();

  constructor(options: TelemetryOptions) {
    this.#options = options;
    this.#threads = new ThreadPool({
      purpose: 'OpenTelemetry',
      logger: options.logger,
      filename: options.workerFile,
      minThreads: 0,
      maxThreads: 1,
      // One export of metrics and one of traces.
      concurrentTasksPerWorker: 2,
      maxQueue: 2,
      // Otherwise the thread would load the SDK again for each export.
      idleTimeout: Number.POSITIVE_INFINITY,
      resourceLimits: { maxOldGenerationSizeMb: MEMORY_MB },
    });
  }

  /** Number of writes that were dropped, because the collector was too slow or not reachable. */
  get dropped(): number {
    return this.#dropped;
  }

  /** Number of writes that wait to be sent. */
  get waiting(): number {
    return this.#writes.length;
  }

  /** Whether `note` does something. */
  get tracesWrites(): boolean {
    return this.#options.traces !== undefined;
  }

  /** Notes a finished write. */
  note(write: WriteNote): void {
    if (!this.tracesWrites) return;
    if (this.#writes.length < WRITES_MAX) this.#writes.push(write);
    else this.#dropped++;
  }

  start(): void {
    const { metrics, traces, metricIntervalMs, traceDelayMs } = this.#options;
    if (metrics) this.#loops.push(this.#repeat(metricIntervalMs, () => this.#sendMetrics(metrics)));
    if (traces) this.#loops.push(this.#repeat(traceDelayMs, () => this.#sendWrites(traces)));
  }

  /** Sends what is left, for a short time, and ends the thread. */
  async close(): Promise<void> {
    this.#closing.abort();
    const sent = new AbortController();
    const late = this.#options.clock.sleep(LAST_MS, sent.signal);
    await Promise.race([Promise.all(this.#loops), late]);
    sent.abort();
    await this.#threads.close();
  }

  /** Repeats the export until the service stops, and does it once more then. */
  async #repeat(everyMs: number, send: () => Promise<void>): Promise<void> {
    const { signal } = this.#closing;
    for (;;) {
      await this.#options.clock.sleep(everyMs, signal);
      await send();
      if (signal.aborted) return;
    }
  }

  async #sendMetrics(target: Target): Promise<void> {
    // Work of the service: no request waits for an export.
    const slicer = Slicer.of(SERVICE);
    const pieces: string[] = [];
    for (const piece of this.#options.page()) {
      pieces.push(piece);
      if (slicer.spent) await slicer.pause();
    }
    const nowMs = this.#options.clock.nowMs();
    const processStartMs = nowMs - process.uptime() * 1_000;
    await this.#run({ kind: 'metrics', target, page: pieces.join(''), processStartMs, nowMs });
  }

  async #sendWrites(target: Target): Promise<void> {
    while (this.#writes.length > 0) {
      const writes = this.#writes.slice(0, BATCH_MAX);
      // They are not sent again: a trace that is missing is better than a queue that only grows.
      this.#writes = this.#writes.slice(writes.length);
      if (!(await this.#run({ kind: 'traces', target, writes }))) this.#dropped += writes.length;
    }
  }

  /** Whether the collector has got it. */
  async #run(task: TelemetryTask): Promise<boolean> {
    let reason: TelemetryResult;
    try {
      const threads = await this.#threads.pool();
      reason = (await threads.run(task)) as TelemetryResult;
    } catch (error) {
      reason = this.#closing.signal.aborted ? null : `the thread failed: ${(error as Error).name}`;
    }
    this.#log(task.kind, reason);
    return reason === null;
  }

  #log(kind: TelemetryTask['kind'], reason: string | null): void {
    const { logger } = this.#options;
    if (reason === null) {
      if (this.#failing.delete(kind)) logger.info({ kind }, 'the OpenTelemetry collector accepts data again');
      return;
    }
    if (this.#failing.has(kind)) return;
    this.#failing.add(kind);
    logger.warn({ kind, reason }, 'the OpenTelemetry collector does not accept data; trying again with the next data');
  }
}
