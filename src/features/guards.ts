import { assert } from '../base/assert.ts';
import type { Guard } from '../engine/guard.ts';
import { FEATURES } from './modules.ts';

/**
 * The order in which the writer asks the guards of all features. The quota of change requests comes before the limits: requests that are over are
 * dropped first, so that they keep nobody from making a new one.
 */
const ORDER = ['maintenance', 'collaborators', 'change request quota', 'limits', 'protection'];

/** Loads the rules that hold for every command. */
export async function loadGuards(): Promise<readonly Guard[]> {
  const guards = (await Promise.all(FEATURES.map(({ guards }) => guards?.() ?? []))).flat();
  const place = ({ name }: Guard): number => {
    const at = ORDER.indexOf(name);
    assert(at >= 0, `the guard ${name} has no place in the order of guards`);
    return at;
  };
  return guards.toSorted((left, right) => place(left) - place(right));
}
