import type { Readable } from 'node:stream';
import { Rejection } from '../base/rejection.ts';
import { readEvents } from './event-lines.ts';
import type { MirrorQueue } from './mirror-queue.ts';
import { readDelta } from './read-delta.ts';
import type { CoveredScope } from './scope-cover.ts';
import type { Upstream } from './upstream.ts';
import { UpstreamError } from './upstream-error.ts';

/** Upstream says something every half minute at least, if only that it is there. */
const IDLE_MS = 90_000;

/** What stands between may hold a stream back until it ends. Nothing for so long, and lists are asked for instead. */
const BEGIN_MS = 5_000;

/** How a stream went: it told until it ended; upstream has none; or it has none now. */
export type StreamEnd = 'told' | 'none' | 'not now';

const EVENTS = new Set(['unleash-connected', 'unleash-updated']);

/** What the state holds of a scope as a stream begins. */
export interface Held {
  /** Upstream's revision of the list it was taken from; null when that is not known. */
  readonly revision: number | null;
  /** Upstream told less than that at first, and what has changed since next: what it holds now is to be asked for. */
  isAhead(): void;
}

/** What upstream tells of one scope as it changes. */
export class ScopeStream {
  readonly #upstream: Upstream;
  readonly #scope: CoveredScope;
  readonly #queue: MirrorQueue;
  #body: Readable | undefined;
  #isClosed = false;
  readonly #held: Held;
  /** Whether everything was told once, and what has changed since is told. */
  isOpen = false;

  constructor(upstream: Upstream, scope: CoveredScope, queue: MirrorQueue, held: Held) {
    this.#held = held;
    this.#upstream = upstream;
    this.#scope = scope;
    this.#queue = queue;
  }

  /** Takes what is told until the stream ends. @throws UpstreamError when it breaks */
  async run(token: string): Promise<StreamEnd> {
    const silence = new AbortController();
    const timer = setTimeout(() => silence.abort(), BEGIN_MS);
    try {
      return await this.#read(token, silence.signal, () => clearTimeout(timer));
    } catch (error) {
      if (silence.signal.aborted) return 'none';
      if (this.#isClosed) return 'told';
      throw error;
    } finally {
      clearTimeout(timer);
      this.isOpen = false;
      this.#body?.destroy();
    }
  }

  async #read(token: string, signal: AbortSignal, begun: () => void): Promise<StreamEnd> {
    const headers = { accept: 'text/event-stream', 'unleash-client-spec': '5.2.0' };
    const { status, header, body } = await this.#upstream.open(
      { path: '/api/client/streaming', token, headers, isStream: true, signal },
      IDLE_MS,
    );
    this.#body = body;
    // As long as it starts, or has too much to do.
    if (status >= 500 || status === 429) return 'not now';
    if (status !== 200 || !header('content-type').startsWith('text/event-stream')) return 'none';
    body.once('readable', begun);
    for await (const { event, data } of readEvents(body, this.#upstream.memory)) {
      if (this.#isClosed) return 'told';
      if (EVENTS.has(event)) await this.#take(data);
    }
    return 'told';
  }

  close(): void {
    this.#isClosed = true;
    this.#body?.destroy();
  }

  async #take(data: Uint8Array): Promise<void> {
    const { environment, projects } = this.#scope;
    const read = await readDelta(data);
    if (read instanceof Rejection) throw new UpstreamError(`it told something that is no change: ${read.message}`);
    const { wholeOf, ...changes } = read;
    const { revision } = this.#held;
    if (wholeOf !== null && revision !== null && wholeOf < revision) {
      // It was made for somebody who came earlier. To take it would be a step back, which readers would see.
      this.isOpen = true;
      this.#held.isAhead();
      return;
    }
    // How lists of this content are called is not told.
    const refused = await this.#queue.bring(
      { environment, projects: [...projects], etag: null, ...changes },
      data.length,
    );
    if (refused) throw new UpstreamError(refused.message);
    if (changes.removed === null) this.isOpen = true;
  }
}
