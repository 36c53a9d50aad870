import { randomBytes } from 'node:crypto';
import { getOrMake, newMap } from '../../base/get-or-make.ts';
import { shortened } from '../../base/shortened.ts';
import type { Scope } from '../../model/caller.ts';

/** Maximum length of a connection id. */
const ID_LENGTH_MAX = 100;
const APP_LENGTH_MAX = 100;

/** How long a connection counts as open after it was last seen. By default SDKs report every minute. */
const SILENCE_MIN_MS = 150_000;
const SILENCE_MAX_MS = 15 * 60_000;
/** The number of reporting intervals without contact after which a connection counts as closed. */
const SILENT_REPORTS = 2.5;

/** Number of receipts that are remembered for each connection. A receipt is a revision and the time when the SDK received its list. */
const RECEIPTS = 8;
/** Of the revisions that a connection receives within this time, only the latest is recorded. */
const RECEIPT_GAP_MS = 200;

/** Minimum time between two searches for closed connections. They are searched for if there is no capacity for a new connection. */
const SWEEP_EVERY_MS = 5_000;

/** What is known about one SDK: its identity, when it was last seen, which lists it received, and when it received them. */
export class Connection {
  readonly id: string;
  readonly scope: Scope;
  appName: string;
  /** When this process first saw the SDK. */
  readonly firstMs: number;
  lastSeenMs: number;
  silenceMs = SILENCE_MIN_MS;
  /** Whether the SDK sent no id. It cannot be recognized when it connects again, so the connection ends with its stream. */
  readonly isAnonymous: boolean;
  /** Number of open streams. */
  streams = 0;
  /** The revision of the newest list that the SDK received; 0 if it is unknown. */
  position = 0;
  readonly #positions = new Float64Array(RECEIPTS);
  readonly #times = new Float64Array(RECEIPTS);
  #count = 0;

  constructor(id: string, appName: string, scope: Scope, nowMs: number, isAnonymous = false) {
    this.id = id;
    this.isAnonymous = isAnonymous;
    this.appName = appName;
    this.scope = scope;
    this.firstMs = nowMs;
    this.lastSeenMs = nowMs;
  }

  get hasEnded(): boolean {
    return this.isAnonymous && this.streams === 0;
  }

  isOpen(nowMs: number): boolean {
    return this.streams > 0 || nowMs - this.lastSeenMs <= this.silenceMs;
  }

