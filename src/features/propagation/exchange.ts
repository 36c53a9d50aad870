import { SERVICE } from '../../base/asking/asker.ts';
import type { Clock } from '../../base/clock.ts';
import { Slicer } from '../../base/yield-control.ts';
import type { Scope } from '../../model/caller.ts';
import { type Counters, newestBuckets, type Series, startOf } from '../../stores/counters.ts';
import { StoreError } from '../../stores/store.ts';
import type { CounterRecorder } from '../usage/counter-recorder.ts';
import { nameOf, namePart, partsOf } from '../usage/use-series.ts';
import type { Connection } from './connections.ts';

/** The interval between two flushes of changes to the store. The data of other replicas is read again if it is older than this. */
const EXCHANGE_EVERY_MS = 500;
/** SDKs send nothing over open streams, so open streams are reported again at this interval. */
const STREAMS_EVERY_MS = 60_000;

const SPAN_MS = 60_000;
const SPANS = 4;

/** History, connection, application, environment, projects → the revision of the list that the connection received, and when it received it. */
export const SDK_SERIES: Series = {
  name: 'connections',
  fold: 'max',
  spanMs: SPAN_MS,
  bucketsMax: SPANS,
  namesMax: 20_000,
  nameBytesMax: 4_000_000,
};

/** Same as `SDK_SERIES`, for streams of browsers. It is separate because browsers are many and their streams open and close often. */
export const BROWSER_SERIES: Series = { ...SDK_SERIES, name: 'browser-connections' };

const ID_LENGTH_MAX = 50;
const APP_LENGTH_MAX = 60;
/** Longer lists of projects are stored as `*`, all projects. */
const PROJECTS_LENGTH_MAX = 150;

/** Position and time are packed into one number. The time is counted in hundredths of a second within the span. */
const TIME_RANGE = 8_192;
const TIME_UNIT_MS = 10;

/** Stored instead of the position if a connection has ended permanently. No log has so many commits. */
const ENDED = 2 ** 39;

/** A connection as another replica reports it. */
export interface RemoteConnection {
  readonly appName: string;
  readonly scope: Scope;
  readonly firstMs: number;
  position: number;
  receivedMs(revision: number): number | undefined;
}

interface ConnectionExchangeParts {
  readonly counters: Counters;
  /** A recorder that is used only for this exchange. */
  readonly recorder: CounterRecorder;
  readonly clock: Clock;
  /** The mark of the history to which the revisions belong. */
  readonly mark: () => string;
}

/**
 * Exchanges information about connections between replicas, outside the log: an SDK that polls one replica and then another counts as one SDK. A
 * replica reads the data of other replicas at most twice a second, and only if an answer needs it.
 */
export class ConnectionExchange {
  readonly #parts: ConnectionExchangeParts;
  readonly #changed = new Map<Connection, Series>();
  readonly #keys = new WeakMap<Connection, string>();
  readonly #scopes = new Map<string, Scope>();
  #remoteConnections: Map<string, RemoteConnection> = new Map();
  #readMs = Number.NEGATIVE_INFINITY;
  #reading: Promise<Map<string, RemoteConnection>> | undefined;
  readonly #stop = new AbortController();
  #running: Promise<void> = Promise.resolve();

  constructor(parts: ConnectionExchangeParts) {
    this.#parts = parts;
  }

  /** Starts to flush changes. `connections` are all connections, with the series to which they are reported. */
  start(connections: readonly (readonly [Series, Iterable<Connection>])[]): void {
    this.#running = this.#run(connections);
  }

  async close(): Promise<void> {
    this.#stop.abort();
    await this.#running;
    await this.#parts.recorder.close();
  }

  /** Notes that the information about the connection has changed and must be reported. */
  note(connection: Connection, series: Series): void {
    this.#changed.set(connection, series);
  }

  /** The key by which all replicas identify the connection. */
  keyOf(connection: Connection): string {
    let key = this.#keys.get(connection);
    if (key === undefined) {
      const { id, appName, scope } = connection;
      const projects = scope.projects === null ? '*' : [...scope.projects].sort().join();
      key = nameOf(
        namePart(id, ID_LENGTH_MAX),
        namePart(appName, APP_LENGTH_MAX),
        scope.environment,
        projects.length > PROJECTS_LENGTH_MAX ? '*' : projects,
      );
      this.#keys.set(connection, key);
    }
    return key;
  }

