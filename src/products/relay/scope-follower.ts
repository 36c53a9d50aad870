import { type Clock, isoTime } from '../../base/clock.ts';
import type { Logger } from '../../base/logger.ts';
import { Rejection } from '../../base/rejection.ts';
import { FETCH_MODE_NAME, type FetchMode } from '../../model/fetch-mode.ts';
import type { SourceScope } from '../mirror/mirror-input.ts';
import type { MirrorQueue } from './mirror-queue.ts';
import type { SourceChanges } from './read-delta.ts';
import { readList } from './read-list.ts';
import type { CoveredScope } from './scope-cover.ts';
import { ScopeStream, type StreamEnd, type StreamReceiver } from './scope-stream.ts';
import type { Upstream, UpstreamAnswer } from './upstream.ts';
import { UpstreamError } from './upstream-error.ts';

/** Requests the newest list format: segments by id, and all operators. */
const CLIENT_SPEC = '5.2.0';

/** Maximum delay of the backoff after failures; the delay is never shorter than the normal interval. */
const BACKOFF_MS_MAX = 60_000;
const BACKOFF_MS_MIN = 1_000;
/** Interval to try streaming again: upstream may have been upgraded. */
const STREAM_AGAIN_MS = 10 * 60_000;

/** The status of following one scope. */
interface FollowStatus {
  /** The time at which the state was last known to be equal to upstream, as RFC 3339. Null: never since the start. */
  readonly syncedAt: string | null;
  /** The current problem, and the time at which it began; null when there is no problem. */
  readonly problem: { readonly since: string; readonly message: string } | null;
  /** Whether upstream streams changes. */
  readonly isStreaming: boolean;
}

export interface FollowParts {
  readonly upstream: Upstream;
  readonly queue: MirrorQueue;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly refreshMs: number;
  readonly isStreaming: boolean;
  /** Upstream's ETag of the scope's content in the state; null when it is not known. */
  etagOf(key: string): string | null;
  /** Called when upstream refused this token. */
  onTokenRefused(secret: string): void;
  /** Called when upstream began to fail for a scope, and with null when upstream answers again. */
  onFailing(scope: CoveredScope, problem: string | null): void;
}

/** Keeps one scope equal to upstream, as long as the scope exists: with a stream, or by polling its list. */
export class ScopeFollower implements StreamReceiver {
  /** The followed scope. Only its tokens may change. */
  scope: CoveredScope;
  readonly #parts: FollowParts;
  readonly #stop = new AbortController();
  #revision: number | null;
  #syncedMs: number | null = null;
  #problem: FollowStatus['problem'] = null;
  #failures = 0;
  #hasArrived = false;
  #stream: ScopeStream | undefined;
  #noStreamUntilMs = Number.NEGATIVE_INFINITY;
  /** Whether the scope is followed with a stream, if upstream has one: the option of the relay, until upstream asks for the other way. */
  #isStreaming: boolean;
  #listRequest: Promise<boolean> | undefined;
  /** Aborts a poll when the stream has sent the complete list. */
  #pollAbort = new AbortController();
  /** Whether the list was requested in the current round. */
  #hasRequestedList = false;
  /** Whether upstream must send the whole scope again, although a stream is open. */
  #isUncertain = false;
  #noRequestUntilMs = Number.NEGATIVE_INFINITY;
  readonly #done: Promise<void>;

  constructor(scope: CoveredScope, parts: FollowParts) {
    parts.queue.noteExpected();
    this.scope = scope;
    this.#parts = parts;
    this.#isStreaming = parts.isStreaming;
    this.#revision = revisionOf(parts.etagOf(scope.key));
    this.#done = this.#run();
  }

