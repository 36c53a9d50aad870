import { SERVICE } from '../../base/asking/asker.ts';
import type { Logger } from '../../base/logger.ts';
import type { Channel, Frame } from '../../base/queues/channel.ts';
import { JobQueue } from '../../base/queues/job-queue.ts';
import { PerKeyQuota } from '../../base/queues/per-key-quota.ts';
import { Rejection, unavailable } from '../../base/rejection.ts';
import { Slicer } from '../../base/yield-control.ts';
import { type Caller, holderOf } from '../../model/caller.ts';
import type { Access } from '../access.ts';
import type { Receipts } from '../endpoint.ts';
import type { Exchange } from '../exchange.ts';
import type { CopiedRequest } from '../request.ts';
import { CHANGE_PACE, Crowd, NOTICE_PACE } from './crowd.ts';
import { type FrameSource, type SubscribedRoute, Subscriber } from './subscriber.ts';

export interface SubscriberOptions {
  /**
   * Maximum number of open streams: in total, and per token (`each`). Streams of SDKs, of browsers, and of the admin side have separate quotas. On the
   * admin side, `eachPerson` is the maximum per user or admin token.
   */
  readonly total: number;
  readonly each: number;
  readonly eachPerson: number;
  /** Time without data after which a heartbeat is sent. */
  readonly keepAliveMs: number;
  /** Interval between checks of the tokens. */
  readonly checkMs: number;
}

export const SUBSCRIBER_OPTIONS: SubscriberOptions = {
  total: 10_000,
  each: 5_000,
  eachPerson: 200,
  // The fast front closes a connection to which it has not written for ten seconds.
  keepAliveMs: 5_000,
  checkMs: 500,
};

/** The answer if the quota is exhausted. After this status, SDKs poll until they are restarted, so it must not be sent for any other reason. */
const TOO_MANY = new Rejection('TooManyRequestsError', 'Too many streams are open.', [], 5);
const STOPPING = unavailable('The service is stopping.', 1);

/**
 * When the service stops, it ends only a few streams at a time. Each stream got a different reconnection delay when it was opened. So the clients do
 * not connect to the next process at the same time.
 */
const ENDED_AT_ONCE = 100;
const ENDING_STEPS = 20;
const ENDING_STEP_MS = 50;
const RETRY_MIN_MS = 1_000;
const RETRY_SPREAD_MS = 4_000;
/** Coprime to the spread: consecutive clients get very different delays, and all delays are used. */
const RETRY_STEP_MS = 997;

/** Maximum number of cached frames per channel, by their start position. Slow readers have few different positions. */
const FRAMES_MAX = 64;

/** Whether the subscriber may still get changes: its token still exists, with the same kind and scope. */
type StillAllowed = (subscriber: Subscriber) => boolean;

/**
 * The open streams, by channel. A change needs one frame per channel and one write per connection, made in slices. No connection waits for
 * another one. For a connection that does not read, the process buffers one piece of a frame; the frame itself is shared.
 */
export class Subscribers {
  /** Work for new connections, and for frames that one turn does not send to the end. */
  readonly jobs = new JobQueue();
  readonly #logger: Logger;
  readonly #options: SubscriberOptions;
  /** Streams of browsers and of SDKs have separate quotas, because every visitor of a page uses the page's token. */
  readonly #quotas: Readonly<Record<'ofBrowsers' | 'ofSdks' | 'ofPeople', PerKeyQuota<string>>>;
  readonly #groups = new Map<Channel, Group>();
  readonly #isAllowed: StillAllowed;
  /** Readers that will get a change, and those that will get a notice: they answer both with requests. */
  readonly #crowd: Crowd<Subscriber>;
  readonly #noticeCrowd: Crowd<Subscriber>;
  #timer: NodeJS.Timeout | undefined;
  #isSending = false;
  /** Whether a pass over the streams will begin. All changes until then are part of it. */
  #isScheduled = false;
  #closed = false;
  #addedCount = 0;

