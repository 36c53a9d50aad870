import { Durations } from '../base/durations.ts';
import type { PreparedAnswer } from '../base/prepared-answer.ts';
import { headText, labelText, sampleText } from '../base/prometheus-text.ts';

/** The name of the metric in Unleash, so that existing dashboards work. */
const NAME = 'http_request_duration_milliseconds';
const QUANTILES = [0.1, 0.5, 0.9, 0.95, 0.99] as const;

/** The number of polls of which one is timed. */
const TIMED_EACH = 128;

/** Statistics of the requests of one route: their number and durations, by status. */
export class RouteStats {
  readonly #byStatus = new Map<number, Durations>();

  note(status: number, ms: number, nowMs: number): void {
    this.of(status).add(ms, nowMs);
  }

  of(status: number): Durations {
    let durations = this.#byStatus.get(status);
    if (!durations) {
      durations = new Durations();
      this.#byStatus.set(status, durations);
    }
    return durations;
  }

  *all(): Generator<readonly [status: number, durations: Durations, count: number], void, void> {
    for (const [status, durations] of this.#byStatus) yield [status, durations, durations.count];
  }
}

/** Statistics of polls, with little cost per poll: each poll is counted, and one of 128 is timed. */
export class PollStats extends RouteStats {
  #pollCount = 0;
  #fullAnswers = 0;
  #notModified = 0;

  /** The start time of the poll (`performance.now()`) if it will be timed; otherwise 0. */
  begin(): number {
    return this.#pollCount++ % TIMED_EACH === 0 ? performance.now() : 0;
  }

  end(startMs: number, { body }: PreparedAnswer): void {
    if (body === undefined) this.#notModified++;
    else this.#fullAnswers++;
    if (startMs !== 0) this.#time(startMs, body === undefined ? 304 : 200, TIMED_EACH);
  }

  /** Same as `end`, for an answer that was not ready. Each of these polls is timed, and counts once in the sum. */
  endLate(startMs: number, { body }: PreparedAnswer): void {
    if (body === undefined) this.#notModified++;
    else this.#fullAnswers++;
    this.#time(startMs, body === undefined ? 304 : 200, 1);
  }

  #time(startMs: number, status: number, standsFor: number): void {
    const nowMs = performance.now();
    this.of(status).add(nowMs - startMs, nowMs, standsFor);
  }

  override *all(): Generator<readonly [status: number, durations: Durations, count: number], void, void> {
    for (const [status, durations] of super.all()) {
      const count = status === 304 ? this.#notModified : status === 200 ? this.#fullAnswers : durations.count;
      yield [status, durations, count];
    }
  }
}

/** Statistics of all requests of a server. */
export class RequestStats {
  readonly #routes: { readonly method: string; readonly path: string; readonly stats: RouteStats }[] = [];

  route(method: string, path: string): RouteStats {
    return this.#add(method, path, new RouteStats());
  }

  poll(method: string, path: string): PollStats {
    return this.#add(method, path, new PollStats());
  }

  /** The Prometheus text by route, for routes that were called. Each timed poll counts as 128 in the sum. */
  *texts(): Generator<string, void, void> {
    yield headText(NAME, 'Duration of requests. One of 128 polls is timed; streams are not timed.', 'summary');
    const nowMs = performance.now();
    for (const { method, path, stats } of this.#routes) {
      let text = '';
      for (const [status, durations, count] of stats.all()) {
        const labels = labelText([
          ['path', path],
          ['method', method],
          ['status', String(status)],
        ]);
        for (const quantile of QUANTILES) {
          const ms = durations.quantile(quantile, nowMs);
          if (ms !== undefined) text += sampleText(NAME, `${labels},quantile="${quantile}"`, rounded(ms));
        }
        text +=
          sampleText(`${NAME}_sum`, labels, rounded(durations.sumMs)) + sampleText(`${NAME}_count`, labels, count);
      }
      yield text;
    }
  }

  #add<Stats extends RouteStats>(method: string, path: string, stats: Stats): Stats {
    this.#routes.push({ method: method.toUpperCase(), path, stats });
    return stats;
  }
}

function rounded(ms: number): number {
  return Math.round(ms * 10_000) / 10_000;
}
