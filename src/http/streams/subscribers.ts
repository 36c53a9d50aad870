import type { Logger } from '../../base/logger.ts';
import type { Channel, Frame } from '../../base/queues/channel.ts';
import { JobQueue } from '../../base/queues/job-queue.ts';
import { PerKeyQuota } from '../../base/queues/per-key-quota.ts';
import { Rejection, unavailable } from '../../base/rejection.ts';
import { Slicer } from '../../base/yield-control.ts';
import type { Caller } from '../../model/caller.ts';
import type { Receipts, RouteStatement } from '../endpoint.ts';
import type { Exchange } from '../exchange.ts';
import type { CopiedRequest } from '../request.ts';
import { type FrameSource, Subscriber } from './subscriber.ts';

export interface SubscriberOptions {
  /** Streams that are open at a time: in all, and of one token. Browsers have as many again. */
  readonly total: number;
  readonly each: number;
  /** How long a connection is left in silence. */
  readonly keepAliveMs: number;
  /** How often tokens are looked at. */
  readonly checkMs: number;
}

export const SUBSCRIBER_OPTIONS: SubscriberOptions = {
  total: 10_000,
  each: 5_000,
  // uWS closes what it has written to and then not for ten seconds.
  keepAliveMs: 5_000,
  checkMs: 500,
};

/** SDKs take this status for a service that wants them to poll instead, and do so until they are started again: it is sent for nothing else. */
const TOO_MANY = new Rejection('TooManyRequestsError', 'Too many streams are open.', [], 5);
const STOPPING = unavailable('The service is stopping.', 1);

/**
 * Streams end a few at a time when the service stops, and each was sent another time to come back after: the next process meets them one
 * after the other.
 */
const ENDED_AT_ONCE = 100;
const ENDING_STEPS = 20;
const ENDING_STEP_MS = 50;
const RETRY_MIN_MS = 1_000;
const RETRY_SPREAD_MS = 4_000;
/** Prime to the spread: clients that come one after the other get times far apart, and all times are used. */
const RETRY_STEP_MS = 997;

/** Frames of one channel that are kept, by the position where they begin: slow readers are at few different positions. */
const FRAMES_MAX = 64;

/** Whether the subscriber may still be sent changes: its token exists and sees the same. */
type StillAllowed = (subscriber: Subscriber) => boolean;

/**
 * The open streams, by channel. A change costs one frame a channel and one write a connection, made in slices; no
 * connection is waited for. What a connection that does not read makes the process keep is one piece of a frame; the frame itself is shared.
 */
export class Subscribers {
  /** What has to be done for connections that come. */
  readonly opening = new JobQueue();
  readonly #logger: Logger;
  readonly #options: SubscriberOptions;
  /** Streams of browsers and of SDKs have separate quotas: every visitor of a page has its token. */
  readonly #quotas: { readonly ofBrowsers: PerKeyQuota<string>; readonly ofSdks: PerKeyQuota<string> };
  readonly #groups = new Map<Channel, Group>();
  readonly #isAllowed: StillAllowed;
  #timer: NodeJS.Timeout | undefined;
  #telling = false;
  #again = false;
  #closed = false;
  #added = 0;

  constructor(logger: Logger, isAllowed: StillAllowed, options: SubscriberOptions = SUBSCRIBER_OPTIONS) {
    this.#logger = logger;
    this.#isAllowed = isAllowed;
    this.#options = options;
    const { total, each } = options;
    this.#quotas = { ofBrowsers: new PerKeyQuota(total, each), ofSdks: new PerKeyQuota(total, each) };
  }

  /** Connections there are. */
  get count(): number {
    return this.#quotas.ofBrowsers.count + this.#quotas.ofSdks.count;
  }

