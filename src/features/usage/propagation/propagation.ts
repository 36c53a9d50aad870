import { setTimeout as rest } from 'node:timers/promises';
import type { Clock } from '../../../base/clock.ts';
import { Fifo } from '../../../base/fifo.ts';
import { Slicer } from '../../../base/yield-control.ts';
import type { Scope } from '../../../model/caller.ts';
import type { PartitionKey } from '../../../state/revisions.ts';
import type { AppliedCommit, State } from '../../../state/state.ts';
import { type Connection, Connections, revisionIn } from './connections.ts';
import { BROWSER_SERIES, type ConnectionExchange, type RemoteConnection, SDK_SERIES } from './exchange.ts';
import { type Spread, Tally } from './spread.ts';

/** Connections that are followed. Browsers have a quota of their own: every visitor of a page has its token. */
const SDKS_MAX = 20_000;
const BROWSERS_MAX = 10_000;

/** Commits that are remembered by what they touched and when they were made. */
const COMMITS_MAX = 1_024;

/** What all of these touched. A segment may be used in every project: of such commits fewer are remembered, but always the newest. */
const TOUCHED_MAX = 50_000;

/** How much longer than a look nobody looks afterwards. */
const REST_SHARE = 4;
/** How often it is looked whether those who wait may go on. */
const LOOK_EVERY_MS = 100;

/** What SDKs call the connection that they are. */
const CONNECTION_HEADERS = ['unleash-connection-id', 'x-unleash-connection-id'] as const;
const APP_HEADER = 'unleash-appname';

interface Touch {
  readonly seq: number;
  /** RFC 3339. */
  readonly at: string;
  readonly touched: readonly PartitionKey[];
}

/** Reads what the head of a request says. */
interface HeaderSource {
  header(name: string): string | undefined;
}

interface PropagationParts {
  readonly state: State;
  readonly clock: Clock;
  /** With a shared store: what other replicas know. */
  readonly exchange: ConnectionExchange | null;
}

/** A stream that is open. */
interface StreamReceipts {
  /** Everything up to this position was handed to its socket. */
  given(position: string): void;
  left(): void;
}

/**
 * How far changes have come: which SDKs are connected, and which list each has received. Known from what polls with a list that is not the newest
 * any more say in passing, from streams, and from reports; a poll without a filter that finds nothing changed says nothing and
 * pays nothing (docs/decisions/propagation.md).
 */
export class Propagation {
  readonly #sdks: Connections;
  /** Their streams: a browser that polls is not followed. */
  readonly #browsers: Connections;
  readonly #parts: PropagationParts;
  readonly #touches = new Fifo<Touch>();
  #touched = 0;
  /** Of commits after this one everything is known. */
  #floor: number;
  #lastText = '';
  #lastRevision = 0;
  /** Until the rest after the last look is over. */
  #rested: Promise<void> = Promise.resolve();
  #closed = false;
  readonly #stop = new AbortController();
  /** Receipts since the process began. */
  receipts = 0;

  constructor(parts: PropagationParts) {
    this.#parts = parts;
    this.#floor = parts.state.seq;
    this.#sdks = new Connections(SDKS_MAX, (connection) => parts.exchange?.note(connection, SDK_SERIES));
    this.#browsers = new Connections(BROWSERS_MAX, (connection) => parts.exchange?.note(connection, BROWSER_SERIES));
  }

  /** A commit was applied. */
  apply({ commit: { seq, at, touched } }: AppliedCommit): void {
    if (touched.length === 0) return;
    this.#touches.push({ seq, at, touched });
    this.#touched += touched.length;
    while (this.#touches.length > COMMITS_MAX || (this.#touched > TOUCHED_MAX && this.#touches.length > 1)) {
      const oldest = this.#touches.shift() as Touch;
      this.#floor = oldest.seq;
      this.#touched -= oldest.touched.length;
    }
  }

  /** Another state has replaced the current one: what is known is of a history that may not be this one. */
  replaced(): void {
    this.#touches.clear();
    this.#touched = 0;
    this.#floor = this.#parts.state.seq;
    this.#sdks.clear();
    this.#browsers.clear();
  }