  /** The connections that all replicas (also this one) have reported, by key. If the store is unreachable, returns the last known data. */
  remoteConnections(): Promise<Map<string, RemoteConnection>> {
    if (this.#parts.clock.nowMs() - this.#readMs < EXCHANGE_EVERY_MS) return Promise.resolve(this.#remoteConnections);
    this.#reading ??= this.#read().finally(() => {
      this.#reading = undefined;
    });
    return this.#reading;
  }

  async #read(): Promise<Map<string, RemoteConnection>> {
    const { counters, clock, mark } = this.#parts;
    const nowMs = clock.nowMs();
    const history = mark();
    const remoteConnections = new Map<string, RemoteConnection>();
    // Work of the service: all who ask share the connections of the replicas.
    const slicer = Slicer.of(SERVICE);
    try {
      for (const series of [SDK_SERIES, BROWSER_SERIES])
        for await (const bucket of counters.read(newestBuckets(series, nowMs, SPANS - 1))) {
          for (const [name, packed] of bucket.counts) {
            const [of = '', ...parts] = partsOf(name);
            if (of === history) this.#addReport(remoteConnections, parts, packed, bucket.startMs);
            if (slicer.spent) await slicer.pause();
          }
        }
      this.#remoteConnections = remoteConnections;
    } catch (error) {
      if (!(error instanceof StoreError)) throw error;
    }
    this.#readMs = clock.nowMs();
    return this.#remoteConnections;
  }

  /** Adds one report. Call it with the oldest bucket first: the oldest bucket with a position has the time when the position was received. */
  #addReport(
    remoteConnections: Map<string, RemoteConnection>,
    parts: readonly string[],
    packed: number,
    startMs: number,
  ): void {
    const position = Math.floor(packed / TIME_RANGE);
    const timeMs = startMs + (packed % TIME_RANGE) * TIME_UNIT_MS;
    const key = nameOf(...parts);
    const known = remoteConnections.get(key);
    if (position >= ENDED) {
      remoteConnections.delete(key);
      return;
    }
    if (known && known.position >= position) return;
    const [, appName = '', environment = '', projects = '*'] = parts;
    const scope = known?.scope ?? this.#scopeOf(environment, projects);
    const before = known?.position ?? 0;
    const receivedMs = (revision: number) => (revision > before && before > 0 ? timeMs : known?.receivedMs(revision));
    remoteConnections.set(key, { appName, scope, firstMs: known?.firstMs ?? startMs, position, receivedMs });
  }

  /** Returns the same object for equal scopes, so that results for a scope are computed only once. */
  #scopeOf(environment: string, projects: string): Scope {
    const key = `${environment}/${projects}`;
    let scope = this.#scopes.get(key);
    if (!scope) {
      if (this.#scopes.size >= 1_000) this.#scopes.clear();
      scope = { environment, projects: projects === '*' ? null : new Set(projects.split(',')) };
      this.#scopes.set(key, scope);
    }
    return scope;
  }

  async #run(all: readonly (readonly [Series, Iterable<Connection>])[]): Promise<void> {
    const { clock, recorder } = this.#parts;
    let streamsMs = clock.nowMs();
    while (!this.#stop.signal.aborted) {
      await clock.sleep(EXCHANGE_EVERY_MS, this.#stop.signal);
      // Work of the service: all who ask share the connections of the replicas.
      const slicer = Slicer.of(SERVICE);
      if (clock.nowMs() - streamsMs >= STREAMS_EVERY_MS) {
        streamsMs = clock.nowMs();
        for (const [series, connections] of all)
          for (const connection of connections) if (connection.streams > 0) this.#changed.set(connection, series);
      }
      if (this.#changed.size === 0) continue;
      const changed = [...this.#changed];
      this.#changed.clear();
      for (const [connection, series] of changed) {
        this.#count(connection, series);
        if (slicer.spent) await slicer.pause();
      }
      await recorder.flush();
    }
  }

  #count(connection: Connection, series: Series): void {
    const { clock, recorder, mark } = this.#parts;
    const nowMs = clock.nowMs();
    const startMs = startOf(series, nowMs);
    const receivedMs = connection.receivedMs(connection.position) ?? startMs;
    const units = Math.floor(Math.min(SPAN_MS - 1, Math.max(0, receivedMs - startMs)) / TIME_UNIT_MS);
    const name = nameOf(mark(), this.keyOf(connection));
    const position = connection.hasEnded ? ENDED : connection.position;
    recorder.count(series, name, position * TIME_RANGE + units, nowMs);
  }
}