  get status(): FollowStatus {
    const isStreaming = this.#stream?.isOpen ?? false;
    // An open stream without events means that nothing has changed.
    const syncedMs = isStreaming ? this.#parts.clock.nowMs() : this.#syncedMs;
    return { syncedAt: syncedMs === null ? null : isoTime(syncedMs), problem: this.#problem, isStreaming };
  }

  get revision(): number | null {
    return this.#revision;
  }

  get listRequest(): Promise<boolean> | undefined {
    return this.#listRequest;
  }

  /** Requests the whole scope again soon: its content in the state is not certain. */
  requestAgain(): void {
    this.#isUncertain = true;
    // A new stream sends everything first. Without a stream, the next round requests the list: its ETag is no longer stored.
    this.#stream?.close();
  }

  async close(): Promise<void> {
    this.#stop.abort();
    this.#stream?.close();
    await this.#done;
  }

  async #run(): Promise<void> {
    while (!this.#stop.signal.aborted) {
      const startsAtOnce = await this.#runRound();
      if (!startsAtOnce) await this.#parts.clock.sleep(this.#delayMs(), this.#stop.signal);
    }
    this.#noteArrival();
  }

  /**
   * One round. With a stream: reads the stream until it ends, so each list is sent only once. Without a stream: requests the list. Returns true when
   * the next round should start without a delay.
   */
  async #runRound(): Promise<boolean> {
    const { refreshMs } = this.#parts;
    this.#hasRequestedList = false;
    this.#isUncertain = false;
    const hadNoFailures = this.#failures === 0;
    const beganMs = performance.now();
    const end = this.#isStreaming && beganMs >= this.#noStreamUntilMs ? await this.#listen() : 'not now';
    if (this.#stop.signal.aborted) return false;
    // A stream that ends soon after its beginning is started again only after a delay.
    if (end === 'sent') return performance.now() - beganMs > refreshMs || this.#mayRequestAgain();
    if (!this.#hasRequestedList) await this.requestList();
    // That upstream does not stream is certain only if upstream answers the request for the list. If it does not, it may just be unavailable.
    if (end === 'poll') this.#isStreaming = this.#parts.isStreaming;
    if ((end === 'none' && hadNoFailures && this.#failures === 0) || end === 'poll')
      this.#noStreamUntilMs = performance.now() + STREAM_AGAIN_MS;
    return false;
  }

  /** Limits repetition without a delay: if upstream's answers for two scopes contradict each other, requests would otherwise never end. */
  #mayRequestAgain(): boolean {
    const nowMs = performance.now();
    if (!this.#isUncertain || nowMs < this.#noRequestUntilMs) return false;
    this.#noRequestUntilMs = nowMs + this.#parts.refreshMs;
    return true;
  }

  #delayMs(): number {
    const { refreshMs } = this.#parts;
    if (this.#failures === 0) return refreshMs;
    const backoffMs = Math.min(BACKOFF_MS_MAX, BACKOFF_MS_MIN * 2 ** Math.min(this.#failures - 1, 10));
    return Math.max(Math.min(refreshMs, BACKOFF_MS_MAX), backoffMs);
  }

  /** Reads the stream until it ends. A broken stream is started again in the next round. */
  async #listen(): Promise<StreamEnd> {
    const [token] = this.scope.secrets;
    if (token === undefined) return 'not now';
    const stream = new ScopeStream(this.#parts.upstream, this);
    this.#stream = stream;
    try {
      return await stream.run(token);
    } catch (error) {
      const problem = this.#problemOf(error);
      if (stream.hasSent) this.#noteResult(problem);
      // Request the list again: an earlier list may be older than the events that could not be applied.
      else this.#hasRequestedList = false;
      return stream.hasSent ? 'sent' : 'not now';
    } finally {
      this.#stream = undefined;
      if (stream.hasSent) this.#syncedMs = this.#parts.clock.nowMs() - stream.silentMs;
    }
  }

  async applyChanges({ revision, ...changes }: SourceChanges, bytes: number): Promise<Rejection | undefined> {
    if (changes.removed === null) this.#pollAbort.abort();
    // The ETag of a list with this content is not known.
    const rejection = await this.#apply({ etag: null, ...changes }, bytes, revision ?? this.#revision);
    if (!rejection) this.#noteResult(undefined);
    return rejection;
  }

  /** Requests the list, unless a request is already running. Never rejects. */
  requestList(): Promise<boolean> {
    this.#hasRequestedList = true;
    this.#listRequest ??= this.#requestList().finally(() => {
      this.#listRequest = undefined;
    });
    return this.#listRequest;
  }

  async #requestList(): Promise<boolean> {
    this.#pollAbort = new AbortController();
    const { signal } = this.#pollAbort;
    const problem = await this.#poll(signal).catch((error: unknown) => this.#problemOf(error));
    this.#noteArrival();
    if (!signal.aborted) this.#noteResult(problem);
    return signal.aborted || problem === undefined;
  }

  /** Requests the list once. Returns the problem, or undefined when the state is equal to upstream. */
  async #poll(signal: AbortSignal): Promise<string | undefined> {
    const { upstream, etagOf, onTokenRefused } = this.#parts;
    const etag = etagOf(this.scope.key);
    const headers = { 'unleash-client-spec': CLIENT_SPEC, ...(etag !== null && { 'if-none-match': etag }) };
    let problem = 'there is no token for the request';
    // Tries the tokens in order, until upstream accepts one.
    for (const token of this.scope.secrets) {
      const outcome = await upstream.read({ path: '/api/client/features', token, headers, signal }, async (answer) => ({
        status: answer.status,
        problem: answer.status === 200 ? await this.#takeList(answer, signal) : undefined,
      }));
      if (outcome.status === 200 || (outcome.status === 304 && etag !== null)) return outcome.problem;
      problem = `upstream answered ${outcome.status}`;
      if (outcome.status !== 401 && outcome.status !== 403) return problem;
      onTokenRefused(token);
    }
    return problem;
  }

  #takeList(answer: UpstreamAnswer, signal: AbortSignal): Promise<string | undefined> {
    const mode: FetchMode = 'streaming';
    if (answer.header(FETCH_MODE_NAME) === mode) {
      this.#isStreaming = true;
      this.#noStreamUntilMs = Number.NEGATIVE_INFINITY;
    }
    return this.#applyList(answer, signal);
  }

