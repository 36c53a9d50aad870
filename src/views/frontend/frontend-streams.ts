import { createHash, randomInt, randomUUID } from 'node:crypto';
import type { Clock } from '../../base/clock.ts';
import type { Logger } from '../../base/logger.ts';
import type { Channel } from '../../base/queues/channel.ts';
import { Rejection } from '../../base/rejection.ts';
import { type Slicer, workInSlices } from '../../base/yield-control.ts';
import { type Caller, covers, type Scope } from '../../model/caller.ts';
import type { SdkContext } from '../../model/context.ts';
import type { State } from '../../state/state.ts';
import type { ClientViews } from '../client/client-views.ts';
import type { FlagSnapshot } from '../flags/flag-snapshot.ts';
import type { FlagViews } from '../flags/flag-views.ts';
import { AnswerHub, type HubSource, positionAt } from './answer-hub.ts';
import { AnswerStream, drawIn } from './answer-stream.ts';
import { StreamContext } from './stream-context.ts';
import { WholeAnswerQueue } from './whole-answer-queue.ts';

/** Interval of checking for dates that have passed. */
const TICK_MS = 1_000;

const DRAWS = 2 ** 30;

interface FrontendStreamParts {
  readonly state: State;
  readonly clientViews: ClientViews;
  readonly flagViews: FlagViews;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** The data of a request that opens a stream. */
interface StreamOpening {
  readonly context: SdkContext;
  readonly remoteAddress: string;
  /** The last event id of a reader that reconnects; "" if it has none. */
  readonly lastEventId: string;
}

/** The streams of browsers: one hub for each scope with a stream, and the streams by id. The quota of connections limits the number of both. */
export class FrontendStreams implements HubSource {
  readonly clock: Clock;
  readonly logger: Logger;
  readonly #parts: FrontendStreamParts;
  readonly #hubs = new Map<Scope, { readonly hub: AnswerHub; streams: number }>();
  readonly #streams = new Map<string, AnswerStream>();
  readonly #queue = new WholeAnswerQueue();
  readonly #listeners: ((channel?: Channel) => void)[] = [];
  #timer: NodeJS.Timeout | undefined;

  constructor(parts: FrontendStreamParts) {
    this.#parts = parts;
    this.clock = parts.clock;
    this.logger = parts.logger;
    parts.clientViews.onChanged((touched) => {
      for (const [{ environment }, { hub }] of this.#hubs)
        if (touched === null || touched.some((key) => key.startsWith(`${environment}/`))) hub.wake();
    });
  }

  /** Bytes of whole answers that were created and not sent yet; for tests and stats. */
  get bufferedBytes(): number {
    return this.#queue.bufferedBytes;
  }

  /** Number of streams that wait for their whole answer; for tests and stats. */
  get waitingCount(): number {
    return this.#queue.waitingCount;
  }

  /** Registers a listener that is called when streams have new data: without a channel for all streams, or with the channel of one stream. */
  onChanged(listener: (channel?: Channel) => void): void {
    this.#listeners.push(listener);
  }

  /** Opens a stream for the caller; a rejection if the context is invalid. The stream exists until it is closed. */
  open(caller: Caller, { context: sdkContext, remoteAddress, lastEventId }: StreamOpening): AnswerStream | Rejection {
    const { scope } = caller;
    const draw = drawIn(lastEventId) ?? randomInt(DRAWS);
    const context = StreamContext.of(sdkContext, { environment: scope.environment, remoteAddress, draw });
    if (context instanceof Rejection) return context;
    const hub = this.hold(scope);
    const resumedFrom = lastEventId === '' ? undefined : lastEventId;
    const stream = new AnswerStream(
      randomUUID(),
      holderOf(caller),
      context,
      resumedFrom,
      hub,
      this.#queue,
      ({ id }) => {
        this.#streams.delete(id);
        this.release(scope);
      },
    );
    this.#streams.set(stream.id, stream);
    return stream;
  }

  /** Replaces the context of an open stream. False when the caller has no stream with this id in this process. */
  replaceContext(caller: Caller, id: string, sdkContext: SdkContext, remoteAddress: string): boolean | Rejection {
    const stream = this.#streams.get(id);
    if (stream === undefined || stream.holder !== holderOf(caller)) return false;
    const { environment } = caller.scope;
    const context = StreamContext.of(sdkContext, { environment, remoteAddress, draw: stream.draw });
    if (context instanceof Rejection) return context;
    stream.replaceContext(context);
    this.#notify(stream);
    return true;
  }

  flags(scope: Scope): FlagSnapshot | Promise<FlagSnapshot> {
    return this.#parts.flagViews.snapshotOf(scope);
  }

  /**
   * The position of a version with these flags at this time, as streams of the scope have it. "" if it is not known, because the snapshot is an older
   * one.
   */
  async positionAt(scope: Scope, snapshot: FlagSnapshot, nowMs: number, slicer: () => Slicer): Promise<string> {
    const needs = snapshot.needs ?? (await workInSlices(snapshot.findNeeds(), slicer()));
    const isOlder = this.#numberOf(scope, snapshot) > snapshot.seq;
    return isOlder ? '' : positionAt(this.position(scope, snapshot), needs, nowMs);
  }

  position(scope: Scope, snapshot: FlagSnapshot): string {
    const number = this.#numberOf(scope, snapshot);
    const mark = this.#parts.state.revisions.mark(number);
    const hash = createHash('sha256').update(snapshot.revision.scope).digest('hex').slice(0, 8);
    return `${number}-${hash}${mark === '' ? '' : `.${mark}`}`;
  }

  #numberOf(scope: Scope, snapshot: FlagSnapshot): number {
    // A parent outside of the scope may change without a new revision of the scope, so the revision of the whole environment is used.
    const isWider = snapshot.hasParentOutside((project) => covers(scope, project));
    return isWider ? this.#parts.state.revisions.environment(scope.environment) : snapshot.revision.number;
  }

  /** The versions of the scope’s answers. The hub follows the flags until each `hold` has its `release`. */
  hold(scope: Scope): AnswerHub {
    let entry = this.#hubs.get(scope);
    if (entry === undefined) {
      entry = { hub: new AnswerHub(scope, this, () => this.#notify()), streams: 0 };
      this.#hubs.set(scope, entry);
      this.#timer ??= setInterval(() => this.#tick(), TICK_MS).unref();
    }
    entry.streams++;
    return entry.hub;
  }

  release(scope: Scope): void {
    const entry = this.#hubs.get(scope);
    if (entry === undefined || --entry.streams > 0) return;
    entry.hub.close();
    this.#hubs.delete(scope);
    if (this.#hubs.size > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  #tick(): void {
    for (const { hub } of this.#hubs.values()) hub.tick();
  }

  #notify(channel?: Channel): void {
    for (const listener of this.#listeners) listener(channel);
  }
}

function holderOf({ token, kind }: Caller): string {
  return token?.secret ?? kind;
}
