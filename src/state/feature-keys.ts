import type { Feature } from '../model/feature.ts';
import { BUILT_IN_STRATEGY_NAMES } from '../model/strategy-type.ts';
import { NO_KEYS } from './collection.ts';

export function segmentIdsOf({ environments }: Feature): readonly string[] {
  let keys: Keys;
  for (const { strategies } of environments)
    for (const { segments } of strategies) for (const id of segments) keys = withKey(keys, String(id));
  return listOf(keys);
}

export function contextNamesOf({ environments }: Feature): readonly string[] {
  let keys: Keys;
  for (const { strategies } of environments)
    for (const { constraints } of strategies)
      for (const { contextName } of constraints) keys = withKey(keys, contextName);
  return listOf(keys);
}

export function customStrategyNamesOf({ environments }: Feature): readonly string[] {
  let keys: Keys;
  for (const { strategies } of environments)
    for (const { name } of strategies) if (!BUILT_IN_STRATEGY_NAMES.has(name)) keys = withKey(keys, name);
  return listOf(keys);
}

/** Each key once. Most flags have none, and a recovery asks a hundred thousand of them: nothing is allocated for those. */
type Keys = string[] | Set<string> | undefined;

/** Keys that are looked through: a set of few costs more. */
const LISTED_KEYS_MAX = 16;

function withKey(keys: Keys, key: string): Keys {
  if (!keys) return [key];
  if (!Array.isArray(keys)) return keys.add(key);
  if (keys.includes(key)) return keys;
  if (keys.length === LISTED_KEYS_MAX) return new Set(keys).add(key);
  keys.push(key);
  return keys;
}

function listOf(keys: Keys): readonly string[] {
  if (!keys) return NO_KEYS;
  return Array.isArray(keys) ? keys : [...keys];
}
