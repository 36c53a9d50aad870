import { randomBytes } from 'node:crypto';
import { getOrMake, newMap } from '../../../base/get-or-make.ts';
import { shortened } from '../../../base/shortened.ts';
import type { Scope } from '../../../model/caller.ts';

/** Longest text by which one is known. */
const ID_LENGTH_MAX = 100;
const APP_LENGTH_MAX = 100;

/** A connection counts as open for so long after it was last seen: by default reports come every minute. */
const SILENCE_MIN_MS = 150_000;
const SILENCE_MAX_MS = 15 * 60_000;
/** Reports that may be missed. */
const SILENT_REPORTS = 2.5;

/** Receipts that are remembered a connection. */
const RECEIPTS = 8;
/** Revisions that come closer than this count as one, the later of them. */
const RECEIPT_GAP_MS = 200;

/** How often it is looked for connections that are gone, when there is no room for another. */
const SWEEP_EVERY_MS = 5_000;

/** One SDK, as far as it is known: who it is, when it was last seen, and which lists it received when. */
export class Connection {
  readonly id: string;
  readonly scope: Scope;
  appName: string;
  /** When this process first saw it. */
  readonly firstMs: number;
  heardMs: number;
  silenceMs = SILENCE_MIN_MS;
  /** It has no name by which it could come back: with its stream it is gone. */
  readonly isNameless: boolean;
  /** Streams that are open. */
  streams = 0;
  /** The revision of the newest list that it received; 0 when that is not known. */
  position = 0;
  readonly #positions = new Float64Array(RECEIPTS);
  readonly #times = new Float64Array(RECEIPTS);
  #count = 0;

  constructor(id: string, appName: string, scope: Scope, nowMs: number, isNameless = false) {
    this.id = id;
    this.isNameless = isNameless;
    this.appName = appName;
    this.scope = scope;
    this.firstMs = nowMs;
    this.heardMs = nowMs;
  }

  get isGone(): boolean {
    return this.isNameless && this.streams === 0;
  }

  isOpen(nowMs: number): boolean {
    return this.streams > 0 || nowMs - this.heardMs <= this.silenceMs;
  }

  /** It stood here before its first receipt: when it came there is not known. */
  begin(position: number): void {
    if (this.#count === 0 && position > 0) this.#push(position, 0);
  }

  /** It has received the list of this revision. */
  give(position: number, nowMs: number): void {
    this.heardMs = nowMs;
    if (position <= this.position) return;
    const before = this.#count - 2;
    // The newest is put out by what follows it closely, so that one of long ago is not.
    if (before >= 0 && nowMs - (this.#times[before % RECEIPTS] as number) < RECEIPT_GAP_MS) this.#count--;
    this.#push(position, nowMs);
  }

  /** What it received is of another history. */
  forget(): void {
    this.#count = 0;
    this.position = 0;
  }

  /** When it received something that contains the revision; undefined when that is not known. */
  givenMs(revision: number): number | undefined {
    const first = Math.max(0, this.#count - RECEIPTS);
    for (let at = first; at < this.#count; at++) {
      if ((this.#positions[at % RECEIPTS] as number) < revision) continue;
      // What it had before must be known to be less.
      const isFirst = at === first;
      const timeMs = this.#times[at % RECEIPTS] as number;
      return timeMs === 0 || (isFirst && first > 0) ? undefined : timeMs;
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
 * Revisions stand beside a colon in ETags and positions, and before a hyphen in those of browsers' streams: `W/"<list>:<revision>.<mark>"`,
 * `<revision>:<list>.<mark>`, `=<revision>-<scope>.<mark>`. What names a list may be eight digits: a position is asked for first,
 * and is never weak. 0 for none.
 */
export function revisionIn(text: string): number {
  const found = POSITION.exec(text) ?? LIST_TAG.exec(text);
  return Number(found?.[1] ?? 0);
}

const POSITION = /^["=]?(\d{1,15})(?:-|:[0-9a-f]{8}(?![0-9a-f]))/;
const LIST_TAG = /^(?:W\/)?"?[0-9a-f]{8,24}:(\d{1,15})/;

/** The SDKs that this process knows, by what their tokens see and by what they call themselves. Bounded: those beyond are not followed, and counted. */
export class Connections {
  readonly #max: number;
  readonly #scopes = new Map<Scope, Map<string, Connection>>();
  readonly #isFollowed: (connection: Connection) => void;
  #size = 0;
  #sweptMs = Number.NEGATIVE_INFINITY;
  /** No other process makes the same names up. */
  readonly #process = randomBytes(6).toString('hex');
  #nameless = 0;
  /** How often there was no room for one. */
  refused = 0;

  /** `changed` is called for each connection of which something new is known. */
  constructor(max: number, changed: (connection: Connection) => void = () => {}) {
    this.#max = max;
    this.#isFollowed = changed;
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

  /** One is there. `everyMs` is how often it says it reports. */
  hear(scope: Scope, id: string, appName: string, nowMs: number, everyMs?: number): Connection | undefined {
    const connection = this.find(scope, id) ?? this.#add(scope, id, appName, nowMs, false);
    if (!connection) return undefined;
    connection.heardMs = nowMs;
    if (appName !== '') connection.appName = shortened(appName, APP_LENGTH_MAX);
    if (everyMs !== undefined && Number.isFinite(everyMs))
      connection.silenceMs = Math.min(SILENCE_MAX_MS, Math.max(SILENCE_MIN_MS, SILENT_REPORTS * everyMs));
    this.#isFollowed(connection);
    return connection;
  }

  /** A stream is opened, by one that calls itself so; "" when it has no name. */
  open(scope: Scope, id: string, appName: string, nowMs: number): Connection | undefined {
    const connection =
      id === ''
        ? this.#add(scope, `stream ${this.#process} ${++this.#nameless}`, appName, nowMs, true)
        : this.hear(scope, id, appName, nowMs);
    if (!connection) return undefined;
    connection.streams++;
    this.#isFollowed(connection);
    return connection;
  }

  /** Its stream has ended. It is not waited for; an SDK that comes back is known again. */
  leave(connection: Connection): void {
    connection.streams--;
    if (connection.streams > 0) return;
    connection.heardMs = Number.NEGATIVE_INFINITY;
    if (!connection.isGone) return;
    if (this.#scopes.get(connection.scope)?.delete(connection.id)) this.#size--;
    this.#isFollowed(connection);
  }

  /** One has received the list of the revision. */
  give(connection: Connection, revision: number, nowMs: number): void {
    connection.give(revision, nowMs);
    this.#isFollowed(connection);
  }

  /** Revisions of another history are none of this one. Streams stay: they are open, and are sent their position again. */
  clear(): void {
    for (const [scope, connections] of this.#scopes) {
      for (const [id, connection] of connections) {
        if (connection.streams > 0) connection.forget();
        else if (connections.delete(id)) this.#size--;
      }
      if (connections.size === 0) this.#scopes.delete(scope);
    }
  }

  #add(scope: Scope, id: string, appName: string, nowMs: number, isNameless: boolean): Connection | undefined {
    if (id === '' || id.length > ID_LENGTH_MAX) return undefined;
    if (this.#size >= this.#max) this.sweep(nowMs);
    if (this.#size >= this.#max) {
      this.refused++;
      return undefined;
    }
    const connection = new Connection(id, shortened(appName, APP_LENGTH_MAX), scope, nowMs, isNameless);
    getOrMake(this.#scopes, scope, newMap<string, Connection>).set(id, connection);
    this.#size++;
    return connection;
  }

  /** Forgets those that are gone; now and then only. */
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
