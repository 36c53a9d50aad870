import { type Clock, isoTime } from '../base/clock.ts';
import type { Logger } from '../base/logger.ts';
import { Rejection } from '../base/rejection.ts';
import type { MirrorQueue } from './mirror-queue.ts';
import { readList } from './read-list.ts';
import type { CoveredScope } from './scope-cover.ts';
import { ScopeStream, type StreamEnd } from './scope-stream.ts';
import type { Upstream, UpstreamAnswer } from './upstream.ts';
import { UpstreamError } from './upstream-error.ts';

/** Newer than every version whose lists differ: segments by id, and every operator there is. */
export const CLIENT_SPEC = '5.2.0';

/** After failures upstream is asked less and less often, down to this; never more often than it is asked when all is well. */
const BACKOFF_MS_MAX = 60_000;
const BACKOFF_MS_MIN = 1_000;
/** An upstream that does not stream may have learned it. */
const STREAM_AGAIN_MS = 10 * 60_000;

/** How following one scope goes. */
export interface FollowStatus {
  /** RFC 3339; when upstream was last known to say what the state holds. Null: not since the start. */
  readonly syncedAt: string | null;
  /** What goes wrong now, and from when on. */
  readonly problem: { readonly since: string; readonly message: string } | null;
  /** Whether upstream tells of changes as they happen. */
  readonly isStreaming: boolean;
}

export interface FollowParts {
  readonly upstream: Upstream;
  readonly queue: MirrorQueue;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly refreshMs: number;
  readonly isStreaming: boolean;
  /** What the state holds of the scope, as upstream calls it; null when that is not known. */
  etagOf(key: string): string | null;
  /** Upstream would not have this token. */
  refused(secret: string): void;
  /** Upstream began to fail for a scope, or answers again (null). */
  failing(scope: CoveredScope, problem: string | null): void;
}

/** Keeps one scope in step with upstream, for as long as it is there: asks now and then, or is told. */
export class ScopeFollower {
  /** The same as long as it lives, but for the tokens to ask with. */
  scope: CoveredScope;
  readonly #parts: FollowParts;
  readonly #stop = new AbortController();
  #syncedMs: number | null = null;
  #problem: FollowStatus['problem'] = null;
  #failures = 0;
  #hasArrived = false;
  #stream: ScopeStream | undefined;
  #noStreamUntilMs = Number.NEGATIVE_INFINITY;
  /** Whether all of the scope is to be told again, though a stream is open. */
  #isDoubted = false;
  #againFromMs = Number.NEGATIVE_INFINITY;
  readonly #done: Promise<void>;

  constructor(scope: CoveredScope, parts: FollowParts) {
    parts.queue.expect();
    this.scope = scope;
    this.#parts = parts;
    this.#done = this.#run();
  }

