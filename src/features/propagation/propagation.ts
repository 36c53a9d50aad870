import { setTimeout as rest } from 'node:timers/promises';
import type { Asker } from '../../base/asking/asker.ts';
import type { Clock } from '../../base/clock.ts';
import { Fifo } from '../../base/queues/fifo.ts';
import { inSlices, Slicer, type Steps } from '../../base/yield-control.ts';
import type { Scope } from '../../model/caller.ts';
import type { PartitionKey } from '../../state/revisions.ts';
import type { AppliedCommit, State } from '../../state/state.ts';
import { type Connection, Connections, revisionIn } from './connections.ts';
import { BROWSER_SERIES, type ConnectionExchange, type RemoteConnection, SDK_SERIES } from './exchange.ts';
import { type Spread, Tally } from './spread.ts';

/** Maximum number of tracked connections. Browsers have their own quota, because every visitor of a page has the token of browsers. */
const SDKS_MAX = 20_000;
const BROWSERS_MAX = 10_000;

/** Maximum number of commits whose touched partitions and times are remembered. */
const COMMITS_MAX = 1_024;

/**
 * Maximum number of touched partitions of all these commits. If a segment is used in every project, a commit touches many partitions: then fewer
 * commits are remembered, but always the newest one.
 */
const TOUCHED_MAX = 50_000;

/** The pause after a count of the connections is this many times as long as the count. */
const PAUSE_FACTOR = 4;
/** How often waiting requests ask for a count of the connections. */
const COUNT_EVERY_MS = 100;

/** Headers with the id of an SDK's connection. */
const CONNECTION_HEADERS = ['unleash-connection-id', 'x-unleash-connection-id'] as const;
const APP_HEADER = 'unleash-appname';

/** The partitions that one commit touched. */
export interface Touch {
  readonly seq: number;
  /** RFC 3339. */
  readonly at: string;
  readonly touched: readonly PartitionKey[];
}

/** Reads the headers of a request. */
export interface HeaderSource {
  header(name: string): string | undefined;
}

interface PropagationParts {
  readonly state: State;
  readonly clock: Clock;
  /** The connections of other replicas; null without a shared store. */
  readonly exchange: ConnectionExchange | null;
}

/** Receives the receipts of an open stream. */
interface StreamReceipts {
  /** Records that all changes up to this position were written to the socket. */
  recordReceipt(position: string): void;
  /** Records that the stream has ended. */
  recordEnd(): void;
}

/**
 * Tracks the propagation of changes: which SDKs are connected, and which list each has received. The sources are polls that name an outdated list,
 * streams and reports. A poll without a filter for an unchanged list adds no information and has no cost (docs/decisions/propagation.md).
 */
export class Propagation {
  readonly #sdks: Connections;
  /** Streams of browsers. A browser that polls is not tracked. */
  readonly #browsers: Connections;
  readonly #parts: PropagationParts;
  readonly #touches = new Fifo<Touch>();
  #touched = 0;
  /** Only for commits after this revision, it is known what they touched. */
  #floor: number;
  #lastText = '';
  #lastRevision = 0;
  /** Resolves when the pause after the last count has ended. */
  #pauseEnded: Promise<void> = Promise.resolve();
  #closed = false;
  readonly #stop = new AbortController();
  /** Number of receipts since the process started. */
  receipts = 0;

  constructor(parts: PropagationParts) {
    this.#parts = parts;
    this.#floor = parts.state.seq;
    this.#sdks = new Connections(SDKS_MAX, (connection) => parts.exchange?.note(connection, SDK_SERIES));
    this.#browsers = new Connections(BROWSERS_MAX, (connection) => parts.exchange?.note(connection, BROWSER_SERIES));
  }

  /** Called for every applied commit. */
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

  /** Called when another state has replaced the current one. The known receipts may belong to another history, so they are dropped. */
  reset(): void {
    this.#touches.clear();
    this.#touched = 0;
    this.#floor = this.#parts.state.seq;
    this.#sdks.clear();
    this.#browsers.clear();
  }

  /** Called when an SDK has sent a report or a registration. `bodyId` is the connection id in the body. */
  recordContact(scope: Scope, appName: string, bodyId: string | null | undefined, head: HeaderSource): void {
    const id = bodyId || connectionIdIn(head);
    if (id === '') return;
    this.#sdks.recordContact(scope, id, appName, this.#parts.clock.nowMs(), Number(head.header('unleash-interval')));
  }

