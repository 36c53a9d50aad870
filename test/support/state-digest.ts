import { createHash } from 'node:crypto';
import { collectionNames } from '../../src/state/collections.ts';
import type { State } from '../../src/state/state.ts';

/** A digest that differs for different states. It leaves out when tokens were last seen: every request changes that. */
export function stateDigest(state: State): string {
  const hash = createHash('sha256');
  for (const name of collectionNames()) {
    for (const [key, entity] of [...state.entries(name)].sort(([left], [right]) => (left < right ? -1 : 1))) {
      hash.update(JSON.stringify([name, key, entity], (field, value) => (field === 'seenAt' ? null : value)));
    }
  }
  return hash.update(String(state.lastEventId)).digest('hex');
}
