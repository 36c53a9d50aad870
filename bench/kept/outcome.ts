/** What a set of callers does: each sends its requests one after the other, GET and POST in turn, with pauses of random length. */
export interface Plan {
  /** The address of the service, one for each caller. */
  readonly urls: readonly string[];
  readonly requests: number;
  readonly pauseMinMs: number;
  readonly pauseMaxMs: number;
  readonly token: string;
}

/** Requests that failed for the caller, after what its client repeats by itself. */
export interface Outcome {
  readonly requests: number;
  readonly failedGets: number;
  readonly failedPosts: number;
  /** The message of the first failure. */
  readonly first: string;
}

/** Runs one client with a plan. */
export type Client = (plan: Plan) => Promise<Outcome>;

/** A client that cannot run here, and why. */
export class Missing extends Error {}

export const LIST = '/api/client/features';
export const METRICS = '/api/client/metrics';
export const METRICS_BODY =
  '{"appName":"kept","instanceId":"kept","bucket":{"start":"2026-01-01T00:00:00Z","stop":"2026-01-01T00:01:00Z","toggles":{}}}';

export const pauseOf = ({ pauseMinMs, pauseMaxMs }: Plan): number =>
  pauseMinMs + Math.random() * (pauseMaxMs - pauseMinMs);

export const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** Counts requests and failures. */
export class Tally {
  requests = 0;
  failedGets = 0;
  failedPosts = 0;
  first = '';

  async note(isGet: boolean, asked: Promise<unknown>): Promise<void> {
    this.requests++;
    await asked.catch((error: unknown) => this.fail(isGet, error));
  }

  fail(isGet: boolean, error: unknown): void {
    if (isGet) this.failedGets++;
    else this.failedPosts++;
    const { message, cause } = error as Error;
    this.first ||= `${message}${cause instanceof Error ? `: ${cause.message}` : ''}`;
  }
}