  /** An SDK reports, or has begun. `bodyId` is what it says in the body. */
  heard(scope: Scope, appName: string, bodyId: string | null | undefined, head: HeaderSource): void {
    const id = bodyId || idIn(head);
    if (id === '') return;
    this.#sdks.hear(scope, id, appName, this.#parts.clock.nowMs(), Number(head.header('unleash-interval')));
  }

  /**
   * A poll that named an older list receives the one of `revision`. Nothing of it is asked for of polls that name no list or the newest one.
   */
  given(scope: Scope, known: string, revision: number, head: HeaderSource): void {
    const connection = this.#pollerOf(scope, head);
    if (!connection) return;
    this.receipts++;
    if (connection.position === 0) {
      const before = revisionIn(known);
      // Else it names a list of another history: where it stood in this one is not known, only what it receives now.
      if (before < revision) connection.begin(before);
    }
    this.#sdks.give(connection, revision, this.#parts.clock.nowMs());
  }

  /**
   * A poll with a filter has all that it asks for of what its token sees at `revision`. The list that it names says nothing about that revision:
   * when it came there is known only of one of which it was known to stand further back.
   */
  reached(scope: Scope, revision: number, head: HeaderSource): void {
    const connection = this.#pollerOf(scope, head);
    // Most of these polls say what was known.
    if (!connection || connection.position >= revision) return;
    this.receipts++;
    if (connection.position === 0) connection.begin(revision);
    this.#sdks.give(connection, revision, this.#parts.clock.nowMs());
  }

