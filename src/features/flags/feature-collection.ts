import { type SmallSet, valuesOf, withValue } from '../../base/small-set.ts';
import { collection, type KeysOf, NO_KEYS, type PastParts } from '../../model/collection.ts';
import { type Feature, type FeatureEnvironment, tagText } from '../../model/feature.ts';
import { isWatched, usableStrategies } from '../../model/release-plan.ts';
import { BUILT_IN_STRATEGY_NAMES } from '../../model/strategy-type.ts';

const EMPTY_KEY: readonly string[] = [''];

/**
 * The settings in each environment are a part of their own. The flag itself is stored with the names of these environments, in their order, and without
 * the time of its last change: with it, each change of an environment would also replace the part of the flag.
 */
const featureParts: PastParts<Feature> = {
  split(feature) {
    const names = feature.environments.map(({ environment }) => environment);
    const { changedAt: _changedAt, ...rest } = feature;
    const parts = new Map<string, object>([['', { ...rest, environments: names }]]);
    for (const settings of feature.environments) parts.set(settings.environment, settings);
    return parts;
  },
  join(parts) {
    const flag = parts.get('') as Omit<Feature, 'environments'> & { readonly environments: readonly string[] };
    // The names of the flag may be those of another moment than the settings.
    const names = new Set([...flag.environments, ...parts.keys()]);
    names.delete('');
    const environments = [...names].flatMap((name) => (parts.get(name) as FeatureEnvironment | undefined) ?? []);
    return { ...flag, environments };
  },
};

export const features = collection({
  schema: 1,
  key: (feature: Feature) => feature.name,
  past: featureParts,
  indexes: {
    featuresByProject: (feature) => [feature.project],
    featuresBySegment: oncePerEnvironments(segmentIdsOf),
    featuresByCustomStrategy: oncePerEnvironments(customStrategyNamesOf),
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
    featuresByContextField: oncePerEnvironments(contextNamesOf),
    /** The key is a project: the flags of this project that depend on another flag. */
    childrenByProject: ({ project, dependencies }) => (dependencies.length === 0 ? NO_KEYS : [project]),
    /** The flags with a release plan, under the empty key. The sum is the number of plans. */
    plannedFeatures: (feature) => (numberOfPlans(feature) > 0 ? EMPTY_KEY : NO_KEYS),
    /** The flags with safeguards, under the empty key. The sum is the number of plans and of flags in an environment that have safeguards. */
    guardedFeatures: (feature) => (numberOfGuarded(feature) > 0 ? EMPTY_KEY : NO_KEYS),
    /** The flags with safeguards that ask a query, under the empty key. The sum is the number of such safeguards. */
    queryingFeatures: (feature) => (numberOfQueries(feature) > 0 ? EMPTY_KEY : NO_KEYS),
    /** The flags with a release plan or with safeguards that the service must look after, under the empty key. */
    watchedFeatures: watchedKeysOf,
    featuresByTagType: ({ tags }) => (tags.length === 0 ? NO_KEYS : [...new Set(tags.map((tag) => tag.type))]),
  },
  countIn: { plannedFeatures: numberOfPlans, guardedFeatures: numberOfGuarded, queryingFeatures: numberOfQueries },
});

declare module '../../model/collection.ts' {
  interface CollectionTable {
    readonly features: typeof features;
  }
}

/**
 * The function, but for two flags with the same environments, one after the other, it runs once: most changes of a flag keep its environments, and a
 * flag may have a thousand strategies.
 */
function oncePerEnvironments(keysOf: KeysOf<Feature>): KeysOf<Feature> {
  let last: Feature['environments'] | undefined;
  let keys: readonly string[] = NO_KEYS;
  return (feature) => {
    if (feature.environments !== last) {
      keys = keysOf(feature);
      last = feature.environments;
    }
    return keys;
  };
}

// Most flags have no keys in these indexes, and a recovery computes the keys of a hundred thousand flags: a `SmallSet` allocates nothing for them.
function segmentIdsOf({ environments }: Feature): readonly string[] {
  let keys: SmallSet<string>;
  for (const settings of environments)
    for (const { segments } of usableStrategies(settings))
      for (const id of segments) keys = withValue(keys, String(id));
  return valuesOf(keys);
}

function numberOfPlans({ environments }: Feature): number {
  let count = 0;
  for (const { releasePlan } of environments) if (releasePlan) count++;
  return count;
}

function numberOfGuarded({ environments }: Feature): number {
  let count = 0;
  for (const { releasePlan, safeguards } of environments) {
    if (releasePlan && releasePlan.safeguards.length > 0) count++;
    if (safeguards) count++;
  }
  return count;
}

function numberOfQueries({ environments }: Feature): number {
  let count = 0;
  for (const { releasePlan, safeguards } of environments)
    for (const all of [releasePlan?.safeguards, safeguards])
      if (all) for (const { query } of all) if (query !== undefined) count++;
  return count;
}

function watchedKeysOf({ environments, archived }: Feature): readonly string[] {
  if (archived) return NO_KEYS;
  for (const { enabled, releasePlan, safeguards } of environments)
    if (enabled && (safeguards || (releasePlan && isWatched(releasePlan)))) return EMPTY_KEY;
  return NO_KEYS;
}

function contextNamesOf({ environments }: Feature): readonly string[] {
  let keys: SmallSet<string>;
  for (const settings of environments)
    for (const { constraints } of usableStrategies(settings))
      for (const { contextName } of constraints) keys = withValue(keys, contextName);
  return valuesOf(keys);
}

function customStrategyNamesOf({ environments }: Feature): readonly string[] {
  let keys: SmallSet<string>;
  for (const settings of environments)
    for (const { name } of usableStrategies(settings))
      if (!BUILT_IN_STRATEGY_NAMES.has(name)) keys = withValue(keys, name);
  return valuesOf(keys);
}
