import { covers, type Scope } from '../../../model/caller.ts';
import type { PartitionKey } from '../../../state/revisions.ts';
import type { Connection } from './connections.ts';
import type { RemoteConnection } from './exchange.ts';

/** Applications that are listed as lagging, those with most connections first. */
const LAGGING_MAX = 100;

/** An application of which connections lack a revision. */
interface Lagging {
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
  /** Those of them that have received it. */
  readonly have: number;
  /** Those of them of which it is not known: they were first seen when the revision existed already, and have received nothing since. */
  readonly unknown: number;
  /** Milliseconds from the commit until they received it; null when that is known of none. */
  readonly tookMs: {
    readonly p50: number;
    readonly p99: number;
    readonly last: number;
    readonly connections: number;
  } | null;
  readonly lagging: readonly Lagging[];
}

/** What is counted of a revision. */
export class Tally {
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
