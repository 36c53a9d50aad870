import type { Clock } from '../../base/clock.ts';
import type { Logger } from '../../base/logger.ts';
import { Slicer } from '../../base/yield-control.ts';
import { REPORT_ID_HEADER } from '../../features/usage/reports/routes.ts';
import { batchesOf, halvesOf, type ReportBatch } from './report-batch.ts';
import type { BulkUse, ReportBox } from './report-box.ts';
import { type ProjectFacts, partsOf } from './report-parts.ts';
import type { UnsentFile } from './unsent-file.ts';
import type { Upstream } from './upstream.ts';
import { upstreamError } from './upstream-error.ts';

/** What is left at a stop is sent for so long. */
const LAST_MS = 3_000;
/** Batches of whose scope there is no token now: it may come back. The oldest are dropped. */
const HELD_MAX = 100;

/** Whether a batch need not be sent again; `held`: it cannot be sent now, others can. */
interface Posted {
  readonly left: 'yes' | 'no' | 'held';
  readonly wrong?: string;
  /** What is sent instead. */
  readonly instead?: readonly ReportBatch[];
}

interface SenderParts extends ProjectFacts {
  readonly box: ReportBox;
  readonly upstream: Upstream;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly everyMs: number;
  /** Called with what leaves the box, once. */
  leaves(use: BulkUse): void;
  /** A client token to report with: one that sees all of the scope, or else as much of it as there is. */
  tokenFor(environment: string, projects: readonly string[]): string | undefined;
  /** Where what could not be sent is kept from one process to the next; null: nowhere. */
  readonly file: UnsentFile | null;
}

/**
 * Sends upstream now and then what SDKs reported. What upstream does not take waits, in batches that are sent again unchanged, while what comes
 * meanwhile is summed up behind them: what an outage costs in memory is bounded by names, not by its length.
 */
export class ReportSender {
  readonly #parts: SenderParts;
  /** Oldest first. */
  #leaving: ReportBatch[] = [];
  readonly #stop = new AbortController();
  /** Ends what is asked at a stop. */
  readonly #end = new AbortController();
  #done: Promise<void> = Promise.resolve();
  #isSent = false;
  /** Batches that upstream has, and those that it will never take. */
  sent = 0;
  refused = 0;

  constructor(parts: SenderParts) {
    this.#parts = parts;
  }

  /** Batches that wait for upstream. */
  get waiting(): readonly ReportBatch[] {
    return this.#leaving;
  }

  async begin(): Promise<void> {
    this.#leaving = (await this.#parts.file?.read()) ?? [];
    this.#done = this.#run();
  }

  /** Sends what there is a last time, for a bounded time; keeps what upstream does not take. */
  async close(): Promise<void> {
    this.#stop.abort();
    const deadline = setTimeout(() => this.#end.abort(), LAST_MS);
    // One after the other: what one round packs is not to be missed by what is written.
    await this.#done;
    await this.#round();
    clearTimeout(deadline);
    await this.#pack();
    await this.#parts.file?.write(this.#leaving);
    if (this.#leaving.length > 0 && !this.#parts.file)
      this.#parts.logger.warn({ batches: this.#leaving.length }, 'reports were given up: upstream did not take them');
  }

  async #run(): Promise<void> {
    const { clock, everyMs } = this.#parts;
    while (!this.#stop.signal.aborted) {
      await clock.sleep(everyMs, this.#stop.signal);
      if (!this.#stop.signal.aborted) await this.#round();
    }
  }

  /** Never rejects. What came since is packed when what waited has left. */
  async #round(): Promise<void> {
    if (!(await this.#send())) return;
    await this.#pack();
    await this.#send();
  }

  /** Whether upstream takes what there is. What no token can be sent with now is kept, and keeps nothing else. */
  async #send(): Promise<boolean> {
    const held: ReportBatch[] = [];
    let problem: string | undefined;
    for (let [batch] = this.#leaving; batch && problem === undefined; [batch] = this.#leaving) {
      const { left, wrong, instead = [] } = await this.#post(batch);
      if (wrong !== undefined) this.#tell(wrong);
      if (left === 'no') problem = wrong;
      else this.#leaving.splice(0, 1, ...instead);
      if (left === 'held') held.push(batch);
    }
    const given = held.splice(0, Math.max(0, held.length - HELD_MAX));
    this.refused += given.length;
    this.#leaving.unshift(...held);
    if (problem === undefined && held.length === 0) this.#isSent = false;
    return problem === undefined;
  }

  /** Once, however often it is tried. */
  #tell(problem: string): void {
    if (!this.#isSent) this.#parts.logger.warn({ problem }, 'reports wait for upstream');
    this.#isSent = true;
  }

  async #post(batch: ReportBatch): Promise<Posted> {
    const { id, environment, projects, body } = batch;
    const { upstream, tokenFor, logger } = this.#parts;
    const token = tokenFor(environment, projects);
    if (token === undefined)
      return { left: 'held', wrong: `there is no client token for the environment ${environment}` };
    try {
      const { status } = await upstream.ask({
        method: 'POST',
        path: '/api/client/metrics/bulk',
        token,
        headers: { [REPORT_ID_HEADER]: id },
        json: body,
        signal: this.#end.signal,
      });
      const wrong = `it answered ${status}`;
      if (status === 401 || status === 403) return { left: 'held', wrong };
      if (status >= 500 || status === 408 || status === 429) return { left: 'no', wrong };
      const instead = status === 413 ? halvesOf(batch) : [];
      if (instead.length > 0) return { left: 'yes', instead };
      if (status >= 200 && status < 300) this.sent++;
      else {
        this.refused++;
        logger.error({ status, environment }, 'upstream refuses reports: they are given up');
      }
      return { left: 'yes' };
    } catch (error) {
      return { left: 'no', wrong: upstreamError(error).message };
    }
  }

  async #pack(): Promise<void> {
    const slicer = new Slicer();
    for (const reports of this.#parts.box.take()) {
      for (const use of reports.metrics) {
        this.#parts.leaves(use);
        if (slicer.spent) await slicer.pause();
      }
      for (const part of partsOf(reports, this.#parts)) {
        for (const batch of batchesOf(part)) {
          this.#leaving.push(batch);
          if (slicer.spent) await slicer.pause();
        }
      }
    }
  }
}
