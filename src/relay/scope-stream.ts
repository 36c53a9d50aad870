import type { Readable } from 'node:stream';
import { Rejection } from '../base/rejection.ts';
import { readEvents } from './event-lines.ts';
import type { MirrorQueue } from './mirror-queue.ts';
import { readDelta } from './read-delta.ts';
import type { CoveredScope } from './scope-cover.ts';
import { type Upstream, UpstreamError } from './upstream.ts';

/** Upstream says something every half minute at least, if only that it is there. */
const IDLE_MS = 90_000;

const EVENTS = new Set(['unleash-connected', 'unleash-updated']);

/** What upstream tells of one scope as it changes. */
export class ScopeStream {
  readonly #upstream: Upstream;
  readonly #scope: CoveredScope;
  readonly #queue: MirrorQueue;
  #body: Readable | undefined;
  #isClosed = false;
  /** Whether everything was told once, and what has changed since is told. */
  isOpen = false;

  constructor(upstream: Upstream, scope: CoveredScope, queue: MirrorQueue) {
    this.#upstream = upstream;
    this.#scope = scope;
    this.#queue = queue;
  }

  /** Takes what is told until the stream ends. False: upstream has none. @throws UpstreamError when it breaks */
  async run(token: string): Promise<boolean> {
    const headers = { accept: 'text/event-stream', 'unleash-client-spec': '5.2.0' };
    const { status, header, body } = await this.#upstream.open(
      { path: '/api/client/streaming', token, headers, isStream: true },
      IDLE_MS,
    );
    this.#body = body;
    try {
      if (status !== 200 || !header('content-type').startsWith('text/event-stream')) return false;
      for await (const { event, data } of readEvents(body)) {
        if (this.#isClosed) return true;
        if (EVENTS.has(event)) await this.#take(data);
      }
      return true;
    } catch (error) {
      if (this.#isClosed) return true;
      throw error;
    } finally {
      this.isOpen = false;
      body.destroy();
    }
  }

  close(): void {
    this.#isClosed = true;
    this.#body?.destroy();
  }

  async #take(data: Uint8Array): Promise<void> {
    const { environment, projects } = this.#scope;
    const changes = await readDelta(data);
    if (changes instanceof Rejection)
      throw new UpstreamError(`it told something that is no change: ${changes.message}`);
    // How lists of this content are called is not told.
    const refused = await this.#queue.bring(
      { environment, projects: [...projects], etag: null, ...changes },
      data.length,
    );
    if (refused) throw new UpstreamError(refused.message);
    if (changes.removed === null) this.isOpen = true;
  }
}
