import { randomUUID } from 'node:crypto';
import { REPORT_ID_HEADER } from '../api/client/reports.ts';
import type { Clock } from '../base/clock.ts';
import type { Logger } from '../base/logger.ts';
import { Slicer } from '../base/yield-control.ts';
import type { Parcel } from './parcel.ts';
import type { ReportBox, ScopeReports } from './report-box.ts';
import type { UnsentFile } from './unsent-file.ts';
import type { Upstream } from './upstream.ts';
import { upstreamError } from './upstream-error.ts';

/** Characters of one bulk report: every upstream takes so much. */
const PARCEL_LENGTH = 90_000;
/** What is left at a stop is sent for so long. */
const LAST_MS = 3_000;

export interface SenderParts {
  readonly box: ReportBox;
  readonly upstream: Upstream;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly everyMs: number;
  /** A client token that upstream counts reports of this scope for. */
  tokenFor(environment: string, projects: readonly string[]): string | undefined;
  /** Where what could not be sent is kept from one process to the next; null: nowhere. */
  readonly file: UnsentFile | null;
}

/**
 * Tells upstream now and then what SDKs reported. What upstream does not take waits, in parcels that are sent again as they are, while what comes
 * meanwhile is summed up behind them: what an outage costs in memory is bounded by names, not by its length.
 */
export class ReportSender {
  readonly #parts: SenderParts;
  /** Oldest first. */
  #leaving: Parcel[] = [];
  readonly #stop = new AbortController();
  #done: Promise<void> = Promise.resolve();
  #isTold = false;
  /** Parcels that upstream has, and those that it will never take. */
  sent = 0;
  refused = 0;

  constructor(parts: SenderParts) {
    this.#parts = parts;
  }

  /** Parcels that wait for upstream. */
  get waiting(): readonly Parcel[] {
    return this.#leaving;
  }

  async begin(): Promise<void> {
    this.#leaving = (await this.#parts.file?.read()) ?? [];
    this.#done = this.#run();
  }

  /** Sends what there is a last time; keeps what upstream does not take. */
  async close(): Promise<void> {
    this.#stop.abort();
    await this.#done;
    const deadline = this.#parts.clock.sleep(LAST_MS);
    await Promise.race([this.#round(), deadline]);
    await this.#pack();
    await this.#parts.file?.write(this.#leaving);
    if (this.#leaving.length > 0 && !this.#parts.file)
      this.#parts.logger.warn({ parcels: this.#leaving.length }, 'reports were given up: upstream did not take them');
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

  /** Whether all of it has left. */
  async #send(): Promise<boolean> {
    for (;;) {
      const [parcel] = this.#leaving;
      if (!parcel) return true;
      const problem = await this.#post(parcel);
      if (problem !== undefined) {
        if (!this.#isTold) this.#parts.logger.warn({ problem }, 'reports wait for upstream');
        this.#isTold = true;
        return false;
      }
      this.#isTold = false;
      this.#leaving.shift();
    }
  }

  /** Undefined when it need not be sent again. */
  async #post({ id, environment, projects, body }: Parcel): Promise<string | undefined> {
    const { upstream, tokenFor, logger } = this.#parts;
    const token = tokenFor(environment, projects);
    if (token === undefined) return `there is no client token for the environment ${environment}`;
    try {
      const headers = { [REPORT_ID_HEADER]: id };
      const { status } = await upstream.ask({
        method: 'POST',
        path: '/api/client/metrics/bulk',
        token,
        headers,
        json: body,
      });
      if (status >= 200 && status < 300) this.sent++;
      else if (status >= 500 || status === 401 || status === 403 || status === 408 || status === 429)
        return `it answered ${status}`;
      else {
        this.refused++;
        logger.error({ status, environment }, 'upstream refuses reports: they are given up');
      }
      return undefined;
    } catch (error) {
      return upstreamError(error).message;
    }
  }

  async #pack(): Promise<void> {
    const slicer = new Slicer();
    for (const reports of this.#parts.box.take()) {
      for (const parcel of parcelsOf(reports)) {
        this.#leaving.push(parcel);
        if (slicer.spent) await slicer.pause();
      }
    }
  }
}

function* parcelsOf({ environment, projects, metrics, applications }: ScopeReports): Generator<Parcel, void, void> {
  let [uses, instances, length]: [string[], string[], number] = [[], [], 0];
  const parcel = (): Parcel => {
    const body = `{"applications":[${instances.join()}],"metrics":[${uses.join()}]}`;
    [uses, instances, length] = [[], [], 0];
    return { id: randomUUID(), environment, projects, body };
  };
  for (const [items, isUse] of [
    [applications, false],
    [metrics, true],
  ] as const) {
    for (const item of items) {
      const text = JSON.stringify(item);
      if (length > 0 && length + text.length > PARCEL_LENGTH) yield parcel();
      (isUse ? uses : instances).push(text);
      length += text.length;
    }
  }
  if (length > 0) yield parcel();
}
