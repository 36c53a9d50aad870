import type { Channel, Frame } from '../../base/queues/channel.ts';
import type { Caller } from '../../model/caller.ts';
import { type AnswerHub, type HubVersion, revisionOf } from '../../views/frontend/answer-hub.ts';
import type { FrontendStreams } from '../../views/frontend/frontend-streams.ts';
import type { PushKeys } from './push-keys.ts';

/** Interval of checking whether the streams need the key of a new period. */
const RENEWAL_MS = 60_000;

/** The streams that make readers of OFREP request their evaluations again: one channel for each token with a stream. */
export class PushStreams {
  readonly keys: PushKeys;
  readonly #frontendStreams: FrontendStreams;
  readonly #channels = new Map<string, PushChannel>();
  #changed: () => void = () => {};
  #timer: NodeJS.Timeout | undefined;

  constructor(keys: PushKeys, frontendStreams: FrontendStreams) {
    this.keys = keys;
    this.#frontendStreams = frontendStreams;
  }

  /** `changed` is called when streams have new data. */
  follow(changed: () => void): void {
    this.#changed = changed;
    this.#frontendStreams.onChanged((channel) => {
      if (channel === undefined) changed();
    });
  }

  channel(caller: Caller): PushChannel {
    const holder = caller.token?.secret ?? '';
    let channel = this.#channels.get(holder);
    if (channel?.caller.scope !== caller.scope) {
      const { scope } = caller;
      const hub = this.#frontendStreams.hold(scope);
      const created = new PushChannel(caller, hub, this.keys, () => {
        if (this.#channels.get(holder) === created) this.#channels.delete(holder);
        this.#frontendStreams.release(scope);
        if (this.#channels.size === 0) this.close();
      });
      channel = created;
      this.#channels.set(holder, created);
      this.#timer ??= setInterval(() => this.#changed(), RENEWAL_MS).unref();
    }
    return channel;
  }

  close(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
  }
}

/**
 * The news for all readers with one token. Its revision, which is also the id of its events, is a position of the flags and the token's current key:
 * a reader that connects again sends the newest key that it got, so that its stream goes on when the key in its address has ended.
 */
class PushChannel implements Channel {
  readonly isHydrationSmall = true;
  readonly isAnswered = true;
  readonly caller: Caller;
  readonly closed: () => void;
  readonly #hub: AnswerHub;
  readonly #keys: PushKeys;
  #version: HubVersion | undefined;
  #key = '';
  #revision = '';

  constructor(caller: Caller, hub: AnswerHub, keys: PushKeys, closed: () => void) {
    this.caller = caller;
    this.#hub = hub;
    this.#keys = keys;
    this.closed = closed;
  }

  get revision(): string {
    const version = this.#hub.current;
    const key = this.#keys.keyOf(this.caller);
    if (version !== undefined && (version !== this.#version || key !== this.#key)) {
      this.#version = version;
      this.#key = key;
      this.#revision = `${version.position}:${key}`;
    }
    return this.#revision;
  }

  since(from: string): Frame | null {
    const version = this.#hub.current;
    if (version === undefined) return null;
    const position = from.slice(0, Math.max(0, from.lastIndexOf(':')));
    const isUnchanged = position === version.position || this.#hub.isUnchangedSince(revisionOf(position));
    return isUnchanged ? this.#frame('') : this.#news(version);
  }

  hydration(): Frame | Promise<null> {
    const version = this.#hub.current;
    return version ? this.#news(version) : this.#hub.whenPublished().then(() => null);
  }

  #news({ position, nowMs }: HubVersion): Frame {
    return this.#frame(refetchEvent({ etag: position, lastModified: Math.floor(nowMs / 1_000) }));
  }

  /** An event with the newest id. Without further lines, a reader only notes the id. */
  #frame(lines: string): Frame {
    const { revision } = this;
    return { revision, bytes: Buffer.from(`id: ${revision}\n${lines}\n`, 'latin1') };
  }
}

/** The lines of an event that makes the reader request its evaluations again. `etag` and `lastModified` describe the flags that it will get. */
export function refetchEvent(flags: { readonly etag?: string; readonly lastModified?: number } = {}): string {
  return `event: message\ndata: ${JSON.stringify({ type: 'refetchEvaluation', ...flags })}\n`;
}
