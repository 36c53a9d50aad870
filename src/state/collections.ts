import type { ApiToken } from '../model/api-token.ts';
import type { ContextField } from '../model/context-field.ts';
import type { Environment } from '../model/environment.ts';
import type { Feature } from '../model/feature.ts';
import type { Project } from '../model/project.ts';
import type { Segment } from '../model/segment.ts';
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
    keysOf: (feature: Feature): readonly string[] => feature.dependencies.map((dependency) => dependency.feature),
  },
  /** The archived ones among `featuresByProject`. */
  archivedByProject: {
    collection: 'features',
    keysOf: (feature: Feature): readonly string[] => (feature.archived ? [feature.project] : []),
  },
  featuresByTagType: {
    collection: 'features',
    keysOf: (feature: Feature): readonly string[] => [...new Set(feature.tags.map((tag) => tag.type))],
  },
} as const;

export type IndexName = keyof typeof INDEXES;

function segmentIdsOf(feature: Feature): readonly string[] {
  const ids = new Set<string>();
  for (const environment of feature.environments) {
    for (const strategy of environment.strategies) for (const id of strategy.segments) ids.add(String(id));
  }
  return [...ids];
}

function customStrategyNamesOf(feature: Feature): readonly string[] {
  const names = new Set<string>();
  for (const environment of feature.environments) {
    for (const { name } of environment.strategies) if (!BUILT_IN_STRATEGY_NAMES.has(name)) names.add(name);
  }
  return [...names];
}

/** Reading, the same over the live state and over a draft of it. */
export interface StateReader {
  get<C extends CollectionName>(collection: C, key: string): Collections[C] | undefined;
  values<C extends CollectionName>(collection: C): Iterable<Collections[C]>;
  /** The features that `index` holds under `key`; no particular order. */
  lookup(index: IndexName, key: string): Iterable<Feature>;
}
