import { collection, NO_KEYS } from '../../model/collection.ts';
import { type Feature, tagText } from '../../model/feature.ts';
import { BUILT_IN_STRATEGY_NAMES } from '../../model/strategy-type.ts';

const EMPTY_KEY: readonly string[] = [''];

export const features = collection({
  schema: 1,
  key: (feature: Feature) => feature.name,
  indexes: {
    featuresByProject: (feature) => [feature.project],
    featuresBySegment: segmentIdsOf,
    featuresByCustomStrategy: customStrategyNamesOf,
    featuresByParent: ({ dependencies }) =>
      dependencies.length === 0 ? NO_KEYS : dependencies.map((dependency) => dependency.feature),
    /** Only flags that a user created. */
    featuresByCreator: ({ createdBy: { id } }) => (id > 0 ? [String(id)] : NO_KEYS),
    /** The archived flags of each project. */
    archivedByProject: (feature) => (feature.archived ? [feature.project] : NO_KEYS),
    /** All archived flags, under the empty key. */
    archivedFeatures: (feature) => (feature.archived ? EMPTY_KEY : NO_KEYS),
    featuresByTag: ({ tags }) => (tags.length === 0 ? NO_KEYS : tags.map(tagText)),
    /** The key is a context field: the flags with a strategy that has a constraint on this field. */
    featuresByContextField: contextNamesOf,
    /** The key is a project: the flags of this project that depend on another flag. */
    childrenByProject: ({ project, dependencies }) => (dependencies.length === 0 ? NO_KEYS : [project]),
    featuresByTagType: ({ tags }) => (tags.length === 0 ? NO_KEYS : [...new Set(tags.map((tag) => tag.type))]),
  },
});

declare module '../../model/collection.ts' {
  interface CollectionTable {
    readonly features: typeof features;
  }
}

function segmentIdsOf({ environments }: Feature): readonly string[] {
  let keys: Keys;
  for (const { strategies } of environments)
    for (const { segments } of strategies) for (const id of segments) keys = withKey(keys, String(id));
  return listOf(keys);
}

function contextNamesOf({ environments }: Feature): readonly string[] {
  let keys: Keys;
  for (const { strategies } of environments)
    for (const { constraints } of strategies)
      for (const { contextName } of constraints) keys = withKey(keys, contextName);
  return listOf(keys);
}

function customStrategyNamesOf({ environments }: Feature): readonly string[] {
  let keys: Keys;
  for (const { strategies } of environments)
    for (const { name } of strategies) if (!BUILT_IN_STRATEGY_NAMES.has(name)) keys = withKey(keys, name);
  return listOf(keys);
}

/**
 * The keys of a flag in an index, without duplicates; undefined if the flag has none. Most flags have no keys, and a recovery computes the keys of a
 * hundred thousand flags: a flag without keys allocates nothing.
 */
type Keys = string[] | Set<string> | undefined;

/** Maximum number of keys in an array; a flag with more keys gets a set. A small array is searched faster than a small set is built. */
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