  constructor(logger: Logger, isAllowed: StillAllowed, options: SubscriberOptions = SUBSCRIBER_OPTIONS) {
    this.#logger = logger;
    this.#isAllowed = isAllowed;
    this.#options = options;
    this.#crowd = new Crowd(CHANGE_PACE, (subscriber) => this.#advance(subscriber, performance.now()));
    this.#noticeCrowd = new Crowd(NOTICE_PACE, (subscriber) => this.#notify(subscriber));
    const { total, each, eachPerson } = options;
    this.#quotas = {
      ofBrowsers: new PerKeyQuota(total, each),
      ofSdks: new PerKeyQuota(total, each),
      ofPeople: new PerKeyQuota(total, eachPerson),
    };
  }

  /** Number of open connections. */
  get count(): number {
    const { ofBrowsers, ofSdks, ofPeople } = this.#quotas;
    return ofBrowsers.count + ofSdks.count + ofPeople.count;
  }

  /** Number of streams that the caller's SDKs can still open. */
  roomForSdks(caller: Caller): number {
    return this.#closed ? 0 : this.#quotas.ofSdks.left(holderOfStream(caller));
  }

  /** Adds the connection to the channel until its exchange ends, and returns undefined. Returns a rejection if the quota is exhausted. */
  add(
    exchange: Exchange,
    route: SubscribedRoute,
    caller: Caller,
    request: CopiedRequest,
    channel: Channel,
    follow: () => Receipts | undefined = () => undefined,
  ): Rejection | undefined {
    const { quota, holder } = this.#quotaOf(route.access, caller);
    const refusal = this.#takeQuota(quota, holder);
    if (refusal) {
      if (!this.#groups.has(channel)) channel.closed?.();
      return refusal;
    }
    let group = this.#groups.get(channel);
    if (!group) {
      const failed = (error: unknown) =>
        this.#logger.error(
          { err: error },
          'creating the data for a stream failed; its clients wait until the next change',
        );
      group = new Group(channel, this.jobs, (members) => this.#advanceAll(members), failed);
      this.#groups.set(channel, group);
    }
    const joinedGroup = group;
    const known = route.received ? route.received(request) : request.headers.get('last-event-id');
    const revision = channel.isOwn ? undefined : known || undefined;
    const receipts = follow();
    if (revision !== undefined && revision === channel.revision) receipts?.recordReceipt(revision);
    const subscriber = new Subscriber(exchange, { route, caller, request }, joinedGroup, revision, receipts);
    joinedGroup.members.add(subscriber);
    exchange.onEnd(() => {
      joinedGroup.members.delete(subscriber);
      if (joinedGroup.members.size === 0) {
        this.#groups.delete(channel);
        channel.closed?.();
      }
      quota.give(holder);
      receipts?.recordEnd();
    });
    // The answer begins: from now on no deadline and no other answer is possible.
    exchange.claim();
    const nowMs = performance.now();
    const retryMs = RETRY_MIN_MS + ((this.#addedCount++ * RETRY_STEP_MS) % RETRY_SPREAD_MS);
    subscriber.begin(nowMs, retryMs, (error) => this.#cut(subscriber, error));
    this.#advance(subscriber, nowMs);
    this.#timer ??= setInterval(() => void this.#check(), this.#options.checkMs).unref();
    return undefined;
  }

  #quotaOf({ permission }: Access, caller: Caller): { readonly quota: PerKeyQuota<string>; readonly holder: string } {
    if (permission === 'READ') return { quota: this.#quotas.ofPeople, holder: holderOf(caller) };
    const quota = permission === 'FRONTEND' ? this.#quotas.ofBrowsers : this.#quotas.ofSdks;
    return { quota, holder: holderOfStream(caller) };
  }

  /** Counts the connection in the quota. Returns a rejection if that is not possible. */
  #takeQuota(quota: PerKeyQuota<string>, holder: string): Rejection | undefined {
    if (this.#closed) return STOPPING;
    return quota.take(holder) ? undefined : TOO_MANY;
  }

  /**
   * Call it when one channel, or without an argument any channel, may have changed. Changes of all channels are sent after this turn of the event
   * loop, together.
   */
  changed(channel?: Channel): void {
    if (channel) void this.#advanceAll([...(this.#groups.get(channel)?.members ?? [])]);
    else if (this.#groups.size > 0 && !this.#isScheduled) {
      this.#isScheduled = true;
      if (!this.#isSending) setImmediate(() => void this.#send());
    }
  }

  /** Ends all connections and accepts no more: the first ones end now, the last ones within about a second. */
  close(): void {
    this.#closed = true;
    clearInterval(this.#timer);
    this.#crowd.close();
    this.#noticeCrowd.close();
    const remaining = [...this.#all()];
    const atOnce = Math.max(ENDED_AT_ONCE, Math.ceil(remaining.length / ENDING_STEPS));
    const endSome = () => {
      for (const subscriber of remaining.splice(0, atOnce)) this.#end(subscriber);
      if (remaining.length > 0) setTimeout(endSome, ENDING_STEP_MS);
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

  /** All subscribers, also those that are added during the iteration. */
  *#all(): Generator<Subscriber, void, void> {
    for (const { members } of this.#groups.values()) for (const subscriber of members) yield subscriber;
  }

  async #send(): Promise<void> {
    this.#isSending = true;
    while (this.#isScheduled && !this.#closed) {
      this.#isScheduled = false;
      await this.#advanceAll(this.#withoutCrowd());
    }
    this.#isSending = false;
  }

  /** All subscribers, except those that wait in a crowd: they answer frames, and are sent their frames over time. */
  *#withoutCrowd(): Generator<Subscriber, void, void> {
    const groups = [...this.#groups.values()];
    const answered = groups.filter((group) => group.channel.isAnswered && group.hasChanged());
    this.#crowd.add(answered.map(({ members }) => members));
    for (const { members } of groups) for (const member of members) if (!this.#crowd.has(member)) yield member;
  }

  async #advanceAll(subscribers: Iterable<Subscriber>): Promise<void> {
    // Work of the service: it is done for all subscribers.
    const slicer = Slicer.of(SERVICE);
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

  #notify(subscriber: Subscriber): void {
    try {
      subscriber.notify(performance.now());
    } catch (error) {
      this.#cut(subscriber, error);
    }
  }

  /** Ends the streams whose token is not valid any more, and sends notices and heartbeats to the others. */
  async #check(): Promise<void> {
    // Work of the service: it is done for all subscribers.
    const slicer = Slicer.of(SERVICE);
    const noticed = new Set<Subscriber>();
    for (const subscriber of this.#all()) {
      try {
        if (subscriber.exchange.over) continue;
        if (!this.#isAllowed(subscriber)) subscriber.end();
        else if (subscriber.awaitsNotice && !this.#noticeCrowd.has(subscriber)) noticed.add(subscriber);
        else subscriber.keepAlive(performance.now(), this.#options.keepAliveMs);
      } catch (error) {
        this.#cut(subscriber, error);
      }
      if (slicer.spent) await slicer.pause();
    }
    if (!this.#closed && !this.#noticeCrowd.add([noticed])) for (const subscriber of noticed) this.#notify(subscriber);
    if (this.#groups.size > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  #cut({ exchange }: Subscriber, error: unknown): void {
    if (exchange.over) return;
    this.#logger.error({ err: error }, 'a stream failed; its connection was closed');
    exchange.response.close();
    exchange.end();
  }
}

function holderOfStream({ token, kind }: Caller): string {
  return token?.secret ?? kind;
}

/** The connections of one channel, and the frames that they share. */
class Group implements FrameSource {
  readonly channel: Channel;
  readonly members = new Set<Subscriber>();
  readonly #jobs: JobQueue;
  readonly #advanceAll: (members: Iterable<Subscriber>) => Promise<void>;
  /** Cached frames by their start position. All of them end at `#framesTo`. */
  readonly #frames = new Map<string, Frame>();
  #framesTo = '';
  /** The revision at the last call of `hasChanged`. */
  #lastRevision = '';
  /**
   * The last frame with the whole state. Cached as long as later changes can continue from it, so that subscribers that connect later use the same
   * frame.
   */
  #hydration: Frame | undefined;
  #hydrating = false;
  /** Whether `#hydration` was just created. The subscribers that waited for this frame get it, even if later changes cannot continue from it. */
  #isFresh = false;
  /** Whether `#hydration` was passed to a subscriber. */
  #isTaken = false;
  readonly #failed: (error: unknown) => void;

  constructor(
    channel: Channel,
    jobs: JobQueue,
    advanceAll: (members: Iterable<Subscriber>) => Promise<void>,
    failed: (error: unknown) => void,
  ) {
    this.channel = channel;
    this.#jobs = jobs;
    this.#advanceAll = advanceAll;
    this.#failed = failed;
  }

  /** Whether the channel has changed since the last call. */
  hasChanged(): boolean {
    const { revision } = this.channel;
    const isChanged = revision !== this.#lastRevision;
    this.#lastRevision = revision;
    return isChanged;
  }

  later(work: () => void): void {
    this.#jobs.add(work);
  }

  next(from: string | undefined): Frame | undefined {
    return (from === undefined ? undefined : this.#since(from)) ?? this.#hydrate(from);
  }

  #since(from: string): Frame | undefined {
    const { revision, isOwn } = this.channel;
    // Not cached: the channel has only one reader, and thousands of such channels may exist, each with a frame of a hundred kilobytes.
    const isForOne = isOwn || this.members.size === 1;
    if (isForOne || this.#framesTo !== revision || this.#frames.size >= FRAMES_MAX) this.#frames.clear();
    if (isForOne) return this.channel.since(from) ?? undefined;
    this.#framesTo = revision;
    let frame = this.#frames.get(from);
    if (frame === undefined) {
      frame = this.channel.since(from) ?? undefined;
      if (frame) this.#frames.set(from, frame);
    }
    return frame;
  }

  /** A frame with the whole state; undefined while it is being created. Never a frame that ends at `from`: the subscriber needs a newer one. */
  #hydrate(from: string | undefined): Frame | undefined {
    const cached = this.#hydration;
    if (cached && cached.revision !== from)
      if (this.#isFresh || cached.revision === this.channel.revision || this.#since(cached.revision)) {
        this.#isTaken = true;
        return cached;
      }
    this.#hydration = undefined;
    if (this.#hydrating) return undefined;
    const hydration = this.channel.hydration();
    if (!(hydration instanceof Promise)) {
      if (!this.channel.isOwn && !this.channel.isHydrationSmall) this.#hydration = hydration;
      return hydration;
    }
    this.#hydrating = true;
    void hydration
      .then((frame) => {
        this.#hydrating = false;
        this.#hydration = frame ?? undefined;
        this.#isFresh = frame !== null;
        this.#isTaken = false;
        return this.#advanceAll([...this.members]);
      })
      .catch((error: unknown) => {
        // The waiting subscribers ask again at the next change, or leave.
        this.#hydrating = false;
        this.#failed(error);
      })
      .finally(() => {
        this.#isFresh = false;
        if (!this.channel.isOwn) return;
        // The only reader has left, or its socket accepts nothing now: its frame is dropped.
        if (!this.#isTaken) this.#hydration?.release?.();
        this.#hydration = undefined;
      });
    return undefined;
  }
}
