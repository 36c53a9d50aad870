import type { Readable } from 'node:stream';
import { Rejection } from '../../base/rejection.ts';
import { readEvents, type StreamEvent } from './event-lines.ts';
import { readDelta, type ToldChanges } from './read-delta.ts';
import type { Upstream } from './upstream.ts';
import { UpstreamError } from './upstream-error.ts';

/** Upstream says something every half minute at least, if only that it is there. */
const IDLE_MS = 90_000;

/** What stands between may hold a stream back until it ends. Nothing for so long, and lists are asked for instead. */
const BEGIN_MS = 5_000;

/** Silence before all of the scope was told. After this it is asked for beside the stream: nobody waits for flags because streams do not come through. */
const QUIET_MS = 1_000;

/** The same, whatever comes meanwhile: all of a large scope may take so long and be asked for beside, but what is never all does not keep it from being asked for. */
const WHOLE_MS = 10_000;

/** How a stream went: it told all of its scope, and what changed, until it ended; upstream has none; or it has none now. */
export type StreamEnd = 'told' | 'none' | 'not now';

const EVENTS = new Set(['unleash-connected', 'unleash-updated']);

/** Who takes what a stream tells. */
export interface StreamTaker {
  /** Upstream's revision of what was told last; null when that is not known. */
  readonly revision: number | null;
  /** The list that is on its way. */
  readonly asking: Promise<boolean> | undefined;
  /** Has all of the scope asked for as a list. Whether the state holds what upstream says then. */
  ask(): Promise<boolean>;
  /** Brings what was told into the state. Why it cannot be, if so. */
  hear(told: ToldChanges, bytes: number): Promise<Rejection | undefined>;
}

/** What upstream tells of one scope: all of it first, then what changes. */
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
  /** Whether all was told once. */
  hasTold = false;
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

  /** Takes what is told until the stream ends. @throws UpstreamError when it breaks, or tells what cannot be taken */
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
      if (this.#isClosed) return 'told';
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
    if (this.#isClosed) return 'told';
    const answer = await this.#open(token);
    if (typeof answer === 'string') return answer;
    const pieces = noticed(answer, () => {
      this.#heardMs = performance.now();
      clearTimeout(this.#begin);
      this.#expectMore();
    });
    for await (const event of readEvents(pieces, this.#upstream.memory)) {
      if (this.#isClosed) return 'told';
      if (!EVENTS.has(event.event)) continue;
      clearTimeout(this.#quiet);
      if (!(await this.#take(event))) return 'not now';
    }
    return this.hasTold ? 'told' : 'not now';
  }

  async #open(token: string): Promise<Readable | StreamEnd> {
    const headers = { accept: 'text/event-stream', 'unleash-client-spec': '5.2.0' };
    const asked = { path: '/api/client/streaming', token, headers, isStream: true, signal: this.#end.signal };
    const answer = await this.#upstream.open(asked, IDLE_MS).catch((error: unknown) => {
      if (this.#end.signal.aborted) throw error;
      return undefined;
    });
    // Whether upstream is there at all, its list tells.
    if (!answer) return 'not now';
    const { status, header, body } = answer;
    this.#body = body;
    // As long as it starts, or has too much to do, or until another token is asked with.
    if (status >= 500 || status === 429 || status === 401) return 'not now';
    return status === 200 && header('content-type').startsWith('text/event-stream') ? body : 'none';
  }

  /** Whether the stream is worth reading on. */
  async #take({ data, release }: StreamEvent): Promise<boolean> {
    const told = await readDelta(data);
    if (told instanceof Rejection) throw new UpstreamError(`it told something that is no change: ${told.message}`);
    const { revision: known } = this.#taker;
    const isWhole = told.removed === null;
    // It was made for somebody who came earlier. To take it would be a step back, which readers would see.
    const isOlder = isWhole && told.revision !== null && known !== null && told.revision < known;
    if (isOlder || !(isWhole || this.hasTold)) {
      // The list tells all, instead, and what comes next waits for it. One that is on its way may be older than the stream.
      release();
      await this.#taker.asking;
      if (!(await this.#taker.ask())) return false;
      this.#opened();
      if (isOlder) return true;
    }
    const refused = await this.#taker.hear(told, data.length);
    if (refused) throw new UpstreamError(refused.message);
    if (isWhole) this.#opened();
    return true;
  }

  #opened(): void {
    this.hasTold = true;
    this.isOpen = true;
    this.#endTurn();
  }

  /** Until all was told, silence is not waited for, nor signs of life for long. */
  #expectMore(): void {
    clearTimeout(this.#quiet);
    if (this.hasTold) return;
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