  /** The client that polls, known from now on if it was not before. Undefined when it does not say, or there is no room to follow it. */
  #pollerOf(scope: Scope, head: HeaderSource): Connection | undefined {
    const id = idIn(head);
    if (id === '') return undefined;
    const { clock } = this.#parts;
    return this.#sdks.find(scope, id) ?? this.#sdks.hear(scope, id, head.header(APP_HEADER) ?? '', clock.nowMs());
  }

  /** A stream begins. Undefined when there is no room to follow it. */
  joined(scope: Scope, head: HeaderSource): StreamReceipts | undefined {
    return this.#follow(this.#sdks, scope, idIn(head), head.header(APP_HEADER) ?? '');
  }

  /** A browser's stream begins. It is never believed to be one that was there before: who has a page could say so of any. */
  browserJoined(scope: Scope, appName: string): StreamReceipts | undefined {
    return this.#follow(this.#browsers, scope, '', appName);
  }

  #follow(connections: Connections, scope: Scope, id: string, appName: string): StreamReceipts | undefined {
    const { clock } = this.#parts;
    const connection = connections.open(scope, id, appName, clock.nowMs());
    if (!connection) return undefined;
    return {
      given: (position) => {
        const revision = this.#revisionOf(position);
        this.receipts++;
        // With its first list it gets what was there long before it came.
        if (connection.position === 0) connection.begin(revision);
        connections.give(connection, revision, clock.nowMs());
      },
      left: () => connections.leave(connection),
    };
  }

  /** Of how many connections it is known that they are open. */
  open(): number {
    const nowMs = this.#parts.clock.nowMs();
    let open = 0;
    for (const connection of this.#all()) if (connection.isOpen(nowMs)) open++;
    return open;
  }

  /** How often there was no room to follow one. */
  get refused(): number {
    return this.#sdks.refused + this.#browsers.refused;
  }

  *#all(): Generator<Connection, void, void> {
    yield* this.#sdks;
    yield* this.#browsers;
  }

  /** Revisions that can be asked for: from there on. */
  get oldest(): number {
    return this.#floor + 1;
  }

  /** The newest revision that SDKs see something of, as far as is remembered. */
  get newest(): number | undefined {
    return this.#touches.at(this.#touches.length - 1)?.seq;
  }

  /**
   * How far a revision has come, among the partitions that the caller sees; null when it is not known any more what it touched. `isTold` says of which
   * projects the caller may know.
   */
  async spread(revision: number, isTold: (project: string) => boolean = () => true): Promise<Spread | null> {
    const { clock, exchange } = this.#parts;
    if (revision <= this.#floor) return null;
    const touch = this.#touchOf(revision);
    const touched = touch?.touched.filter((key) => isTold(key.slice(key.indexOf('/') + 1))) ?? [];
    const others = (await exchange?.others()) ?? new Map<string, RemoteConnection>();
    const tally = new Tally(revision, touch?.at ?? null, touched);
    const nowMs = clock.nowMs();
    const slicer = new Slicer();
    const met = new Set<string>();
    for (const connection of [...this.#all()]) {
      const remote = exchange ? others.get(exchange.keyOf(connection)) : undefined;
      if (remote && exchange) met.add(exchange.keyOf(connection));
      if (connection.isOpen(nowMs) || remote) tally.add(connection, remote);
      if (slicer.spent) await slicer.pause();
    }
    for (const [key, remote] of others) {
      if (!met.has(key)) tally.add(remote, undefined);
      if (slicer.spent) await slicer.pause();
    }
    return tally.spread();
  }

  /**
   * Resolves when so large a part of the connections that see something of the revision have received it, or after the time, with the part that
   * was: 1 when there are none. Sooner when `isOver` says that the answer is not needed any more.
   */
  async wait(revision: number, share: number, timeoutMs: number, isOver: () => boolean): Promise<number> {
    const { clock } = this.#parts;
    const untilMs = clock.nowMs() + timeoutMs;
    let reached = 0;
    for (;;) {
      const spread = await this.#look(revision);
      // So much was written meanwhile that it is not known any more: as far as was seen.
      if (spread === null) return reached;
      reached = spread.concerned === 0 ? 1 : spread.have / spread.concerned;
      if (reached >= share || clock.nowMs() >= untilMs || isOver() || this.#closed) return reached;
      await clock.sleep(Math.min(LOOK_EVERY_MS, Math.max(1, untilMs - clock.nowMs())), this.#stop.signal);
    }
  }

  /** One after another, each followed by a rest of four times as long: however many wait, all their looks take a fifth of a core. */
  #look(revision: number): Promise<Spread | null> {
    const look = this.#rested.then(async () => {
      const startMs = performance.now();
      const spread = await this.spread(revision);
      return { spread, restMs: REST_SHARE * (performance.now() - startMs) };
    });
    const isRested = look.then(({ restMs }) => rest(restMs, undefined, { ref: false }));
    this.#rested = isRested.catch(() => {});
    return look.then(({ spread }) => spread);
  }

  /** Begins to exchange what is known with other replicas. */
  start(): void {
    this.#parts.exchange?.start([
      [SDK_SERIES, this.#sdks],
      [BROWSER_SERIES, this.#browsers],
    ]);
  }

  /** Ends all waiting. */
  async close(): Promise<void> {
    this.#closed = true;
    this.#stop.abort();
    await this.#parts.exchange?.close();
  }

  /** Undefined when the revision touched nothing. They stand in their order. */
  #touchOf(revision: number): Touch | undefined {
    let low = 0;
    let high = this.#touches.length - 1;
    while (low <= high) {
      const middle = (low + high) >>> 1;
      const touch = this.#touches.at(middle) as Touch;
      if (touch.seq === revision) return touch;
      if (touch.seq < revision) low = middle + 1;
      else high = middle - 1;
    }
    return undefined;
  }

  /** All streams of a scope get the same texts. */
  #revisionOf(position: string): number {
    if (position !== this.#lastText) {
      this.#lastText = position;
      this.#lastRevision = revisionIn(position);
    }
    return this.#lastRevision;
  }
}

/** What receipts read of a head, for those who have to wait for their list: the head is gone afterwards. */
export function keptHead(head: HeaderSource): HeaderSource {
  const kept = new Map<string, string | undefined>();
  for (const name of [...CONNECTION_HEADERS, APP_HEADER]) kept.set(name, head.header(name));
  return { header: (name) => kept.get(name) };
}

function idIn(head: HeaderSource): string {
  for (const name of CONNECTION_HEADERS) {
    const id = head.header(name);
    if (id) return id;
  }
  return '';
}
