import { byText, type Order, sortedInSteps } from '../../base/sorted.ts';
import { inSlices, type Steps } from '../../base/yield-control.ts';
import { ok } from '../../http/answer.ts';
import { type Feature, featureEnvironment } from '../../model/feature.ts';
import type { StateReader } from '../../state/collections.ts';
import { endpoint } from '../endpoint.ts';
import {
  type FeatureFacts,
  type FeatureFilter,
  featureFilter,
  namedProjects,
  segmentNames,
} from './feature-search-filters.ts';
import { FeatureSearchAnswer, FeatureSearchQuery, PAGE_DEFAULT, PAGE_MAX } from './feature-search-schemas.ts';
import { environmentNames, presentAuthor, presentEnvironment, presentTags } from './present-feature.ts';

const searchFeatures = endpoint({
  operationId: 'searchFeatures',
  method: 'get',
  path: '/api/admin/search/features',
  tag: 'Search',
  access: { permission: 'READ' },
  summary: 'A page of the flags that match all of the filters',
  description:
    'Filters are an operator, a colon, and values: `project=IS_ANY_OF:one,two`, `tag=INCLUDE:simple:beta`, `createdAt=IS_BEFORE:2026-01-01`.',
  query: FeatureSearchQuery,
  responses: { 200: { description: 'The page', schema: FeatureSearchAnswer } },
  errors: [400],
  async handle({ query }, { state }) {
    const facts = NO_FACTS;
    const found = await inSlices(matching(candidates(query, state), featureFilter(query, state, facts)));
    const sorted = await inSlices(sortedInSteps(found, featureOrder(query, facts)));
    const offset = Math.max(0, Math.floor(query.offset ?? 0));
    const page = sorted.slice(offset, offset + pageLimit(query));
    return ok({ features: page.map((feature) => presentFound(feature, state, facts)), total: sorted.length });
  },
});

const NO_FACTS: FeatureFacts = {
  lastSeenAt: () => null,
  stage: () => null,
  isPotentiallyStale: () => false,
  isFavorite: () => false,
};

function pageLimit({ limit = PAGE_DEFAULT }: FeatureSearchQuery): number {
  return limit >= 1 && limit <= PAGE_MAX ? Math.floor(limit) : PAGE_DEFAULT;
}

/** The flags among which the others are looked for: as few as an index can tell. */
function* candidates(query: FeatureSearchQuery, state: StateReader): Iterable<Feature> {
  const projects = namedProjects(query);
  if (projects) for (const project of projects) yield* state.lookup('featuresByProject', project);
  else if (query.archived === 'IS:true') yield* state.lookup('archivedFeatures', '');
  else yield* state.values('features');
}

function* matching(features: Iterable<Feature>, isWanted: FeatureFilter): Steps<Feature[]> {
  const found: Feature[] = [];
  for (const feature of features) {
    if (isWanted(feature)) found.push(feature);
    yield;
  }
  return found;
}

/** Favourites first if that is asked, then what is asked, then by name: no two flags are equal, so pages neither overlap nor leave out. */
function featureOrder(query: FeatureSearchQuery, facts: FeatureFacts): Order<Feature> {
  const keyOf = sortKey(query.sortBy ?? '', facts);
  const direction = query.sortOrder === 'desc' ? -1 : 1;
  const favorites = query.favoritesFirst === true;
  return (one, other) => {
    if (favorites) {
      const difference = Number(facts.isFavorite(other)) - Number(facts.isFavorite(one));
      if (difference !== 0) return difference;
    }
    return direction * byText(keyOf(one), keyOf(other)) || byText(one.name, other.name);
  };
}

/** What flags are sorted by, as text that sorts as it. */
function sortKey(sortBy: string, facts: FeatureFacts): (feature: Feature) => string {
  if (sortBy.startsWith('environment:')) {
    const environment = sortBy.slice('environment:'.length);
    return (feature) => (featureEnvironment(feature, environment).enabled ? '1' : '0');
  }
  switch (sortBy) {
    case 'name':
      return ({ name }) => name;
    case 'type':
      return ({ type }) => type;
    case 'project':
      return ({ project }) => project;
    case 'stale':
      return ({ stale }) => (stale ? '1' : '0');
    case 'lastSeenAt':
      return (feature) => facts.lastSeenAt(feature) ?? '';
    default:
      return ({ createdAt }) => createdAt;
  }
}

function presentFound(feature: Feature, state: StateReader, facts: FeatureFacts) {
  const { name, type, description, project, stale, impressionData, createdAt, archivedAt } = feature;
  const isParent = state.count('featuresByParent', name) > 0;
  return {
    name,
    type,
    description,
    project,
    stale,
    potentiallyStale: facts.isPotentiallyStale(feature),
    favorite: facts.isFavorite(feature),
    impressionData,
    createdAt,
    createdBy: presentAuthor(feature.createdBy, state),
    archivedAt,
    lastSeenAt: facts.lastSeenAt(feature),
    dependencyType: isParent ? ('parent' as const) : feature.dependencies.length > 0 ? ('child' as const) : null,
    environments: environmentNames(project, state).map((environment) => {
      const {
        strategies: _strategies,
        variants: _variants,
        ...facts
      } = presentEnvironment(feature, environment, state);
      return facts;
    }),
    segments: segmentNames(feature, state),
    tags: presentTags(feature.tags, state),
  };
}

export const featureSearchEndpoints = [searchFeatures];
