import { percentile } from '../support/report.ts';

const SHARES = [0.5, 0.99, 1] as const;

/**
 * How far one change has reached the fleet. Times are milliseconds since the change was sent; null if the change has not reached that share of the
 * clients.
 */
export interface ChangeReach {
  readonly revision: number;
  readonly acknowledgedMs: number;
  readonly reach50Ms: number | null;
  readonly reach99Ms: number | null;
  readonly reach100Ms: number | null;
}

interface Tracked {
  readonly revision: number;
  readonly sentAtMs: number;
  readonly acknowledgedMs: number;
  reached: number;
  readonly reachedMs: (number | null)[];
}

/**
 * Tracks when each change reached each client. The acknowledgement of a change names its revision; the ETag of a client names the revision of its
 * list, which has every change up to that revision.
 */
export class Propagation {
  /** The changes, ascending by revision. */
  readonly #changes: Tracked[] = [];
  /** For each client: its revision, since when, and the index of the first change that it does not have. */
  readonly #clients: { revision: number; sinceMs: number; next: number }[];

  constructor(clients: number) {
    this.#clients = Array.from({ length: clients }, () => ({ revision: -1, sinceMs: 0, next: 0 }));
  }

  /** Adds an acknowledged change. Clients that had it before its acknowledgement arrived are counted now. */
  changed(revision: number, sentAtMs: number, nowMs: number): void {
    const last = this.#changes.at(-1);
    if (last && last.revision >= revision) return;
    const change = { revision, sentAtMs, acknowledgedMs: nowMs - sentAtMs, reached: 0, reachedMs: [null, null, null] };
    this.#changes.push(change);
    for (let client = 0; client < this.#clients.length; client++) this.#advance(client);
  }

  /** Records that a client has every change up to this revision. */
  saw(client: number, revision: number, nowMs: number): void {
    const state = this.#clients[client];
    if (!state || revision <= state.revision) return;
    state.revision = revision;
    state.sinceMs = nowMs;
    this.#advance(client);
  }

  /** Whether every change has reached every client. */
  get complete(): boolean {
    return this.#changes.every((change) => change.reached === this.#clients.length);
  }

  result(): ChangeReach[] {
    return this.#changes.map(({ revision, acknowledgedMs, reachedMs: [half = null, most = null, all = null] }) => ({
      revision,
      acknowledgedMs,
      reach50Ms: half,
      reach99Ms: most,
      reach100Ms: all,
    }));
  }

  #advance(client: number): void {
    const state = this.#clients[client];
    if (!state) return;
    for (let change = this.#changes[state.next]; change; change = this.#changes[++state.next]) {
      if (change.revision > state.revision) return;
      this.#count(change, state.sinceMs);
    }
  }

  #count(change: Tracked, atMs: number): void {
    change.reached++;
    for (const [index, share] of SHARES.entries()) {
      if (change.reached === Math.ceil(share * this.#clients.length))
        change.reachedMs[index] = Math.max(0, atMs - change.sentAtMs);
    }
  }
}

interface ReachSummary {
  readonly changes: number;
  /** Changes that some client had not got when the run ended. */
  readonly incomplete: number;
  readonly medianMs: Readonly<Record<'50' | '99' | '100', number | null>>;
  readonly longestMs: Readonly<Record<'50' | '99' | '100', number | null>>;
}

export function summarise(changes: readonly ChangeReach[]): ReachSummary {
  const times = {
    '50': changes.flatMap(({ reach50Ms }) => reach50Ms ?? []),
    '99': changes.flatMap(({ reach99Ms }) => reach99Ms ?? []),
    '100': changes.flatMap(({ reach100Ms }) => reach100Ms ?? []),
  };
  const of = (share: number) => {
    const pick = (values: readonly number[]) => (values.length === 0 ? null : percentile(values, share));
    return { '50': pick(times['50']), '99': pick(times['99']), '100': pick(times['100']) };
  };
  return {
    changes: changes.length,
    incomplete: changes.filter(({ reach100Ms }) => reach100Ms === null).length,
    medianMs: of(0.5),
    longestMs: of(1),
  };
}