  /** Called when a poll that named an older list receives the list of `revision`. Not called for polls that name no list or the newest list. */
  recordReceipt(scope: Scope, known: string, revision: number, head: HeaderSource): void {
    const connection = this.#pollerOf(scope, head);
    if (!connection) return;
    this.receipts++;
    if (connection.position === 0) {
      const before = revisionIn(known);
      // If not, the poll names a list of another history, and the earlier position of the SDK is unknown.
      if (before < revision) connection.setInitialPosition(before);
    }
    this.#sdks.recordReceipt(connection, revision, this.#parts.clock.nowMs());
  }

  /**
   * Called when a poll with a filter has all flags of `revision` that it requests and that its token covers. The list that it names gives no
   * information about its earlier revision: the time of receipt is known only for a connection whose earlier position is known.
   */
  recordFilteredReceipt(scope: Scope, revision: number, head: HeaderSource): void {
    const connection = this.#pollerOf(scope, head);
    // Most of these polls receive no newer revision.
    if (!connection || connection.position >= revision) return;
    this.receipts++;
    if (connection.position === 0) connection.setInitialPosition(revision);
    this.#sdks.recordReceipt(connection, revision, this.#parts.clock.nowMs());
  }

  /**
   * The connection of the polling SDK. If it was not tracked before, it is tracked from now on. Undefined if it sends no id, or if there is no
   * capacity to track it.
   */
  #pollerOf(scope: Scope, head: HeaderSource): Connection | undefined {
    const id = connectionIdIn(head);
    if (id === '') return undefined;
    const { clock } = this.#parts;
    return (
      this.#sdks.find(scope, id) ?? this.#sdks.recordContact(scope, id, head.header(APP_HEADER) ?? '', clock.nowMs())
    );
  }

  /** Called when a stream has started. Returns undefined if there is no capacity to track it. */
  openStream(scope: Scope, head: HeaderSource): StreamReceipts | undefined {
    return this.#follow(this.#sdks, scope, connectionIdIn(head), head.header(APP_HEADER) ?? '');
  }

  /** Called when a browser's stream has started. It is always a new connection, because a browser could send the id of any connection. */
  openBrowserStream(scope: Scope, appName: string): StreamReceipts | undefined {
    return this.#follow(this.#browsers, scope, '', appName);
  }

  #follow(connections: Connections, scope: Scope, id: string, appName: string): StreamReceipts | undefined {
    const { clock } = this.#parts;
    const connection = connections.open(scope, id, appName, clock.nowMs());
    if (!connection) return undefined;
    return {
      recordReceipt: (position) => {
        const revision = this.#revisionOf(position);
        this.receipts++;
        // The first list of a stream contains revisions from long before it opened, so its time is not recorded.
        if (connection.position === 0) connection.setInitialPosition(revision);
        connections.recordReceipt(connection, revision, clock.nowMs());
      },
      recordEnd: () => connections.recordStreamEnd(connection),
    };
  }

  /** Number of connections that are known to be open. */
  open(): number {
    const nowMs = this.#parts.clock.nowMs();
    let open = 0;
    for (const connection of this.#all()) if (connection.isOpen(nowMs)) open++;
    return open;
  }

  /** How often a connection was not tracked because the limit was reached. */
  get refused(): number {
    return this.#sdks.refused + this.#browsers.refused;
  }

  *#all(): Generator<Connection, void, void> {
    yield* this.#sdks;
    yield* this.#browsers;
  }

  /** The oldest revision for which information exists. */
  get oldest(): number {
    return this.#floor + 1;
  }

  /** The newest remembered revision that changed something that SDKs see. */
  get newest(): number | undefined {
    return this.#touches.at(this.#touches.length - 1)?.seq;
  }

  /**
   * The propagation of a revision in the partitions that the caller may see; null if it is no longer known what the revision touched. `isVisible`
   * decides which projects the caller may see.
   */
  async spread(
    revision: number,
    asker: Asker,
    isVisible: (project: string) => boolean = () => true,
  ): Promise<Spread | null> {
    if (revision <= this.#floor) return null;
    const touch = this.#touchOf(revision);
    const touched = touch?.touched.filter((key) => isVisible(projectOf(key))) ?? [];
    const tally = new Tally(revision, touch?.at ?? null, touched);
    await this.count([tally], asker);
    return tally.spread();
  }

  /** Counts the open connections of all replicas, in each tally. */
  async count(tallies: readonly Tally[], asker: Asker): Promise<void> {
    const remoteConnections = (await this.#parts.exchange?.remoteConnections()) ?? new Map<string, RemoteConnection>();
    await inSlices(this.#count(tallies, remoteConnections), Slicer.of(asker));
  }

  *#count(tallies: readonly Tally[], remoteConnections: ReadonlyMap<string, RemoteConnection>): Steps<void> {
    const { clock, exchange } = this.#parts;
    const nowMs = clock.nowMs();
    const knownKeys = new Set<string>();
    function* add(connection: Connection | RemoteConnection, remote?: RemoteConnection): Steps<void> {
      for (const tally of tallies) {
        tally.add(connection, remote);
        yield;
      }
    }
    for (const connection of [...this.#all()]) {
      const remote = exchange ? remoteConnections.get(exchange.keyOf(connection)) : undefined;
      if (remote && exchange) knownKeys.add(exchange.keyOf(connection));
      if (connection.isOpen(nowMs) || remote) yield* add(connection, remote);
    }
    for (const [key, remote] of remoteConnections) if (!knownKeys.has(key)) yield* add(remote);
  }

  /** The remembered commits that changed something that SDKs see, newest first. */
  *newestTouches(): Generator<Touch, void, void> {
    for (let index = this.#touches.length - 1; index >= 0; index--) yield this.#touches.at(index) as Touch;
  }

  /**
   * Resolves when this share of the connections that see the revision's changes have received it, or after the timeout. Returns the reached share: 1
   * if there are no such connections. Resolves earlier if `isEnded` returns true.
   * @throws AskerEnded if the asker has ended
   */
  async wait(
    revision: number,
    share: number,
    timeoutMs: number,
    asker: Asker,
    isEnded: () => boolean,
  ): Promise<number> {
    const { clock } = this.#parts;
    const untilMs = clock.nowMs() + timeoutMs;
    let reached = 0;
    for (;;) {
      const spread = await this.countAlone(() => this.spread(revision, asker));
      // During the wait, so many commits were made that the revision is no longer remembered. The last known share is returned.
      if (spread === null) return reached;
      reached = spread.concerned === 0 ? 1 : spread.have / spread.concerned;
      if (reached >= share || clock.nowMs() >= untilMs || isEnded() || this.#closed) return reached;
      await clock.sleep(Math.min(COUNT_EVERY_MS, Math.max(1, untilMs - clock.nowMs())), this.#stop.signal);
    }
  }

  /**
   * Runs a count for waiting requests or for streams. Only one count runs at a time, and a pause of four times its duration follows. So all counts
   * together use at most a fifth of a core, for any number of waiting requests.
   */
  countAlone<Result>(run: () => Promise<Result>): Promise<Result> {
    const count = this.#pauseEnded.then(async () => {
      const startMs = performance.now();
      const result = await run();
      return { result, pauseMs: PAUSE_FACTOR * (performance.now() - startMs) };
    });
    const pauseEnded = count.then(({ pauseMs }) => rest(pauseMs, undefined, { ref: false }));
    this.#pauseEnded = pauseEnded.catch(() => {});
    return count.then(({ result }) => result);
  }

  /** Starts the exchange with other replicas. */
  start(): void {
    this.#parts.exchange?.start([
      [SDK_SERIES, this.#sdks],
      [BROWSER_SERIES, this.#browsers],
    ]);
  }

  /** Ends all waits. */
  async close(): Promise<void> {
    this.#closed = true;
    this.#stop.abort();
    await this.#parts.exchange?.close();
  }

  /** The remembered commit of the revision; undefined if the revision touched nothing. `#touches` is sorted by revision. */
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

  /** All streams of a scope get the same texts, so the last result is cached. */
  #revisionOf(position: string): number {
    if (position !== this.#lastText) {
      this.#lastText = position;
      this.#lastRevision = revisionIn(position);
    }
    return this.#lastRevision;
  }
}

/** A copy of the headers that receipts need, for requests that have to wait for their list: the original headers are not available afterwards. */
export function copyOfReceiptHeaders(head: HeaderSource): HeaderSource {
  const kept = new Map<string, string | undefined>();
  for (const name of [...CONNECTION_HEADERS, APP_HEADER]) kept.set(name, head.header(name));
  return { header: (name) => kept.get(name) };
}

export function projectOf(key: PartitionKey): string {
  return key.slice(key.indexOf('/') + 1);
}

/** The id of the SDK that sends the request; "" if it sends none. */
export function connectionIdIn(head: HeaderSource): string {
  for (const name of CONNECTION_HEADERS) {
    const id = head.header(name);
    if (id) return id;
  }
  return '';
}
