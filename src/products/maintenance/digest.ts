import { createHash, type Hash } from 'node:crypto';
import { SERVICE } from '../../base/asking/asker.ts';
import { Slicer } from '../../base/yield-control.ts';
import { type CollectionName, collectionNames } from '../../state/collections.ts';
import type { State } from '../../state/state.ts';
import type { EventEntry } from '../../stores/store.ts';

/** The checksums and counts of a history. They do not depend on its location or its storage format. */
export interface HistoryDigest {
  readonly seq: number;
  /** The number of flags, including archived flags. */
  readonly flags: number;
  /** The number of audit events. */
  readonly eventCount: number;
  /** Lower-case hex SHA-256 of the entities, revisions and numbers of the state. It does not depend on their encoding or their order. */
  readonly state: string;
  /** Lower-case hex SHA-256 of the ids and bytes of the audit events. */
  readonly events: string;
}

/** The order in which every version of Burgee hashes the collections. Collections that are not listed follow, sorted by name. */
const HASH_ORDER: readonly string[] = [
  'projects',
  'environments',
  'defaultStrategies',
  'features',
  'featureTypes',
  'staleMarks',
  'lifecycles',
  'segments',
  'changeRequestConfigs',
  'changeRequests',
  'contextFields',
  'tags',
  'tagTypes',
  'strategyTypes',
  'apiTokens',
  'applications',
  'signOnSettings',
  'spentAttempts',
  'settings',
  'banners',
  'surplusMarks',
  'counters',
  'users',
  'roles',
  'groups',
  'groupMembers',
  'projectRoles',
  'sessions',
  'passwordLinks',
  'signupTokens',
  'personalTokens',
  'favorites',
  'seenSplashes',
  'feedback',
  'mirroredScopes',
];

function sortedForHash(names: readonly CollectionName[]): readonly CollectionName[] {
  const position = (name: string) => (HASH_ORDER.includes(name) ? HASH_ORDER.indexOf(name) : HASH_ORDER.length);
  return names.toSorted((left, right) => position(left) - position(right) || (left < right ? -1 : 1));
}

/** The `state` of a HistoryDigest. Equal states have equal digests, on every store and in every version of the encodings. */
export async function digestState(state: State): Promise<string> {
  const slicer = Slicer.of(SERVICE);
  const hash = createHash('sha256');
  hash.update(`burgee state 1\n${state.seq} ${state.lastEventId}\n`);
  for (const collection of sortedForHash(collectionNames())) {
    const entries: [string, unknown][] = [...state.entries(collection)].sort(byKey);
    for (const [key, entity] of entries) {
      hash.update(`${canonical([collection, key, entity])}\n`);
      if (slicer.spent) await slicer.pause();
    }
  }
  for (const entry of state.revisions.entries().sort(byKey)) hash.update(`${canonical(entry)}\n`);
  return hash.digest('hex');
}

/** Counts and hashes audit events. */
export class EventTally {
  readonly #hash: Hash = createHash('sha256').update('burgee events 1\n');
  count = 0;

  add({ id, bytes }: EventEntry): void {
    this.#hash.update(`${id} ${bytes.length}\n`).update(bytes);
    this.count += 1;
  }

  digest(): string {
    return this.#hash.copy().digest('hex');
  }
}

/** JSON with sorted object keys and without undefined fields. */
export function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join()}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null';
  const parts = Object.entries(value)
    .filter(([, field]) => field !== undefined)
    .sort(byKey)
    .map(([name, field]) => `${JSON.stringify(name)}:${canonical(field)}`);
  return `{${parts.join()}}`;
}

/** Compares keys by code unit, so the order is the same on every machine. */
function byKey([left]: readonly [string, unknown], [right]: readonly [string, unknown]): number {
  return left < right ? -1 : left > right ? 1 : 0;
}
