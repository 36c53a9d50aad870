import { covers, type Scope } from '../../model/caller.ts';
import type { PartitionKey } from '../../state/revisions.ts';
import type { Connection } from './connections.ts';
import type { RemoteConnection } from './exchange.ts';

/** Maximum number of listed lagging applications. Applications with more lagging connections come first. */
const LAGGING_MAX = 100;

/** An application with connections that do not have the revision. */
interface Lagging {
  readonly appName: string;
  readonly environment: string;
  connections: number;
  /** The newest revision that all of these connections have; 0 if unknown. */
  revision: number;
}

/** The application and environment that get a revision last. */
interface Slowest {
  readonly appName: string;
  readonly environment: string;
  /** Milliseconds from the commit until its last connection received the revision; null if it has connections that have not received it. */
  readonly tookMs: number | null;
}

/** The propagation of a revision. */
export interface Spread {
  readonly revision: number;
  /** Time of the commit; null if it changed nothing that SDKs see. */
  readonly at: string | null;
  /** Number of open connections. */
  readonly connected: number;
  /** Number of open connections whose scope covers the changes, without the `unknown` ones. */
  readonly concerned: number;
  /** Number of concerned connections that have received the revision. */
  readonly have: number;
  /**
   * Number of connections that see the changes and whose position is unknown: they were first seen after the commit and have received no list since.
   */
  readonly unknown: number;
  /** Milliseconds from the commit until connections received the revision; null if no time is known. */
  readonly tookMs: {
    readonly p50: number;
    readonly p99: number;
    readonly last: number;
    readonly connections: number;
  } | null;
  readonly lagging: readonly Lagging[];
}

/** Counts the connections that have one revision, and those that do not. */
export class Tally {
  readonly #revision: number;
  readonly #at: string | null;
  readonly #atMs: number;
  readonly #touched: readonly PartitionKey[];
  /** Scope → whether the changes concern it. */
  readonly #concerned = new Map<Scope, boolean>();
  readonly #lagging = new Map<string, Lagging>();
  readonly #tookMs: number[] = [];
  #slowest: Slowest | null = null;
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

  add(connection: Connection | RemoteConnection, remote: RemoteConnection | undefined): void {
    this.#connected++;
    if (!this.#isConcerned(connection.scope)) return;
    this.#count++;
    const position = Math.max(connection.position, remote?.position ?? 0);
    if (position >= this.#revision) {
      this.#have++;
      const receivedMs =
        connection.position >= this.#revision
          ? connection.receivedMs(this.#revision)
          : remote?.receivedMs(this.#revision);
      if (receivedMs !== undefined) this.#take(connection, Math.max(0, receivedMs - this.#atMs));
    } else if (position === 0 && connection.firstMs > this.#atMs) this.#unknown++;
    else this.#lag(connection, position);
  }

  #take({ appName, scope: { environment } }: Connection | RemoteConnection, tookMs: number): void {
    this.#tookMs.push(tookMs);
    if (tookMs > (this.#slowest?.tookMs ?? -1)) this.#slowest = { appName, environment, tookMs };
  }

  /** The application with the most lagging connections; if none lag, the one that received the revision last. Null if no time is known. */
  get slowest(): Slowest | null {
    let most: Lagging | undefined;
    for (const lagging of this.#lagging.values()) if (lagging.connections > (most?.connections ?? 0)) most = lagging;
    if (!most) return this.#slowest;
    const { appName, environment } = most;
    return { appName, environment, tookMs: null };
  }

  spread(): Spread {
    // Numbers in a typed array are sorted without calling back for each comparison.
    const tookMs = Float64Array.from(this.#tookMs).sort();
    const { length } = tookMs;
    const at = (part: number) => tookMs[Math.min(length - 1, Math.floor(length * part))] as number;
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
