import { visibleProjects } from '../../../../src/access/visibility.ts';
import { byText } from '../../../../src/base/lists/sorted.ts';
import { favoriteNames } from '../../../../src/features/flags/favorites/commands.ts';
import { segmentNames } from '../../../../src/features/flags/search/filters.ts';
import type { FeatureSearchQuery } from '../../../../src/features/flags/search/schemas.ts';
import { isPotentiallyStale } from '../../../../src/features/flags/stale/commands.ts';
import type { Services } from '../../../../src/features/services.ts';
import { lifecycleOf } from '../../../../src/features/usage/lifecycle-commands.ts';
import type { Caller } from '../../../../src/model/caller.ts';
import { type Feature, featureEnvironment, tagText } from '../../../../src/model/feature.ts';
import type { StateReader } from '../../../../src/state/collections.ts';

/** Values of a flag that a search needs and that the flag itself does not contain. */
interface FeatureDetails {
  lastSeenAt(feature: Feature): string | null;
  stage(feature: Feature): string | null;
  isPotentiallyStale(feature: Feature): boolean;
  isFavorite(feature: Feature): boolean;
}

type FeatureFilter = (feature: Feature) => boolean;

/** Returns a function that decides whether a flag matches all filters of the search. Cheap filters run first. */
function featureFilter(query: FeatureSearchQuery, state: StateReader, details: FeatureDetails): FeatureFilter {
  const filters = [
    ...archiveFilters(query),
    ...favoriteFilters(query.favorite, details),
    ...valueFilters(query.project, ({ project }) => project),
    ...valueFilters(query.type, ({ type }) => type),
    ...valueFilters(query.createdBy, ({ createdBy }) => String(createdBy.id)),
    ...stateFilters(query.state, details),
    ...valueFilters(query.lifecycle, (feature) => details.stage(feature) ?? ''),
    ...dayFilters(query.createdAt, ({ createdAt }) => createdAt),
    ...dayFilters(query.lastSeenAt, (feature) => details.lastSeenAt(feature)),
    ...statusFilters(query.status),
    ...setFilters(query.tag, ({ tags }) => (tags.length === 0 ? NO_VALUES : new Set(tags.map(tagText)))),
    ...setFilters(query.segment, (feature) => new Set(segmentNames(feature, state))),
    ...textFilters(query.query),
  ];
  return (feature) => {
    for (const filter of filters) if (!filter(feature)) return false;
    return true;
  };
}

const NO_VALUES: ReadonlySet<string> = new Set();

/*
 * Each of the following functions returns the filter of one parameter of the query, or no filter if the query does not have the parameter.
 */

/**
 * Selects only archived flags if the query asks for them, otherwise only flags that are not archived. A query for the stage `archived` selects both,
 * because it may also name other stages.
 */
function archiveFilters(query: FeatureSearchQuery): FeatureFilter[] {
  if (asksForArchivedStage(query)) return [];
  const wantsArchived = query.archived === 'IS:true';
  return [({ archived }) => archived === wantsArchived];
}

function asksForArchivedStage({ lifecycle }: FeatureSearchQuery): boolean {
  const filter = parseFilter(lifecycle);
  return filter !== undefined && !isNegative(filter) && filter.values.has('archived');
}

function favoriteFilters(text: string | undefined, details: FeatureDetails): FeatureFilter[] {
  const filter = parseFilter(text);
  if (!filter) return [];
  return [(feature) => filter.values.has(String(details.isFavorite(feature)))];
}

interface Filter {
  readonly operator: string;
  readonly values: ReadonlySet<string>;
}

/** Parses a filter; the schema has already checked its syntax. Returns undefined if the query does not have this filter. */
function parseFilter(text: string | undefined): Filter | undefined {
  if (text === undefined) return undefined;
  const colon = text.indexOf(':');
  const values = text.slice(colon + 1).split(',');
  return {
    operator: text.slice(0, colon),
    values: new Set(values.map((value) => value.trim()).filter((value) => value !== '')),
  };
}

/** Whether the filter excludes its values. `IS` and `IS_ANY_OF` mean the same for any number of values, and so do `IS_NOT` and `IS_NONE_OF`. */
function isNegative({ operator }: Filter): boolean {
  return operator === 'IS_NOT' || operator === 'IS_NONE_OF';
}

function valueFilters(text: string | undefined, fieldOf: (feature: Feature) => string): FeatureFilter[] {
  const filter = parseFilter(text);
  if (!filter) return [];
  const isPositive = !isNegative(filter);
  return [(feature) => filter.values.has(fieldOf(feature)) === isPositive];
}

