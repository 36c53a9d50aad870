import { SERVICE } from '../../base/asking/asker.ts';
import type { Clock } from '../../base/clock.ts';
import type { Logger } from '../../base/logger.ts';
import { Slicer } from '../../base/yield-control.ts';
import { REPORT_ID_HEADER } from '../../features/usage/reports/routes.ts';
import { batchesOf, halvesOf, type ReportBatch } from './report-batch.ts';
import type { BulkUse, ReportBox } from './report-box.ts';
import { type ProjectLookup, partsOf } from './report-parts.ts';
import type { UnsentFile } from './unsent-file.ts';
import type { Upstream } from './upstream.ts';
import { toUpstreamError } from './upstream-error.ts';

/** Time limit for sending the remaining reports at a stop. */
const CLOSE_TIMEOUT_MS = 3_000;
/**
 * Maximum number of batches that are blocked because no token covers their scope. They are kept because a token may come back; beyond the maximum,
 * the oldest are dropped.
 */
const HELD_MAX = 100;

/** Result of sending a batch. `yes`: done. `no`: try again later. `held`: this batch is blocked, but other batches can be sent. */
interface PostResult {
  readonly outcome: 'yes' | 'no' | 'held';
  readonly problem?: string;
  /** Batches to send instead. */
  readonly replacements?: readonly ReportBatch[];
}

interface SenderParts extends ProjectLookup {
  readonly box: ReportBox;
  readonly upstream: Upstream;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly everyMs: number;
  /** Called once for each item that leaves the box. */
  onTaken(use: BulkUse): void;
  /**
   * A client token for the report: a token with access to the whole scope, otherwise to a part of it, otherwise any token of the environment.
   * Undefined when the environment has no token.
   */
  tokenFor(environment: string, projects: readonly string[]): string | undefined;
  /** Stores unsent batches for the next process; null: they are not stored. */
  readonly file: UnsentFile | null;
}

/**
 * Periodically sends reports of SDKs upstream. Batches that upstream does not accept are kept and sent again unchanged; new reports are summed up
 * separately. So an outage needs memory for the number of names, independent of its duration.
 */
export class ReportSender {
  readonly #parts: SenderParts;
  /** The batches that wait, oldest first. */
  #batches: ReportBatch[] = [];
  readonly #stop = new AbortController();
  /** Aborts running requests at a stop. */
  readonly #requestAbort = new AbortController();
  #running: Promise<void> = Promise.resolve();
  #isOutageLogged = false;
  /** Number of batches that upstream accepted. */
  sent = 0;
  /** Number of batches that upstream refused finally. */
  refused = 0;

  constructor(parts: SenderParts) {
    this.#parts = parts;
  }

  /** Batches that wait for upstream. */
  get waiting(): readonly ReportBatch[] {
    return this.#batches;
  }

  async begin(): Promise<void> {
    this.#batches = (await this.#parts.file?.read()) ?? [];
    this.#running = this.#run();
  }

  /** Sends the waiting reports one last time, with a time limit; stores what upstream does not accept. */
  async close(): Promise<void> {
    this.#stop.abort();
    const deadline = setTimeout(() => this.#requestAbort.abort(), CLOSE_TIMEOUT_MS);
    // The running round must end first, so that its batches are included in the file.
    await this.#running;
    await this.#round();
    clearTimeout(deadline);
    await this.#pack();
    await this.#parts.file?.write(this.#batches);
    if (this.#batches.length > 0 && !this.#parts.file)
      this.#parts.logger.warn({ batches: this.#batches.length }, 'reports were dropped: upstream did not accept them');
  }

  async #run(): Promise<void> {
    const { clock, everyMs } = this.#parts;
    while (!this.#stop.signal.aborted) {
      await clock.sleep(everyMs, this.#stop.signal);
      if (!this.#stop.signal.aborted) await this.#round();
    }
  }

  /** Sends the waiting batches. If upstream accepts them, packs new reports and sends them too. Never rejects. */
  async #round(): Promise<void> {
    if (!(await this.#send())) return;
    await this.#pack();
    await this.#send();
  }

  /** Whether upstream accepts the batches. Batches without a usable token are kept and do not block the others. */
  async #send(): Promise<boolean> {
    const heldBatches: ReportBatch[] = [];
    let outage: string | undefined;
    for (let [batch] = this.#batches; batch && outage === undefined; [batch] = this.#batches) {
      const { outcome, problem, replacements = [] } = await this.#post(batch);
      if (problem !== undefined) this.#logOutage(problem);
      if (outcome === 'no') outage = problem;
      else this.#batches.splice(0, 1, ...replacements);
      if (outcome === 'held') heldBatches.push(batch);
    }
    const dropped = heldBatches.splice(0, Math.max(0, heldBatches.length - HELD_MAX));
    this.refused += dropped.length;
    this.#batches.unshift(...heldBatches);
    if (outage === undefined && heldBatches.length === 0) this.#isOutageLogged = false;
    return outage === undefined;
  }

  /** Logs once per outage, not for every attempt. */
  #logOutage(problem: string): void {
    if (!this.#isOutageLogged) this.#parts.logger.warn({ problem }, 'reports wait for upstream');
    this.#isOutageLogged = true;
  }

  async #post(batch: ReportBatch): Promise<PostResult> {
    const { id, environment, projects, body } = batch;
    const { upstream, tokenFor, logger } = this.#parts;
    const token = tokenFor(environment, projects);
    if (token === undefined)
      return { outcome: 'held', problem: `there is no client token for the environment ${environment}` };
    try {
      const { status } = await upstream.ask({
        method: 'POST',
        path: '/api/client/metrics/bulk',
        token,
        headers: { [REPORT_ID_HEADER]: id },
        json: body,
        signal: this.#requestAbort.signal,
      });
      const problem = `upstream answered ${status}`;
      if (status === 401 || status === 403) return { outcome: 'held', problem };
      if (status >= 500 || status === 408 || status === 429) return { outcome: 'no', problem };
      const replacements = status === 413 ? halvesOf(batch) : [];
      if (replacements.length > 0) return { outcome: 'yes', replacements };
      if (status >= 200 && status < 300) this.sent++;
      else {
        this.refused++;
        logger.error({ status, environment }, 'upstream refuses reports: they are dropped');
      }
      return { outcome: 'yes' };
    } catch (error) {
      return { outcome: 'no', problem: toUpstreamError(error).message };
    }
  }

  async #pack(): Promise<void> {
    const slicer = Slicer.of(SERVICE);
    for (const reports of this.#parts.box.take()) {
      for (const use of reports.metrics) {
        this.#parts.onTaken(use);
        if (slicer.spent) await slicer.pause();
      }
      for (const part of partsOf(reports, this.#parts)) {
        for (const batch of batchesOf(part)) {
          this.#batches.push(batch);
          if (slicer.spent) await slicer.pause();
        }
      }
    }
  }
}
