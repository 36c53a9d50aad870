import { setTimeout as rest } from 'node:timers/promises';
import type { Clock } from '../base/clock.ts';
import { Slicer } from '../base/yield-control.ts';
import { covers, type Scope } from '../model/caller.ts';
import type { PartitionKey } from '../state/revisions.ts';
import type { AppliedCommit, State } from '../state/state.ts';
import type { ConnectionExchange, RemoteConnection } from './connection-exchange.ts';
import { type Connection, Connections, revisionIn } from './connections.ts';

/** Commits that are remembered by what they touched and when they were made. */
const COMMITS_MAX = 1_024;

/** What all of these touched. A segment may be used in every project: of such commits fewer are remembered, but always the newest. */
const TOUCHED_MAX = 50_000;

/** Applications that are told of as lagging, those with most connections first. */
const LAGGING_MAX = 100;

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

/** An application of which connections lack a revision. */
export interface Lagging {
  readonly appName: string;
  readonly environment: string;
  connections: number;
  /** The newest revision that all of them have; 0 when that is not known. */
  revision: number;
}

/** How far a revision has come. */
export interface Spread {
  readonly revision: number;
  /** When it was made; null for one that changed nothing that SDKs see. */
  readonly at: string | null;
  /** Connections that are open, whatever they see. */
  readonly connected: number;
  /** Those of them that see something of what changed. */
  readonly concerned: number;
  /** Those of them that were given it. */
  readonly have: number;
  /** Those of them of which it is not known: they were heard of first when the revision was there already, and have not been given anything since. */
  readonly unknown: number;
  /** Milliseconds from the commit until they were given it; null when that is known of none. */
  readonly tookMs: {
    readonly p50: number;
    readonly p99: number;
    readonly last: number;
    readonly connections: number;
  } | null;
  readonly lagging: readonly Lagging[];
}

/** Reads what the head of a request says. */
export interface HeaderSource {
  header(name: string): string | undefined;
}

export interface PropagationParts {
  readonly state: State;
  readonly clock: Clock;
  /** With a shared store: what other replicas know. */
  readonly exchange: ConnectionExchange | null;
}

/** A stream that is open. */
export interface StreamReceipts {
  /** Everything up to this position was handed to its socket. */
  given(position: string): void;
  left(): void;
}

/**
 * How far changes have come: which SDKs are connected, and which list each was given. Known from what polls with a list that is not the newest
 * any more say in passing, from streams, and from reports; a poll that finds nothing changed tells nothing and pays nothing
 * (docs/decisions/propagation.md).
 */
export class Propagation {
  readonly connections: Connections;
  readonly #parts: PropagationParts;
  readonly #touches: Touch[] = [];
  #touched = 0;
  /** Of commits after this one everything is known. */
  #floor: number;
  #streams = 0;
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
    this.connections = new Connections((connection) => parts.exchange?.note(connection));
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

  /** Another state took the place of the one there was: what is known is of a history that may not be this one. */
  replaced(): void {
    this.#touches.length = 0;
    this.#touched = 0;
    this.#floor = this.#parts.state.seq;
    this.connections.clear();
  }

