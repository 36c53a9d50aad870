import { visibleProjects } from '../../../access/visibility.ts';
import { byText, firstInSteps, type Order } from '../../../base/sorted.ts';
import { inSlices, type Steps } from '../../../base/yield-control.ts';
import { listAnswer } from '../../../http/answer.ts';
import { type Feature, featureEnvironment } from '../../../model/feature.ts';
import type { StateReader } from '../../../state/collections.ts';
import { routesOf } from '../../endpoint.ts';
import { lifecycleOf } from '../../usage/lifecycle-commands.ts';
import {
  environmentNames,
  type FlagSources,
  favoriteFeatures,
  presentAuthor,
  presentTags,
  summariseEnvironment,
} from '../present.ts';
import { isPotentiallyStale } from '../stale/commands.ts';
import {
  asksForArchivedOnly,
  type FeatureDetails,
  type FeatureFilter,
  featureFilter,
  namedProjects,
  segmentNames,
} from './filters.ts';
import { FeatureSearchAnswer, FeatureSearchQuery, PAGE_DEFAULT, PAGE_MAX } from './schemas.ts';

const route = routesOf('Search');

const searchFeatures = route('GET /api/admin/search/features', 'searchFeatures', {
  access: { permission: 'READ' },
  summary: 'A page of the flags that match all of the filters',
  description:
    'A filter has an operator, a colon, and values: `project=IS_ANY_OF:one,two`, `tag=INCLUDE:simple:beta`, `createdAt=IS_BEFORE:2026-01-01`.',
  query: FeatureSearchQuery,
  responses: { 200: { description: 'The page', schema: FeatureSearchAnswer } },
  async handle({ query, caller }, services) {
    const { state } = services;
    const details = detailsOf(services, favoriteFeatures(services, caller), services.clock.nowMs());
    const visible = visibleProjects(state, caller);
    const matches = featureFilter(query, state, details);
    const isWanted = visible.isAll ? matches : (feature: Feature) => visible.has(feature.project) && matches(feature);
    const rankedFlags = await inSlices(matching(candidates(query, state), isWanted, rankOf(query, details)));
    const offset = Math.max(0, Math.floor(query.offset ?? 0));
    const end = offset + pageLimit(query);
    const direction = query.sortOrder === 'desc' ? -1 : 1;
    const page = (await inSlices(firstInSteps(rankedFlags, orderOf(direction), end))).slice(offset);
    const present = ({ feature }: Ranked) => presentFound(feature, services, details);
    return listAnswer({ total: rankedFlags.length }, 'features', page, present);
  },
});

function detailsOf({ state, flagUse }: FlagSources, favorites: ReadonlySet<string>, nowMs: number): FeatureDetails {
  return {
    lastSeenAt: (feature) => flagUse.newestSeenAt(feature, state.get('projects', feature.project)?.environments ?? []),
    stage: (feature) => lifecycleOf(state, feature).stage,
    isPotentiallyStale: (feature) => isPotentiallyStale(state, feature, nowMs),
    isFavorite: ({ name }) => favorites.has(name),
  };
}

function pageLimit({ limit = PAGE_DEFAULT }: FeatureSearchQuery): number {
  return limit >= 1 && limit <= PAGE_MAX ? Math.floor(limit) : PAGE_DEFAULT;
}

/** Yields the flags that the filters must check: the flags of the named projects, or only archived flags, or all flags. */
function* candidates(query: FeatureSearchQuery, state: StateReader): Iterable<Feature> {
  const projects = namedProjects(query);
  if (projects) for (const project of projects) yield* state.lookup('featuresByProject', project);
  else if (asksForArchivedOnly(query)) yield* state.lookup('archivedFeatures', '');
  else yield* state.values('features');
}

/** A flag that was found, with its sort position. The position is computed once, because sorting compares each flag many times. */
interface Ranked {
  readonly feature: Feature;
  /** 0 for favourites if the query has `favoritesFirst`, otherwise 1. Flags with rank 0 come before all flags with rank 1. */
  readonly rank: number;
  readonly key: string;
}

function* matching(
  features: Iterable<Feature>,
  isWanted: FeatureFilter,
  rank: (feature: Feature) => Ranked,
): Steps<Ranked[]> {
  const rankedFlags: Ranked[] = [];
  for (const feature of features) {
    if (isWanted(feature)) rankedFlags.push(rank(feature));
    yield;
  }
  return rankedFlags;
}

/** Returns a function that computes the sort position of a flag: favourites first if the query asks for that, then by the sort key. */
function rankOf(query: FeatureSearchQuery, details: FeatureDetails): (feature: Feature) => Ranked {
  const keyOf = sortKeyFunction(query.sortBy ?? '', details);
  const favoritesFirst = query.favoritesFirst === true;
  return (feature) => ({ feature, rank: favoritesFirst && details.isFavorite(feature) ? 0 : 1, key: keyOf(feature) });
}

/** Flags with equal keys are sorted by name. The order is total, so pages neither overlap nor skip a flag. */
function orderOf(direction: 1 | -1): Order<Ranked> {
  return (left, right) =>
    left.rank - right.rank || direction * byText(left.key, right.key) || byText(left.feature.name, right.feature.name);
}

/** Returns a function that computes the sort key of a flag. The order of the keys as texts is the order of the flags. */
function sortKeyFunction(sortBy: string, details: FeatureDetails): (feature: Feature) => string {
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
      return (feature) => details.lastSeenAt(feature) ?? '';
    default:
      return ({ createdAt }) => createdAt;
  }
}

function presentFound(feature: Feature, sources: FlagSources, details: FeatureDetails) {
  const { state } = sources;
  const { name, type, description, project, stale, impressionData, createdAt, archivedAt } = feature;
  const isParent = state.count('featuresByParent', name) > 0;
  return {
    name,
    type,
    description,
    project,
    stale,
    potentiallyStale: details.isPotentiallyStale(feature),
    favorite: details.isFavorite(feature),
    impressionData,
    createdAt,
    createdBy: presentAuthor(feature.createdBy, state),
    archivedAt,
    lastSeenAt: details.lastSeenAt(feature),
    lifecycle: lifecycleOf(state, feature),
    dependencyType: isParent ? ('parent' as const) : feature.dependencies.length > 0 ? ('child' as const) : null,
    environments: environmentNames(project, state).map((environment) =>
      summariseEnvironment(feature, environment, sources),
    ),
    segments: segmentNames(feature, state),
    tags: presentTags(feature.tags, state),
  };
}

export const featureSearchEndpoints = [searchFeatures];
