import { assert } from '../base/assert.ts';
import type { Guard } from '../engine/guard.ts';
import { FEATURES } from './modules.ts';

/**
 * The order in which the writer calls the guards of all features. The quota of change requests comes before the limits: closed requests are deleted
 * first, so that they do not prevent new requests.
 */
const ORDER = ['maintenance', 'collaborators', 'change request quota', 'limits', 'protection', 'reason'];

/** Loads the guards of all features. They check every command. */
export async function loadGuards(): Promise<readonly Guard[]> {
  const guards = (await Promise.all(FEATURES.map(({ guards }) => guards?.() ?? []))).flat();
  const location = ({ name }: Guard): number => {
    const at = ORDER.indexOf(name);
    assert(at >= 0, `the guard ${name} is missing in the order of guards`);
    return at;
  };
  return guards.toSorted((left, right) => location(left) - location(right));
}