  /** Why the caller cannot be added (the quota is exhausted), or undefined: the connection then belongs to the channel until its exchange ends. */
  add(
    exchange: Exchange,
    { access }: Pick<RouteStatement, 'access'>,
    caller: Caller,
    request: CopiedRequest,
    channel: Channel,
    follow: () => Receipts | undefined = () => undefined,
  ): Rejection | undefined {
    const holder = caller.token?.secret ?? caller.kind;
    const quota = access.permission === 'FRONTEND' ? this.#quotas.ofBrowsers : this.#quotas.ofSdks;
    const refusal = this.#taken(quota, holder);
    if (refusal) {
      if (!this.#groups.has(channel)) channel.closed?.();
      return refusal;
    }
    let group = this.#groups.get(channel);
    if (!group) {
      const failed = (error: unknown) => this.#logger.error({ err: error }, 'what subscribers need could not be made');
      group = new Group(channel, (members) => this.#advanceAll(members), failed);
      this.#groups.set(channel, group);
    }
    const joined = group;
    const revision = channel.isOwn ? undefined : request.headers.get('last-event-id') || undefined;
    const receipts = follow();
    if (revision !== undefined && revision === channel.revision) receipts?.supplied(revision);
    const subscriber = new Subscriber(exchange, { access, caller, request }, joined, revision, receipts);
    joined.members.add(subscriber);
    exchange.onEnd(() => {
      joined.members.delete(subscriber);
      if (joined.members.size === 0) {
        this.#groups.delete(channel);
        channel.closed?.();
      }
      quota.give(holder);
      receipts?.left();
    });
    // Its answer has begun: no deadline, and no other answer.
    exchange.claim();
    const nowMs = performance.now();
    const retryMs = RETRY_MIN_MS + ((this.#added++ * RETRY_STEP_MS) % RETRY_SPREAD_MS);
    subscriber.begin(nowMs, retryMs, (error) => this.#cut(subscriber, error));
    this.#advance(subscriber, nowMs);
    this.#timer ??= setInterval(() => void this.#check(), this.#options.checkMs).unref();
    return undefined;
  }

  #taken(quota: PerKeyQuota<string>, holder: string): Rejection | undefined {
    if (this.#closed) return STOPPING;
    return quota.take(holder) ? undefined : TOO_MANY;
  }

  /**
   * Something has changed, of one channel or of all of them. Subscribers are sent it after this turn of the event loop: all changes of one turn at once.
   */
  changed(channel?: Channel): void {
    if (channel) void this.#advanceAll([...(this.#groups.get(channel)?.members ?? [])]);
    else if (this.#telling) this.#again = true;
    else if (this.#groups.size > 0) {
      this.#telling = true;
      setImmediate(() => void this.#send());
    }
  }

  /** Ends all connections, for good: the first of them now, the last within about a second. */
  close(): void {
    this.#closed = true;
    clearInterval(this.#timer);
    const left = [...this.#all()];
    const atOnce = Math.max(ENDED_AT_ONCE, Math.ceil(left.length / ENDING_STEPS));
    const endSome = () => {
      for (const subscriber of left.splice(0, atOnce)) this.#end(subscriber);
      if (left.length > 0) setTimeout(endSome, ENDING_STEP_MS);
    };
    endSome();
  }

  #end(subscriber: Subscriber): void {
    try {
      subscriber.end();
    } catch (error) {
      this.#cut(subscriber, error);
    }
  }

  /** Those who come while others are looked at are looked at as well. */
  *#all(): Generator<Subscriber, void, void> {
    for (const { members } of this.#groups.values()) for (const subscriber of members) yield subscriber;
  }

  async #send(): Promise<void> {
    do {
      this.#again = false;
      await this.#advanceAll(this.#all());
    } while (this.#again && !this.#closed);
    this.#telling = false;
  }

  async #advanceAll(subscribers: Iterable<Subscriber>): Promise<void> {
    const slicer = new Slicer();
    for (const subscriber of subscribers) {
      this.#advance(subscriber, performance.now());
      if (slicer.spent) await slicer.pause();
    }
  }

  #advance(subscriber: Subscriber, nowMs: number): void {
    try {
      subscriber.advance(nowMs);
    } catch (error) {
      this.#cut(subscriber, error);
    }
  }

  /** Ends the streams whose token has ended, and sends the others a sign of life. */
  async #check(): Promise<void> {
    const slicer = new Slicer();
    for (const subscriber of this.#all()) {
      try {
        if (subscriber.exchange.over) continue;
        if (this.#isAllowed(subscriber)) subscriber.keepAlive(performance.now(), this.#options.keepAliveMs);
        else subscriber.end();
      } catch (error) {
        this.#cut(subscriber, error);
      }
      if (slicer.spent) await slicer.pause();
    }
    if (this.#groups.size > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  #cut({ exchange }: Subscriber, error: unknown): void {
    if (exchange.over) return;
    this.#logger.error({ err: error }, 'a stream failed; its connection is cut');
    exchange.response.close();
    exchange.end();
  }
}

/** The connections of one channel, and their common frames. */
class Group implements FrameSource {
  readonly channel: Channel;
  readonly members = new Set<Subscriber>();
  readonly #advanceAll: (members: Iterable<Subscriber>) => Promise<void>;
  /** By where they begin; all of them end at `#framesTo`. */
  readonly #frames = new Map<string, Frame>();
  #framesTo = '';
  /** Cached as long as later changes can continue from it: subscribers that connect one after the other use the same frame. */
  #hydration: Frame | undefined;
  #hydrating = false;
  /** Whether it was made this moment: those who waited for it get it, though so much has happened since that they will need another. */
  #isFresh = false;
  /** Whether a subscriber was sent it. */
  #isTaken = false;
  readonly #failed: (error: unknown) => void;

  constructor(
    channel: Channel,
    advanceAll: (members: Iterable<Subscriber>) => Promise<void>,
    failed: (error: unknown) => void,
  ) {
    this.channel = channel;
    this.#advanceAll = advanceAll;
    this.#failed = failed;
  }

  next(from: string | undefined): Frame | undefined {
    return (from === undefined ? undefined : this.#since(from)) ?? this.#hydrate(from);
  }

  #since(from: string): Frame | undefined {
    const { revision, isOwn } = this.channel;
    // Its one reader has had it: there may be thousands of such channels.
    if (isOwn) return this.channel.since(from) ?? undefined;
    if (this.#framesTo !== revision || this.#frames.size >= FRAMES_MAX) this.#frames.clear();
    this.#framesTo = revision;
    let frame = this.#frames.get(from);
    if (frame === undefined) {
      frame = this.channel.since(from) ?? undefined;
      if (frame) this.#frames.set(from, frame);
    }
    return frame;
  }

  /** Never the frame that ends where the subscriber is: a subscriber that has it needs a newer one. */
  #hydrate(from: string | undefined): Frame | undefined {
    const kept = this.#hydration;
    if (kept && kept.revision !== from)
      if (this.#isFresh || kept.revision === this.channel.revision || this.#since(kept.revision)) {
        this.#isTaken = true;
        return kept;
      }
    this.#hydration = undefined;
    if (this.#hydrating) return undefined;
    const made = this.channel.hydration();
    if (!(made instanceof Promise)) {
      if (!this.channel.isOwn) this.#hydration = made;
      return made;
    }
    this.#hydrating = true;
    void made
      .then((frame) => {
        this.#hydrating = false;
        this.#hydration = frame;
        this.#isFresh = true;
        this.#isTaken = false;
        return this.#advanceAll([...this.members]);
      })
      .catch((error: unknown) => {
        // Those who wait ask again at the next change, or leave.
        this.#hydrating = false;
        this.#failed(error);
      })
      .finally(() => {
        this.#isFresh = false;
        if (!this.channel.isOwn) return;
        // Its one reader has left, or takes nothing now: what was kept for it is dropped.
        if (!this.#isTaken) this.#hydration?.release?.();
        this.#hydration = undefined;
      });
    return undefined;
  }
}