  get status(): FollowStatus {
    const isStreaming = this.#stream?.isOpen ?? false;
    // Silence of a stream that is open says that nothing has changed.
    const syncedMs = isStreaming ? this.#parts.clock.nowMs() : this.#syncedMs;
    return { syncedAt: syncedMs === null ? null : isoTime(syncedMs), problem: this.#problem, isStreaming };
  }

  /** Has upstream tell all of the scope again soon: what the state holds of it is not certain. */
  askAgain(): void {
    this.#isDoubted = true;
    // Asked for again, everything is told first. Where there is no stream, the next look asks for it: the ETag is forgotten.
    this.#stream?.close();
  }

  async close(): Promise<void> {
    this.#stop.abort();
    this.#stream?.close();
    await this.#done;
  }

  async #run(): Promise<void> {
    const { clock, isStreaming } = this.#parts;
    while (!this.#stop.signal.aborted) {
      await this.#turn(() => this.#poll());
      if (this.#stop.signal.aborted) return;
      if (isStreaming && this.#failures === 0 && performance.now() >= this.#noStreamUntilMs) {
        const beganMs = performance.now();
        const end = await this.#listen();
        // One that ends as soon as it begins is not begun again at once.
        const isAgain = performance.now() - beganMs > this.#parts.refreshMs || this.#mayAskAgain();
        if (end === 'told' && isAgain) continue;
        if (end === 'none') this.#noStreamUntilMs = performance.now() + STREAM_AGAIN_MS;
      }
      await clock.sleep(this.#delayMs(), this.#stop.signal);
    }
  }

  /** At once, but not again and again: two scopes that upstream tells contradictions of would be asked for ever. */
  #mayAskAgain(): boolean {
    const nowMs = performance.now();
    if (!this.#isDoubted || nowMs < this.#againFromMs) return false;
    this.#againFromMs = nowMs + this.#parts.refreshMs;
    return true;
  }

  #delayMs(): number {
    const { refreshMs } = this.#parts;
    if (this.#failures === 0) return refreshMs;
    const backoffMs = Math.min(BACKOFF_MS_MAX, BACKOFF_MS_MIN * 2 ** Math.min(this.#failures - 1, 10));
    return Math.max(Math.min(refreshMs, BACKOFF_MS_MAX), backoffMs);
  }

  /** Never rejects: what goes wrong is told by `status`, and tried again. */
  async #turn(step: () => Promise<string | undefined>): Promise<void> {
    const { clock, logger, failing } = this.#parts;
    const { environment, projects } = this.scope;
    const problem = await step()
      .catch((error: unknown) => {
        if (error instanceof UpstreamError) return error.message;
        logger.error({ err: error, environment, projects }, 'what upstream told could not be taken');
        return 'what it told could not be taken';
      })
      .finally(() => this.#arrive());
    // What a stop has cut off says nothing of upstream.
    if (this.#stop.signal.aborted) return;
    if (problem === undefined) {
      if (this.#problem) failing(this.scope, null);
      this.#syncedMs = clock.nowMs();
      this.#problem = null;
      this.#failures = 0;
      return;
    }
    this.#failures++;
    if (!this.#problem) failing(this.scope, problem);
    this.#problem = { since: this.#problem?.since ?? isoTime(clock.nowMs()), message: problem };
  }

  /** Undefined when the state holds what upstream says. */
  async #poll(): Promise<string | undefined> {
    const { upstream, etagOf, refused } = this.#parts;
    this.#isDoubted = false;
    const etag = etagOf(this.scope.key);
    const headers = { 'unleash-client-spec': CLIENT_SPEC, ...(etag !== null && { 'if-none-match': etag }) };
    let problem = 'there is no token to ask with';
    // With one token after the other, until upstream takes one.
    for (const token of this.scope.secrets) {
      const told = await upstream.read({ path: '/api/client/features', token, headers }, async (answer) => ({
        status: answer.status,
        problem: answer.status === 200 ? await this.#take(answer) : undefined,
      }));
      if (told.status === 200 || (told.status === 304 && etag !== null)) return told.problem;
      problem = `it answered ${told.status}`;
      if (told.status !== 401 && told.status !== 403) return problem;
      refused(token);
    }
    return problem;
  }

  /** Brings a list into the state. Why it cannot be, if so. */
  async #take(answer: UpstreamAnswer): Promise<string | undefined> {
    const { queue } = this.#parts;
    const { environment, projects } = this.scope;
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

  /** Takes what upstream tells until it ends. One that breaks is begun again when upstream answers again. */
  async #listen(): Promise<StreamEnd> {
    const [token] = this.scope.secrets;
    if (token === undefined) return 'not now';
    const { upstream, queue, etagOf } = this.#parts;
    let asking: Promise<void> | undefined;
    const stream = new ScopeStream(upstream, this.scope, queue, {
      revision: revisionOf(etagOf(this.scope.key)),
      isAhead: () => {
        asking ??= this.#turn(() => this.#poll());
      },
    });
    this.#stream = stream;
    let end: StreamEnd = 'not now';
    await this.#turn(async () => {
      end = await stream.run(token);
      return undefined;
    });
    this.#stream = undefined;
    await asking;
    return end;
  }
}

/** Upstream's revision in an ETag as Unleash and Burgee write them: `"<hash of the query>:<revision>"`, weak or not, with what a version may put behind it. */
function revisionOf(etag: string | null): number | null {
  const [, digits] = /^(?:W\/)?"[0-9a-f]+:(\d+)(?::[^"]*)?"$/.exec(etag ?? '') ?? [];
  return digits === undefined ? null : Number(digits);
}
