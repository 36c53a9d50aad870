import { assert } from '../base/assert.ts';
import type { Guard } from '../engine/guard.ts';
import { defineLimited } from './limits/limit-rules.ts';
import { FEATURES } from './modules.ts';

/**
 * The order in which the writer calls the guards of all features. The quota of change requests comes before the limits: closed requests are deleted
 * first, so that they do not prevent new requests.
 */
const ORDER = ['maintenance', 'collaborators', 'change request quota', 'limits', 'protection', 'reason'];

/** The order in which the features end what refers to something that is removed: the order of these events in the audit log. */
const REMOVAL_ORDER = [
  'change-requests',
  'projects',
  'tokens',
  'people',
  'addons',
  'signals',
  'release-plans',
  'flags',
  'instance',
  'personal',
];

/** Loads the guards of all features. They check every command. */
export async function loadGuards(): Promise<readonly Guard[]> {
  defineLimited(await Promise.all(FEATURES.map(({ limited }) => limited?.() ?? {})));
  return [...(await loadRules()), ...(await loadRemovals())];
}

async function loadRemovals(): Promise<readonly Guard[]> {
  const removals = await Promise.all(
    FEATURES.map(async ({ name, whenRemoved }) => whenRemoved && { name, whenRemoved: await whenRemoved() }),
  );
  return inOrder(
    removals.filter((removal) => removal !== undefined),
    REMOVAL_ORDER,
  );
}

async function loadRules(): Promise<readonly Guard[]> {
  return inOrder((await Promise.all(FEATURES.map(({ guards }) => guards?.() ?? []))).flat(), ORDER);
}

function inOrder(guards: readonly Guard[], order: readonly string[]): readonly Guard[] {
  const location = ({ name }: Guard): number => {
    const at = order.indexOf(name);
    assert(at >= 0, `the guard ${name} is missing in the order of guards`);
    return at;
  };
  return guards.toSorted((left, right) => location(left) - location(right));
}
