import type { Readable } from 'node:stream';
import { Rejection } from '../../base/rejection.ts';
import { readEvents, type StreamEvent } from './event-lines.ts';
import { readDelta, type SourceChanges } from './read-delta.ts';
import type { Upstream } from './upstream.ts';
import { UpstreamError } from './upstream-error.ts';

/** Upstream says something every half minute at least, if only that it is there. */
const IDLE_MS = 90_000;

/** What stands between may hold a stream back until it ends. Nothing for so long, and lists are asked for instead. */
const BEGIN_MS = 5_000;

/** Silence before all of the scope was sent. After this it is polled beside the stream: clients must not wait for flags because streams do not get through. */
const QUIET_MS = 1_000;

/** The same, whatever comes meanwhile: all of a large scope may take so long and be asked for beside, but what is never all does not keep it from being asked for. */
const WHOLE_MS = 10_000;

/** How a stream went: it sent all of its scope, and what changed, until it ended; upstream has none; or it has none now. */
export type StreamEnd = 'sent' | 'none' | 'not now';

const EVENTS = new Set(['unleash-connected', 'unleash-updated']);

/** The receiver of what a stream sends. */
export interface StreamTaker {
  /** Upstream's revision of what was sent last; null when that is not known. */
  readonly revision: number | null;
  /** The list that is on its way. */
  readonly asking: Promise<boolean> | undefined;
  /** Has all of the scope asked for as a list. Whether the state holds what upstream says then. */
  ask(): Promise<boolean>;
  /** Brings what was sent into the state. Returns why it cannot be, if so. */
  hear(sent: SourceChanges, bytes: number): Promise<Rejection | undefined>;
}

/** What upstream sends of one scope: first all of it, then what changes. */
export class ScopeStream {
  readonly #upstream: Upstream;
  readonly #taker: StreamTaker;
  /** Ends it, whether it has begun or not. */
  readonly #end = new AbortController();
  #body: Readable | undefined;
  #isClosed = false;
  #isSilent = false;
  #begin: NodeJS.Timeout | undefined;
  #quiet: NodeJS.Timeout | undefined;
  #endTurn: () => void = () => {};
  #askAtMs = Number.POSITIVE_INFINITY;
  #heardMs = performance.now();
  /** Whether all was sent once. */
  hasSent = false;
  /** Whether, and it goes on. */
  isOpen = false;

  constructor(upstream: Upstream, taker: StreamTaker) {
    this.#upstream = upstream;
    this.#taker = taker;
  }

  /** How long nothing has come, not even a sign of life. */
  get silentMs(): number {
    return performance.now() - this.#heardMs;
  }

  /** Takes what is sent until the stream ends. @throws UpstreamError when it breaks, or sends what cannot be applied */
  async run(token: string): Promise<StreamEnd> {
    this.#endTurn = await this.#upstream.beginnings.take();
    this.#begin = setTimeout(() => {
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
      clearTimeout(this.#begin);
      clearTimeout(this.#quiet);
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
    const pieces = noticed(answer, () => {
      this.#heardMs = performance.now();
      clearTimeout(this.#begin);
      this.#expectMore();
    });
    for await (const event of readEvents(pieces, this.#upstream.memory)) {
      if (this.#isClosed) return 'sent';
      if (!EVENTS.has(event.event)) continue;
      clearTimeout(this.#quiet);
      if (!(await this.#take(event))) return 'not now';
    }
    return this.hasSent ? 'sent' : 'not now';
  }

  async #open(token: string): Promise<Readable | StreamEnd> {
    const headers = { accept: 'text/event-stream', 'unleash-client-spec': '5.2.0' };
    const asked = { path: '/api/client/streaming', token, headers, isStream: true, signal: this.#end.signal };
    const answer = await this.#upstream.open(asked, IDLE_MS).catch((error: unknown) => {
      if (this.#end.signal.aborted) throw error;
      return undefined;
    });
    // Its list shows whether upstream is there at all.
    if (!answer) return 'not now';
    const { status, header, body } = answer;
    this.#body = body;
    // As long as it starts, or has too much to do, or until another token is asked with.
    if (status >= 500 || status === 429 || status === 401) return 'not now';
    return status === 200 && header('content-type').startsWith('text/event-stream') ? body : 'none';
  }

  /** Whether the stream is worth reading on. */
  async #take({ data, release }: StreamEvent): Promise<boolean> {
    const sent = await readDelta(data);
    if (sent instanceof Rejection) throw new UpstreamError(`it sent something that is no change: ${sent.message}`);
    const { revision: known } = this.#taker;
    const isWhole = sent.removed === null;
    // It was made for an earlier client. To take it would be a step back, which readers would see.
    const isOlder = isWhole && sent.revision !== null && known !== null && sent.revision < known;
    if (isOlder || !(isWhole || this.hasSent)) {
      // The list is read instead, and what comes next waits for it. One that is on its way may be older than the stream.
      release();
      await this.#taker.asking;
      if (!(await this.#taker.ask())) return false;
      this.#opened();
      if (isOlder) return true;
    }
    const refused = await this.#taker.hear(sent, data.length);
    if (refused) throw new UpstreamError(refused.message);
    if (isWhole) this.#opened();
    return true;
  }

  #opened(): void {
    this.hasSent = true;
    this.isOpen = true;
    this.#endTurn();
  }

  /** Until all was sent, silence is not waited for, nor signs of life for long. */
  #expectMore(): void {
    clearTimeout(this.#quiet);
    if (this.hasSent) return;
    const leftMs = Math.max(0, this.#askAtMs - performance.now());
    this.#quiet = setTimeout(
      () => {
        this.#askAtMs = performance.now() + WHOLE_MS;
        this.#endTurn();
        void this.#taker.ask();
      },
      Math.min(QUIET_MS, leftMs),
    );
  }
}

async function* noticed(pieces: AsyncIterable<Uint8Array>, notice: () => void): AsyncGenerator<Uint8Array, void, void> {
  for await (const piece of pieces) {
    notice();
    yield piece;
  }
}