/** A flag can be active and potentially stale at the same time. The flag has a state of the filter if any of its states is listed. */
function stateFilters(text: string | undefined, details: FeatureDetails): FeatureFilter[] {
  const filter = parseFilter(text);
  if (!filter) return [];
  const isPositive = !isNegative(filter);
  const { values } = filter;
  return [
    (feature) => {
      const hasState =
        (values.has('active') && !feature.stale) ||
        (values.has('stale') && feature.stale) ||
        (values.has('potentially-stale') && details.isPotentiallyStale(feature));
      return hasState === isPositive;
    },
  ];
}

/** The time and the day are compared as texts, because the text of a time begins with its day. */
function dayFilters(text: string | undefined, timeOf: (feature: Feature) => string | null): FeatureFilter[] {
  const filter = parseFilter(text);
  const [day] = filter?.values ?? [];
  if (!filter || day === undefined) return [];
  const isBefore = filter.operator === 'IS_BEFORE';
  return [
    (feature) => {
      const time = timeOf(feature);
      return time !== null && isBefore === time < day;
    },
  ];
}

function statusFilters(status: readonly string[] | undefined): FeatureFilter[] {
  if (!status || status.length === 0) return [];
  const wantedStates = status.map((text) => {
    const colon = text.lastIndexOf(':');
    return { environment: text.slice(0, colon), enabled: text.slice(colon + 1) === 'enabled' };
  });
  return [
    (feature) =>
      wantedStates.some(({ environment, enabled }) => featureEnvironment(feature, environment).enabled === enabled),
  ];
}

function setFilters(text: string | undefined, valuesOf: (feature: Feature) => ReadonlySet<string>): FeatureFilter[] {
  const filter = parseFilter(text);
  if (!filter) return [];
  const filterValues = [...filter.values];
  const hasAny = (values: ReadonlySet<string>) => filterValues.some((value) => values.has(value));
  const hasAll = (values: ReadonlySet<string>) => filterValues.every((value) => values.has(value));
  switch (filter.operator) {
    case 'INCLUDE_ALL_OF':
      return [(feature) => hasAll(valuesOf(feature))];
    case 'EXCLUDE_ALL':
      return [(feature) => !hasAll(valuesOf(feature))];
    case 'DO_NOT_INCLUDE':
    case 'EXCLUDE_IF_ANY_OF':
      return [(feature) => !hasAny(valuesOf(feature))];
    default:
      return [(feature) => hasAny(valuesOf(feature))];
  }
}

function textFilters(query: string | undefined): FeatureFilter[] {
  const texts = (query ?? '').split(',').map((text) => text.trim().toLowerCase());
  const wantedTexts = texts.filter((text) => text !== '');
  if (wantedTexts.length === 0) return [];
  const contains = (text: string) => {
    const lower = text.toLowerCase();
    return wantedTexts.some((wanted) => lower.includes(wanted));
  };
  return [
    ({ name, description, tags }) =>
      contains(name) || (description !== null && contains(description)) || tags.some((tag) => contains(tagText(tag))),
  ];
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

/**
 * All flags that a search finds, in order: every flag is filtered, and all that match are sorted. It is the simplest way to search, and the standard for
 * others.
 */
export function naiveSearch(query: FeatureSearchQuery, caller: Caller, services: Services): Feature[] {
  const { state, flagUse, clock } = services;
  const favorites = favoriteNames(state, caller.user, 'feature');
  const nowMs = clock.nowMs();
  const details: FeatureDetails = {
    lastSeenAt: (feature) => flagUse.newestSeenAt(feature, state.get('projects', feature.project)?.environments ?? []),
    stage: (feature) => lifecycleOf(state, feature).stage,
    isPotentiallyStale: (feature) => isPotentiallyStale(state, feature, nowMs),
    isFavorite: ({ name }) => favorites.has(name),
  };
  const visible = visibleProjects(state, caller);
  const isWanted = featureFilter(query, state, details);
  const keyOf = sortKeyFunction(query.sortBy ?? '', details);
  const direction = query.sortOrder === 'desc' ? -1 : 1;
  const rankOf = (feature: Feature) => (query.favoritesFirst === true && !details.isFavorite(feature) ? 1 : 0);
  const found: { feature: Feature; rank: number; key: string }[] = [];
  for (const feature of state.values('features'))
    if (visible.has(feature.project) && isWanted(feature))
      found.push({ feature, rank: rankOf(feature), key: keyOf(feature) });
  found.sort(
    (one, other) =>
      one.rank - other.rank || direction * byText(one.key, other.key) || byText(one.feature.name, other.feature.name),
  );
  return found.map(({ feature }) => feature);
}
