import { type Clock, isoTime } from '../base/clock.ts';
import type { Logger } from '../base/logger.ts';
import { Rejection } from '../base/rejection.ts';
import type { MirrorQueue } from './mirror-queue.ts';
import { readList } from './read-list.ts';
import type { CoveredScope } from './scope-cover.ts';
import { type Upstream, type UpstreamAnswer, UpstreamError } from './upstream.ts';

/** Newer than every version whose lists differ: segments by id, and every operator there is. */
export const CLIENT_SPEC = '5.2.0';

/** After failures it is asked less and less often, down to this; never more often than it is asked when all is well. */
const BACKOFF_MS_MAX = 60_000;
const BACKOFF_MS_MIN = 1_000;

/** How following one scope goes. */
export interface FollowStatus {
  /** RFC 3339; when upstream was last known to say what the state holds. Null: not since the start. */
  readonly syncedAt: string | null;
  /** What went wrong since, and from when on. */
  readonly problem: { readonly since: string; readonly message: string } | null;
}

export interface FollowParts {
  readonly upstream: Upstream;
  readonly queue: MirrorQueue;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly refreshMs: number;
  /** What the state holds of the scope, as upstream calls it; null when it holds nothing. */
  etagOf(key: string): string | null;
  /** Upstream would not have this token. */
  refused(secret: string): void;
}

/** Keeps one scope in step with upstream, for as long as it is there. */
export class ListFollower {
  /** The same as long as it lives, but for the tokens to ask with. */
  scope: CoveredScope;
  readonly #parts: FollowParts;
  readonly #stop = new AbortController();
  #wake = new AbortController();
  #syncedMs: number | null = null;
  #problem: FollowStatus['problem'] = null;
  #failures = 0;
  #hasArrived = false;
  /** The answer that is on its way when the scope is first asked for. */
  readonly first: Promise<void>;
  readonly #done: Promise<void>;

  constructor(scope: CoveredScope, parts: FollowParts) {
    parts.queue.expect();
    this.scope = scope;
    this.#parts = parts;
    this.first = this.#turn();
    this.#done = this.#run();
  }

  get status(): FollowStatus {
    return { syncedAt: this.#syncedMs === null ? null : isoTime(this.#syncedMs), problem: this.#problem };
  }

  /** Asks upstream now instead of later. */
  wake(): void {
    this.#wake.abort();
  }

  async close(): Promise<void> {
    this.#stop.abort();
    this.#wake.abort();
    await this.#done;
  }

  async #run(): Promise<void> {
    await this.first;
    while (!this.#stop.signal.aborted) {
      this.#wake = new AbortController();
      await this.#parts.clock.sleep(this.#delayMs(), this.#wake.signal);
      if (!this.#stop.signal.aborted) await this.#turn();
    }
  }

  #delayMs(): number {
    const { refreshMs } = this.#parts;
    if (this.#failures === 0) return refreshMs;
    const backoffMs = Math.min(BACKOFF_MS_MAX, BACKOFF_MS_MIN * 2 ** Math.min(this.#failures - 1, 10));
    return Math.max(Math.min(refreshMs, BACKOFF_MS_MAX), backoffMs);
  }

  /** Never rejects: what goes wrong is told by `status`, and tried again. */
  async #turn(): Promise<void> {
    const { clock, logger } = this.#parts;
    const { environment, projects } = this.scope;
    const problem = await this.#poll()
      .catch((error: unknown) => {
        if (error instanceof UpstreamError) return error.message;
        logger.error({ err: error, environment, projects }, 'what upstream told could not be taken');
        return 'what it told could not be taken';
      })
      .finally(() => this.#arrive());
    if (problem === undefined) {
      if (this.#problem) logger.info({ environment, projects }, 'upstream answers again');
      this.#syncedMs = clock.nowMs();
      this.#problem = null;
      this.#failures = 0;
      return;
    }
    this.#failures++;
    if (this.#problem?.message !== problem) logger.warn({ environment, projects, problem }, 'upstream does not answer');
    this.#problem = { since: this.#problem?.since ?? isoTime(clock.nowMs()), message: problem };
  }

  /** Undefined when the state holds what upstream says. */
  async #poll(): Promise<string | undefined> {
    const { upstream, queue, etagOf } = this.#parts;
    const { key, environment, projects } = this.scope;
    const etag = etagOf(key);
    const answer = await this.#ask(upstream, etag);
    if (typeof answer === 'string') return answer;
    if (answer.status === 304) return undefined;
    const list = await readList(answer.body);
    if (list instanceof Rejection) return `it answered something that is no list: ${list.message}`;
    const told = { environment, projects: [...projects], etag: answer.header('etag') || null, removed: null, ...list };
    const brought = queue.bring(told, answer.body.length);
    this.#arrive();
    return (await brought)?.message;
  }

  /** The first answer is there, whatever it is: nobody waits for it any more. */
  #arrive(): void {
    if (this.#hasArrived) return;
    this.#hasArrived = true;
    this.#parts.queue.arrived();
  }

  /** With one token after the other, until upstream takes one. */
  async #ask(upstream: Upstream, etag: string | null): Promise<UpstreamAnswer | string> {
    let problem = 'there is no token to ask with';
    for (const token of this.scope.secrets) {
      const headers = { 'unleash-client-spec': CLIENT_SPEC, ...(etag !== null && { 'if-none-match': etag }) };
      const answer = await upstream.ask({ path: '/api/client/features', token, headers });
      if (answer.status === 200 || (answer.status === 304 && etag !== null)) return answer;
      problem = `it answered ${answer.status}`;
      if (answer.status !== 401 && answer.status !== 403) return problem;
      this.#parts.refused(token);
    }
    return problem;
  }
}