  /** Writes a list into the state, unless a stream was faster. Returns the problem, if any. */
  async #applyList(answer: UpstreamAnswer, signal: AbortSignal): Promise<string | undefined> {
    const list = await readList(answer.body);
    if (signal.aborted) return undefined;
    if (list instanceof Rejection) return `the answer of upstream is not a list: ${list.message}`;
    const etag = answer.header('etag') || null;
    return (await this.#apply({ etag, removed: null, ...list }, answer.body.length, revisionOf(etag)))?.message;
  }

  #apply(
    content: Omit<SourceScope, 'environment' | 'projects'>,
    bytes: number,
    revision: number | null,
  ): Promise<Rejection | undefined> {
    const { environment, projects } = this.scope;
    const outcome = this.#parts.queue.apply({ environment, projects: [...projects], ...content }, bytes);
    this.#revision = revision;
    this.#noteArrival();
    return outcome;
  }

  /** Called at the first answer, even if it is a failure: from then on the queue does not wait for this scope. */
  #noteArrival(): void {
    if (this.#hasArrived) return;
    this.#hasArrived = true;
    this.#parts.queue.noteArrival();
  }

  /** Converts an error to a message for `status`; the request is tried again. */
  #problemOf(error: unknown): string {
    if (error instanceof UpstreamError) return error.message;
    const { environment, projects } = this.scope;
    this.#parts.logger.error({ err: error, environment, projects }, 'the data from upstream could not be applied');
    return 'the data of upstream could not be applied';
  }

  #noteResult(problem: string | undefined): void {
    // A request that was aborted by a stop is not a problem of upstream.
    if (this.#stop.signal.aborted) return;
    const { clock, onFailing } = this.#parts;
    if (problem === undefined) {
      if (this.#problem) onFailing(this.scope, null);
      this.#syncedMs = clock.nowMs();
      this.#problem = null;
      this.#failures = 0;
      return;
    }
    this.#failures++;
    if (!this.#problem) onFailing(this.scope, problem);
    this.#problem = { since: this.#problem?.since ?? isoTime(clock.nowMs()), message: problem };
  }
}

/** The revision in an ETag of Unleash or Burgee: `"<hash of the query>:<revision>"`, weak or strong, possibly with a suffix. */
function revisionOf(etag: string | null): number | null {
  const [, digits] = /^(?:W\/)?"[0-9a-f]+:(\d+)(?::[^"]*)?"$/.exec(etag ?? '') ?? [];
  return digits === undefined ? null : Number(digits);
}
