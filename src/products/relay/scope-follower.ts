import { type Clock, isoTime } from '../../base/clock.ts';
import type { Logger } from '../../base/logger.ts';
import { Rejection } from '../../base/rejection.ts';
import type { SourceScope } from '../mirror/mirror-input.ts';
import type { MirrorQueue } from './mirror-queue.ts';
import type { SourceChanges } from './read-delta.ts';
import { readList } from './read-list.ts';
import type { CoveredScope } from './scope-cover.ts';
import { ScopeStream, type StreamEnd, type StreamTaker } from './scope-stream.ts';
import type { Upstream, UpstreamAnswer } from './upstream.ts';
import { UpstreamError } from './upstream-error.ts';

/** Newer than every version whose lists differ: segments by id, and every operator there is. */
const CLIENT_SPEC = '5.2.0';

/** After failures upstream is asked less and less often, down to this; never more often than it is asked when all is well. */
const BACKOFF_MS_MAX = 60_000;
const BACKOFF_MS_MIN = 1_000;
/** An upstream that does not stream may have learned it. */
const STREAM_AGAIN_MS = 10 * 60_000;

/** How following one scope goes. */
interface FollowStatus {
  /** RFC 3339; when upstream was last known to say what the state holds. Null: not since the start. */
  readonly syncedAt: string | null;
  /** What goes wrong now, and from when on. */
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
  /** What the state holds of the scope, as upstream calls it; null when that is not known. */
  etagOf(key: string): string | null;
  /** Upstream would not have this token. */
  refused(secret: string): void;
  /** Upstream began to fail for a scope, or answers again (null). */
  failing(scope: CoveredScope, problem: string | null): void;
}

/** Keeps one scope in step with upstream, for as long as it exists: by a stream, or by polling its list. */
export class ScopeFollower implements StreamTaker {
  /** The same as long as it lives, but for the tokens to ask with. */
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
  #asking: Promise<boolean> | undefined;
  /** Ends the polling when a stream has sent all of what is asked for. */
  #overtaken = new AbortController();
  /** Whether the list was asked for since the last look began. */
  #hasAsked = false;
  /** Whether all of the scope has to be sent again, though a stream is open. */
  #isDoubted = false;
  #againFromMs = Number.NEGATIVE_INFINITY;
  readonly #done: Promise<void>;

  constructor(scope: CoveredScope, parts: FollowParts) {
    parts.queue.expect();
    this.scope = scope;
    this.#parts = parts;
    this.#revision = revisionOf(parts.etagOf(scope.key));
    this.#done = this.#run();
  }

  get status(): FollowStatus {
    const isStreaming = this.#stream?.isOpen ?? false;
    // Silence of a stream that is open says that nothing has changed.
    const syncedMs = isStreaming ? this.#parts.clock.nowMs() : this.#syncedMs;
    return { syncedAt: syncedMs === null ? null : isoTime(syncedMs), problem: this.#problem, isStreaming };
  }

  get revision(): number | null {
    return this.#revision;
  }

  get asking(): Promise<boolean> | undefined {
    return this.#asking;
  }

  /** Has upstream send all of the scope again soon: what the state contains of it is not certain. */
  askAgain(): void {
    this.#isDoubted = true;
    // A stream that begins again sends everything first. Where there is no stream, the next look asks for it: the ETag is forgotten.
    this.#stream?.close();
  }

  async close(): Promise<void> {
    this.#stop.abort();
    this.#stream?.close();
    await this.#done;
  }

  async #run(): Promise<void> {
    while (!this.#stop.signal.aborted) {
      const isAgain = await this.#look();
      if (!isAgain) await this.#parts.clock.sleep(this.#delayMs(), this.#stop.signal);
    }
    this.#arrive();
  }

