import type { ApiToken } from '../model/api-token.ts';
import type { ContextField } from '../model/context-field.ts';
import type { Environment } from '../model/environment.ts';
import type { Feature } from '../model/feature.ts';
import type { Project } from '../model/project.ts';
import type { Segment } from '../model/segment.ts';
import type { Strategy } from '../model/strategy.ts';
import { BUILT_IN_STRATEGY_NAMES, type StrategyType } from '../model/strategy-type.ts';
import type { TagType } from '../model/tag-type.ts';

/** A number that only grows, so that ids are never given twice, not even after the last entity was removed. */
export interface Counter {
  readonly value: number;
}

/**
 * Everything Burgee knows, by collection. Entities are immutable: a change replaces the whole entity. Adding a resource is adding a line
 * here and to COLLECTION_NAMES; applying, logging, snapshots and replication need nothing else.
 */
export interface Collections {
  projects: Project;
  environments: Environment;
  features: Feature;
  segments: Segment;
  contextFields: ContextField;
  tagTypes: TagType;
  strategyTypes: StrategyType;
  apiTokens: ApiToken;
  counters: Counter;
}

export type CollectionName = keyof Collections;
export type Entity = Collections[CollectionName];

export const COLLECTION_NAMES = [
  'projects',
  'environments',
  'features',
  'segments',
  'contextFields',
  'tagTypes',
  'strategyTypes',
  'apiTokens',
  'counters',
] as const satisfies readonly CollectionName[];

const NO_KEYS: readonly string[] = [];

/**
 * Secondary indexes: for each entity, the keys it is found under. Commands and views look entities up through these instead of walking
 * collections, so that a write among 100,000 flags costs what it touches.
 */
export const INDEXES = {
  featuresByProject: { collection: 'features', keysOf: (feature: Feature): readonly string[] => [feature.project] },
  featuresBySegment: { collection: 'features', keysOf: segmentIdsOf },
  featuresByCustomStrategy: { collection: 'features', keysOf: customStrategyNamesOf },
  featuresByParent: {
    collection: 'features',
    keysOf: (feature: Feature): readonly string[] =>
      feature.dependencies.length === 0 ? NO_KEYS : feature.dependencies.map((dependency) => dependency.feature),
  },
  /** The archived ones among `featuresByProject`. */
  archivedByProject: {
    collection: 'features',
    keysOf: (feature: Feature): readonly string[] => (feature.archived ? [feature.project] : NO_KEYS),
  },
  featuresByTagType: {
    collection: 'features',
    keysOf: (feature: Feature): readonly string[] =>
      feature.tags.length === 0 ? NO_KEYS : [...new Set(feature.tags.map((tag) => tag.type))],
  },
} as const;

export type IndexName = keyof typeof INDEXES;

function segmentIdsOf(feature: Feature): readonly string[] {
  return distinctKeys(feature, (strategy) => strategy.segments);
}

function customStrategyNamesOf(feature: Feature): readonly string[] {
  return distinctKeys(feature, ({ name }) => (BUILT_IN_STRATEGY_NAMES.has(name) ? NO_KEYS : [name]));
}

/** Each key once. Most flags have none, and a recovery asks a hundred thousand of them: nothing is allocated for those. */
function distinctKeys(
  feature: Feature,
  keysOf: (strategy: Strategy) => readonly (string | number)[],
): readonly string[] {
  let keys: Set<string> | undefined;
  for (const { strategies } of feature.environments) {
    for (const strategy of strategies) {
      for (const key of keysOf(strategy)) {
        keys ??= new Set();
        keys.add(String(key));
      }
    }
  }
  return keys ? [...keys] : NO_KEYS;
}

/** Reading, the same over the live state and over a draft of it. */
export interface StateReader {
  get<C extends CollectionName>(collection: C, key: string): Collections[C] | undefined;
  values<C extends CollectionName>(collection: C): Iterable<Collections[C]>;
  /** The features that `index` holds under `key`; no particular order. */
  lookup(index: IndexName, key: string): Iterable<Feature>;
}