  /** An SDK reports, or has begun. `bodyId` is what it says in the body. */
  heard(scope: Scope, appName: string, bodyId: string | null | undefined, head: HeaderSource): void {
    const id = bodyId || idIn(head);
    if (id === '') return;
    this.connections.hear(scope, id, appName, this.#parts.clock.nowMs(), Number(head.header('unleash-interval')));
  }

  /**
   * A poll that named an older list is given the one of `revision`. Nothing of it is asked for of polls that name no list or the newest one.
   */
  given(scope: Scope, known: string, revision: number, head: HeaderSource): void {
    const id = idIn(head);
    if (id === '') return;
    this.receipts++;
    const nowMs = this.#parts.clock.nowMs();
    const connection =
      this.connections.find(scope, id) ?? this.connections.hear(scope, id, head.header(APP_HEADER) ?? '', nowMs);
    if (!connection) return;
    if (connection.position === 0) connection.begin(revisionIn(known));
    this.connections.give(connection, revision, nowMs);
  }

  /** The same for one that has to wait for its list: the head is read now, the receipt given with the revision. */
  receipt(scope: Scope, known: string, head: HeaderSource): (revision: number) => void {
    const said = new Map([...CONNECTION_HEADERS, APP_HEADER].map((name) => [name, head.header(name)]));
    return (revision) => this.given(scope, known, revision, { header: (name) => said.get(name as typeof APP_HEADER) });
  }

  /** A stream begins. Undefined when there is no room to follow it. */
  joined(scope: Scope, head: HeaderSource): StreamReceipts | undefined {
    const { clock } = this.#parts;
    const id = idIn(head) || `stream ${++this.#streams}`;
    const connection = this.connections.hear(scope, id, head.header(APP_HEADER) ?? '', clock.nowMs());
    if (!connection) return undefined;
    connection.streams++;
    return {
      given: (position) => {
        const revision = this.#revisionOf(position);
        this.receipts++;
        // With its first list it gets what was there long before it came.
        if (connection.position === 0) connection.begin(revision);
        this.connections.give(connection, revision, clock.nowMs());
      },
      left: () => {
        connection.streams--;
        // Nobody waits for it; who comes back is known again.
        if (connection.streams === 0) connection.heardMs = Number.NEGATIVE_INFINITY;
      },
    };
  }

  /** Of how many connections it is known that they are open. */
  open(): number {
    const nowMs = this.#parts.clock.nowMs();
    let open = 0;
    for (const connection of this.connections) if (connection.isOpen(nowMs)) open++;
    return open;
  }

  /** Revisions that can be asked for: from there on. */
  get oldest(): number {
    return this.#floor + 1;
  }

  /** The newest revision that SDKs see something of, as far as is remembered. */
  get newest(): number | undefined {
    return this.#touches.at(-1)?.seq;
  }

  /**
   * How far a revision has come, among what is to be told of; null when it is not known any more what it touched. `isTold` says of which
   * projects the caller may know.
   */
  async spread(revision: number, isTold: (project: string) => boolean = () => true): Promise<Spread | null> {
    const { clock, exchange } = this.#parts;
    if (revision <= this.#floor) return null;
    const touch = this.#touches.find(({ seq }) => seq === revision);
    const touched = touch?.touched.filter((key) => isTold(key.slice(key.indexOf('/') + 1))) ?? [];
    const others = (await exchange?.others()) ?? new Map<string, RemoteConnection>();
    const tally = new Tally(revision, touch?.at ?? null, touched);
    const nowMs = clock.nowMs();
    const slicer = new Slicer();
    const met = new Set<string>();
    for (const connection of [...this.connections]) {
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
   * Resolves when so large a part of the connections that see something of the revision were given it, or after the time, with the part that
   * was: 1 when there are none. Sooner when `isOver` says that nobody wants to know any more.
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

  /** Begins to tell other replicas, and to hear of them. */
  start(): void {
    this.#parts.exchange?.start(this.connections);
  }

  /** Nobody waits any longer. */
  async close(): Promise<void> {
    this.#closed = true;
    this.#stop.abort();
    await this.#parts.exchange?.close();
  }

  /** All streams of a scope are given the same texts. */
  #revisionOf(position: string): number {
    if (position !== this.#lastText) {
      this.#lastText = position;
      this.#lastRevision = revisionIn(position);
    }
    return this.#lastRevision;
  }
}

function idIn(head: HeaderSource): string {
  for (const name of CONNECTION_HEADERS) {
    const id = head.header(name);
    if (id) return id;
  }
  return '';
}

/** What is counted of a revision. */
class Tally {
  readonly #revision: number;
  readonly #at: string | null;
  readonly #atMs: number;
  readonly #touched: readonly PartitionKey[];
  /** Asked once a scope. */
  readonly #concerned = new Map<Scope, boolean>();
  readonly #lagging = new Map<string, Lagging>();
  readonly #tookMs: number[] = [];
  #connected = 0;
  #count = 0;
  #have = 0;
  #unknown = 0;

  constructor(revision: number, at: string | null, touched: readonly PartitionKey[]) {
    this.#revision = revision;
    this.#at = at;
    this.#atMs = at === null ? 0 : Date.parse(at);
    this.#touched = touched;
  }

  add(one: Connection | RemoteConnection, remote: RemoteConnection | undefined): void {
    this.#connected++;
    if (!this.#isConcerned(one.scope)) return;
    this.#count++;
    const position = Math.max(one.position, remote?.position ?? 0);
    if (position >= this.#revision) {
      this.#have++;
      const givenMs = one.position >= this.#revision ? one.givenMs(this.#revision) : remote?.givenMs(this.#revision);
      if (givenMs !== undefined) this.#tookMs.push(Math.max(0, givenMs - this.#atMs));
    } else if (position === 0 && one.firstMs > this.#atMs) this.#unknown++;
    else this.#lag(one, position);
  }

  spread(): Spread {
    const { length } = this.#tookMs.sort((left, right) => left - right);
    const at = (part: number) => this.#tookMs[Math.min(length - 1, Math.floor(length * part))] as number;
    const lagging = [...this.#lagging.values()].sort((left, right) => right.connections - left.connections);
    return {
      revision: this.#revision,
      at: this.#at,
      connected: this.#connected,
      concerned: this.#count - this.#unknown,
      have: this.#have,
      unknown: this.#unknown,
      tookMs: length === 0 ? null : { p50: at(0.5), p99: at(0.99), last: at(1), connections: length },
      lagging: lagging.slice(0, LAGGING_MAX),
    };
  }

  #lag({ appName, scope: { environment } }: Connection | RemoteConnection, position: number): void {
    const key = JSON.stringify([appName, environment]);
    const lagging = this.#lagging.get(key);
    if (!lagging) this.#lagging.set(key, { appName, environment, connections: 1, revision: position });
    else {
      lagging.connections++;
      lagging.revision = Math.min(lagging.revision, position);
    }
  }

  #isConcerned(scope: Scope): boolean {
    let isConcerned = this.#concerned.get(scope);
    if (isConcerned === undefined) {
      const prefix = `${scope.environment}/`;
      isConcerned = this.#touched.some((key) => key.startsWith(prefix) && covers(scope, key.slice(prefix.length)));
      this.#concerned.set(scope, isConcerned);
    }
    return isConcerned;
  }
}