  /** The stream for as long as it lasts, so that each list travels once; where there is none, the list. Whether the next look is due at once. */
  async #look(): Promise<boolean> {
    const { isStreaming, refreshMs } = this.#parts;
    this.#hasAsked = false;
    this.#isDoubted = false;
    const wasWell = this.#failures === 0;
    const beganMs = performance.now();
    const end = isStreaming && beganMs >= this.#noStreamUntilMs ? await this.#listen() : 'not now';
    if (this.#stop.signal.aborted) return false;
    // One that ends as soon as it begins is not begun again at once.
    if (end === 'sent') return performance.now() - beganMs > refreshMs || this.#mayAskAgain();
    if (!this.#hasAsked) await this.ask();
    // One that fails altogether says nothing of its streams.
    if (end === 'none' && wasWell && this.#failures === 0) this.#noStreamUntilMs = performance.now() + STREAM_AGAIN_MS;
    return false;
  }

  /** At once, but not again and again: two scopes with contradicting answers of upstream would be asked for ever. */
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

  /** Takes what upstream sends until it ends. One that breaks is begun again, at the next look. */
  async #listen(): Promise<StreamEnd> {
    const [token] = this.scope.secrets;
    if (token === undefined) return 'not now';
    const stream = new ScopeStream(this.#parts.upstream, this);
    this.#stream = stream;
    try {
      return await stream.run(token);
    } catch (error) {
      const problem = this.#problemOf(error);
      if (stream.hasSent) this.#note(problem);
      // The list shows the state of upstream, also when it was asked for before the stream sent what cannot be applied.
      else this.#hasAsked = false;
      return stream.hasSent ? 'sent' : 'not now';
    } finally {
      this.#stream = undefined;
      if (stream.hasSent) this.#syncedMs = this.#parts.clock.nowMs() - stream.silentMs;
    }
  }

  async hear({ revision, ...changes }: SourceChanges, bytes: number): Promise<Rejection | undefined> {
    if (changes.removed === null) this.#overtaken.abort();
    // The ETag of lists of this content is not known.
    const refused = await this.#bring({ etag: null, ...changes }, bytes, revision ?? this.#revision);
    if (!refused) this.#note(undefined);
    return refused;
  }

  /** Asks for the list, unless it is asked for already. Never rejects. */
  ask(): Promise<boolean> {
    this.#hasAsked = true;
    this.#asking ??= this.#ask().finally(() => {
      this.#asking = undefined;
    });
    return this.#asking;
  }

  async #ask(): Promise<boolean> {
    this.#overtaken = new AbortController();
    const { signal } = this.#overtaken;
    const problem = await this.#poll(signal).catch((error: unknown) => this.#problemOf(error));
    this.#arrive();
    if (!signal.aborted) this.#note(problem);
    return signal.aborted || problem === undefined;
  }

  /** Undefined when the state holds what upstream says. */
  async #poll(signal: AbortSignal): Promise<string | undefined> {
    const { upstream, etagOf, refused } = this.#parts;
    const etag = etagOf(this.scope.key);
    const headers = { 'unleash-client-spec': CLIENT_SPEC, ...(etag !== null && { 'if-none-match': etag }) };
    let problem = 'there is no token to ask with';
    // With one token after the other, until upstream takes one.
    for (const token of this.scope.secrets) {
      const sent = await upstream.read({ path: '/api/client/features', token, headers, signal }, async (answer) => ({
        status: answer.status,
        problem: answer.status === 200 ? await this.#take(answer, signal) : undefined,
      }));
      if (sent.status === 200 || (sent.status === 304 && etag !== null)) return sent.problem;
      problem = `it answered ${sent.status}`;
      if (sent.status !== 401 && sent.status !== 403) return problem;
      refused(token);
    }
    return problem;
  }

  /** Brings a list into the state, unless a stream was faster. Why it cannot be, if so. */
  async #take(answer: UpstreamAnswer, signal: AbortSignal): Promise<string | undefined> {
    const list = await readList(answer.body);
    if (signal.aborted) return undefined;
    if (list instanceof Rejection) return `it answered something that is no list: ${list.message}`;
    const etag = answer.header('etag') || null;
    return (await this.#bring({ etag, removed: null, ...list }, answer.body.length, revisionOf(etag)))?.message;
  }

  #bring(
    sent: Omit<SourceScope, 'environment' | 'projects'>,
    bytes: number,
    revision: number | null,
  ): Promise<Rejection | undefined> {
    const { environment, projects } = this.scope;
    const brought = this.#parts.queue.bring({ environment, projects: [...projects], ...sent }, bytes);
    this.#revision = revision;
    this.#arrive();
    return brought;
  }

  /** The first answer is there, whatever it is: it is not waited for any more. */
  #arrive(): void {
    if (this.#hasArrived) return;
    this.#hasArrived = true;
    this.#parts.queue.arrived();
  }

  /** What goes wrong is shown by `status`, and tried again. */
  #problemOf(error: unknown): string {
    if (error instanceof UpstreamError) return error.message;
    const { environment, projects } = this.scope;
    this.#parts.logger.error({ err: error, environment, projects }, 'what upstream sent could not be applied');
    return 'what it sent could not be applied';
  }

  #note(problem: string | undefined): void {
    // What a stop has cut off says nothing of upstream.
    if (this.#stop.signal.aborted) return;
    const { clock, failing } = this.#parts;
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
}

/** Upstream's revision in an ETag as Unleash and Burgee write them: `"<hash of the query>:<revision>"`, weak or not, with what a version may put behind it. */
function revisionOf(etag: string | null): number | null {
  const [, digits] = /^(?:W\/)?"[0-9a-f]+:(\d+)(?::[^"]*)?"$/.exec(etag ?? '') ?? [];
  return digits === undefined ? null : Number(digits);
}
