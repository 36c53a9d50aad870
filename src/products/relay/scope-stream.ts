import type { Readable } from 'node:stream';
import { Rejection } from '../../base/rejection.ts';
import { FETCH_MODE_NAME, type FetchMode } from '../../model/fetch-mode.ts';
import { readEvents, type StreamEvent } from './event-lines.ts';
import { readDelta, type SourceChanges } from './read-delta.ts';
import type { Upstream } from './upstream.ts';
import { UpstreamError } from './upstream-error.ts';

/** Maximum silence of an open stream. Upstream sends something at least every half minute, possibly only a heartbeat. */
const IDLE_MS = 90_000;

/** Maximum time until the first data. A proxy may buffer a stream until it ends; after this time, lists are requested instead. */
const BEGIN_MS = 5_000;

/**
 * Maximum silence before the whole scope was sent. After this time, the list is also requested: clients must not wait for flags because a proxy
 * blocks streams.
 */
const QUIET_MS = 1_000;

/**
 * Maximum total time before the whole scope was sent, even if events arrive. After this time, the list is also requested, so that a stream that
 * never completes cannot prevent this request.
 */
const WHOLE_MS = 10_000;

/**
 * Result of a stream. `sent`: upstream sent the whole scope and then changes, until the stream ended. `none`: upstream does not stream. `not now`:
 * the caller should try again later. `poll`: upstream asks for polls.
 */
export type StreamEnd = 'sent' | 'none' | 'not now' | 'poll';

const EVENTS = new Set(['unleash-connected', 'unleash-updated']);

/** The receiver of a stream's content. */
export interface StreamReceiver {
  /** Upstream's revision of the last content; null when it is not known. */
  readonly revision: number | null;
  /** The running request for the list. */
  readonly listRequest: Promise<boolean> | undefined;
  /** Requests the whole scope as a list. Resolves with whether the state is then equal to upstream. */
  requestList(): Promise<boolean>;
  /** Writes the content into the state. Resolves with a rejection if that is impossible. */
  applyChanges(changes: SourceChanges, bytes: number): Promise<Rejection | undefined>;
}

/** The stream of one scope from upstream: first the whole scope, then changes. */
export class ScopeStream {
  readonly #upstream: Upstream;
  readonly #receiver: StreamReceiver;
  /** Ends the stream, even before it has begun. */
  readonly #end = new AbortController();
  #body: Readable | undefined;
  #isClosed = false;
  #isSilent = false;
  #beginTimer: NodeJS.Timeout | undefined;
  #quietTimer: NodeJS.Timeout | undefined;
  #endTurn: () => void = () => {};
  #askAtMs = Number.POSITIVE_INFINITY;
  #heardMs = performance.now();
  /** Whether the whole scope was sent. */
  hasSent = false;
  /** Whether the whole scope was sent and the stream is still open. */
  isOpen = false;

  constructor(upstream: Upstream, receiver: StreamReceiver) {
    this.#upstream = upstream;
    this.#receiver = receiver;
  }

  /** Time since the last data, including heartbeats. */
  get silentMs(): number {
    return performance.now() - this.#heardMs;
  }

  /** Reads the stream until it ends. @throws UpstreamError when it breaks, or its content cannot be applied */
  async run(token: string): Promise<StreamEnd> {
    this.#endTurn = await this.#upstream.beginnings.take();
    this.#beginTimer = setTimeout(() => {
      this.#isSilent = true;
      this.#end.abort();
    }, BEGIN_MS);
    this.#askAtMs = performance.now() + WHOLE_MS;
    this.#expectMore();
    try {
      return await this.#read(token);
    } catch (error) {
      if (this.#isClosed) return 'sent';
      if (this.#isSilent) return 'none';
      throw error;
    } finally {
      clearTimeout(this.#beginTimer);
      clearTimeout(this.#quietTimer);
      this.#endTurn();
      this.isOpen = false;
      this.#body?.destroy();
    }
  }

  close(): void {
    this.#isClosed = true;
    this.#end.abort();
    this.#body?.destroy();
  }

  async #read(token: string): Promise<StreamEnd> {
    if (this.#isClosed) return 'sent';
    const answer = await this.#open(token);
    if (typeof answer === 'string') return answer;
    const pieces = withNotice(answer, () => {
      this.#heardMs = performance.now();
      clearTimeout(this.#beginTimer);
      this.#expectMore();
    });
    for await (const event of readEvents(pieces, this.#upstream.memory)) {
      if (this.#isClosed) return 'sent';
      if (asksForPolls(event)) return 'poll';
      if (!EVENTS.has(event.event)) continue;
      clearTimeout(this.#quietTimer);
      if (!(await this.#take(event))) return 'not now';
    }
    return this.hasSent ? 'sent' : 'not now';
  }

  async #open(token: string): Promise<Readable | StreamEnd> {
    const headers = { accept: 'text/event-stream', 'unleash-client-spec': '5.2.0' };
    const request = { path: '/api/client/streaming', token, headers, isStream: true, signal: this.#end.signal };
    const answer = await this.#upstream.open(request, IDLE_MS).catch((error: unknown) => {
      if (this.#end.signal.aborted) throw error;
      return undefined;
    });
    // The request for the list shows whether upstream is available at all.
    if (!answer) return 'not now';
    const { status, header, body } = answer;
    this.#body = body;
    // Upstream is starting or overloaded, or the token is refused.
    if (status >= 500 || status === 429 || status === 401) return 'not now';
    return status === 200 && header('content-type').startsWith('text/event-stream') ? body : 'none';
  }

  /** Whether to continue reading the stream. */
  async #take({ data, release }: StreamEvent): Promise<boolean> {
    const changes = await readDelta(data);
    if (changes instanceof Rejection) throw new UpstreamError(`upstream sent an invalid event: ${changes.message}`);
    const { revision: knownRevision } = this.#receiver;
    const isWhole = changes.removed === null;
    // Upstream prepared this content for an earlier client. Applying it would return flags to an older state.
    const isOlder = isWhole && changes.revision !== null && knownRevision !== null && changes.revision < knownRevision;
    if (isOlder || !(isWhole || this.hasSent)) {
      // Request the list instead; the next event waits for it. A request that is already running may return a list older than the stream.
      release();
      await this.#receiver.listRequest;
      if (!(await this.#receiver.requestList())) return false;
      this.#noteWholeScope();
      if (isOlder) return true;
    }
    const rejection = await this.#receiver.applyChanges(changes, data.length);
    if (rejection) throw new UpstreamError(rejection.message);
    if (isWhole) this.#noteWholeScope();
    return true;
  }

  #noteWholeScope(): void {
    this.hasSent = true;
    this.isOpen = true;
    this.#endTurn();
  }

  /** Limits the silence and the total time until the whole scope was sent. */
  #expectMore(): void {
    clearTimeout(this.#quietTimer);
    if (this.hasSent) return;
    const leftMs = Math.max(0, this.#askAtMs - performance.now());
    this.#quietTimer = setTimeout(
      () => {
        this.#askAtMs = performance.now() + WHOLE_MS;
        this.#endTurn();
        void this.#receiver.requestList();
      },
      Math.min(QUIET_MS, leftMs),
    );
  }
}

function asksForPolls({ event, data }: StreamEvent): boolean {
  const mode: FetchMode = 'polling';
  return event === FETCH_MODE_NAME && Buffer.from(data).toString() === mode;
}

async function* withNotice(
  pieces: AsyncIterable<Uint8Array>,
  notice: () => void,
): AsyncGenerator<Uint8Array, void, void> {
  for await (const piece of pieces) {
    notice();
    yield piece;
  }
}