  /** Records the position of the SDK before its first receipt. The time when it reached this position is unknown. */
  setInitialPosition(position: number): void {
    if (this.#count === 0 && position > 0) this.#push(position, 0);
  }

  /** Records that the SDK has received the list of this revision. */
  recordReceipt(position: number, nowMs: number): void {
    this.lastSeenMs = nowMs;
    if (position <= this.position) return;
    const before = this.#count - 2;
    // A receipt that follows shortly after another one replaces it, so that older receipts stay stored.
    if (before >= 0 && nowMs - (this.#times[before % RECEIPTS] as number) < RECEIPT_GAP_MS) this.#count--;
    this.#push(position, nowMs);
  }

  /** Drops all receipts, because they belong to another history. */
  clearReceipts(): void {
    this.#count = 0;
    this.position = 0;
  }

  /** When the SDK received a list that contains the revision; undefined if it is unknown. */
  receivedMs(revision: number): number | undefined {
    const firstIndex = Math.max(0, this.#count - RECEIPTS);
    for (let at = firstIndex; at < this.#count; at++) {
      if ((this.#positions[at % RECEIPTS] as number) < revision) continue;
      // The time is valid only if the previous position is known and lower.
      const isOldest = at === firstIndex;
      const timeMs = this.#times[at % RECEIPTS] as number;
      return timeMs === 0 || (isOldest && firstIndex > 0) ? undefined : timeMs;
    }
    return undefined;
  }

  #push(position: number, timeMs: number): void {
    this.#positions[this.#count % RECEIPTS] = position;
    this.#times[this.#count % RECEIPTS] = timeMs;
    this.#count++;
    this.position = position;
  }
}

/**
 * The revision in an ETag or a stream position; 0 if there is none. The formats are `W/"<list>:<revision>.<mark>"`, `<revision>:<list>.<mark>` and,
 * for streams of browsers, `=<revision>-<scope>.<mark>`. The name of a list can consist of eight digits. Therefore the format of positions, which
 * never begins with `W/`, is tried first.
 */
export function revisionIn(text: string): number {
  const found = POSITION.exec(text) ?? LIST_TAG.exec(text);
  return Number(found?.[1] ?? 0);
}

const POSITION = /^["=]?(\d{1,15})(?:-|:[0-9a-f]{8}(?![0-9a-f]))/;
const LIST_TAG = /^(?:W\/)?"?[0-9a-f]{8,24}:(\d{1,15})/;

/** The SDKs that this process knows, by the scope of their tokens and by their ids. Bounded: SDKs above the limit are not tracked, only counted. */
export class Connections {
  readonly #max: number;
  readonly #scopes = new Map<Scope, Map<string, Connection>>();
  readonly #onChange: (connection: Connection) => void;
  #size = 0;
  #sweptMs = Number.NEGATIVE_INFINITY;
  /** Makes the generated ids unique among all processes. */
  readonly #process = randomBytes(6).toString('hex');
  #anonymousCount = 0;
  /** How often a connection was not tracked because of the limit. */
  refused = 0;

  /** `onChange` is called for each connection whose information has changed. */
  constructor(max: number, onChange: (connection: Connection) => void = () => {}) {
    this.#max = max;
    this.#onChange = onChange;
  }

  get size(): number {
    return this.#size;
  }

  *[Symbol.iterator](): Generator<Connection, void, void> {
    for (const connections of this.#scopes.values()) yield* connections.values();
  }

  find(scope: Scope, id: string): Connection | undefined {
    return this.#scopes.get(scope)?.get(id);
  }

  /** Records that an SDK is connected. `intervalMs` is the reporting interval that the SDK states, in milliseconds. */
  recordContact(scope: Scope, id: string, appName: string, nowMs: number, intervalMs?: number): Connection | undefined {
    const connection = this.find(scope, id) ?? this.#add(scope, id, appName, nowMs, false);
    if (!connection) return undefined;
    connection.lastSeenMs = nowMs;
    if (appName !== '') connection.appName = shortened(appName, APP_LENGTH_MAX);
    if (intervalMs !== undefined && Number.isFinite(intervalMs))
      connection.silenceMs = Math.min(SILENCE_MAX_MS, Math.max(SILENCE_MIN_MS, SILENT_REPORTS * intervalMs));
    this.#onChange(connection);
    return connection;
  }

  /** Records that an SDK with this id opens a stream; "" if it has no id. */
  open(scope: Scope, id: string, appName: string, nowMs: number): Connection | undefined {
    const connection =
      id === ''
        ? this.#add(scope, `stream ${this.#process} ${++this.#anonymousCount}`, appName, nowMs, true)
        : this.recordContact(scope, id, appName, nowMs);
    if (!connection) return undefined;
    connection.streams++;
    this.#onChange(connection);
    return connection;
  }

  /** Records that a stream has ended. The connection counts as closed immediately. An SDK that reconnects is tracked again. */
  recordStreamEnd(connection: Connection): void {
    connection.streams--;
    if (connection.streams > 0) return;
    connection.lastSeenMs = Number.NEGATIVE_INFINITY;
    if (!connection.hasEnded) return;
    if (this.#scopes.get(connection.scope)?.delete(connection.id)) this.#size--;
    this.#onChange(connection);
  }

  /** Records that a connection has received the list of the revision. */
  recordReceipt(connection: Connection, revision: number, nowMs: number): void {
    connection.recordReceipt(revision, nowMs);
    this.#onChange(connection);
  }

  /** Drops all receipts, because revisions of another history have no meaning in this one. Open streams stay and get their position again. */
  clear(): void {
    for (const [scope, connections] of this.#scopes) {
      for (const [id, connection] of connections) {
        if (connection.streams > 0) connection.clearReceipts();
        else if (connections.delete(id)) this.#size--;
      }
      if (connections.size === 0) this.#scopes.delete(scope);
    }
  }

  #add(scope: Scope, id: string, appName: string, nowMs: number, isAnonymous: boolean): Connection | undefined {
    if (id === '' || id.length > ID_LENGTH_MAX) return undefined;
    if (this.#size >= this.#max) this.sweep(nowMs);
    if (this.#size >= this.#max) {
      this.refused++;
      return undefined;
    }
    const connection = new Connection(id, shortened(appName, APP_LENGTH_MAX), scope, nowMs, isAnonymous);
    getOrMake(this.#scopes, scope, newMap<string, Connection>).set(id, connection);
    this.#size++;
    return connection;
  }

  /** Drops closed connections, unless they were dropped within the last five seconds. */
  sweep(nowMs: number): void {
    if (nowMs - this.#sweptMs < SWEEP_EVERY_MS) return;
    this.#sweptMs = nowMs;
    for (const [scope, connections] of this.#scopes) {
      for (const [id, connection] of connections) {
        if (connection.isOpen(nowMs)) continue;
        connections.delete(id);
        this.#size--;
      }
      if (connections.size === 0) this.#scopes.delete(scope);
    }
  }
}
