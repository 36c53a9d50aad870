import { type Feature, featureEnvironment, tagText } from '../../../model/feature.ts';
import type { StateReader } from '../../../state/collections.ts';
import type { FeatureSearchQuery } from './schemas.ts';

/** Values of a flag that a search needs and that the flag itself does not contain. */
export interface FeatureDetails {
  lastSeenAt(feature: Feature): string | null;
  stage(feature: Feature): string | null;
  isPotentiallyStale(feature: Feature): boolean;
  isFavorite(feature: Feature): boolean;
}

export type FeatureFilter = (feature: Feature) => boolean;

/** Whether a flag matches all filters of the search. Cheap filters run first. */
export function featureFilter(query: FeatureSearchQuery, state: StateReader, details: FeatureDetails): FeatureFilter {
  const filters = [
    ...ofArchive(query),
    ...ofFavorite(query.favorite, details),
    ...ofOne(query.project, ({ project }) => project),
    ...ofOne(query.type, ({ type }) => type),
    ...ofOne(query.createdBy, ({ createdBy }) => String(createdBy.id)),
    ...ofState(query.state, details),
    ...ofOne(query.lifecycle, (feature) => details.stage(feature) ?? ''),
    ...ofDay(query.createdAt, ({ createdAt }) => createdAt),
    ...ofDay(query.lastSeenAt, (feature) => details.lastSeenAt(feature)),
    ...ofStatus(query.status),
    ...ofSet(query.tag, ({ tags }) => (tags.length === 0 ? NOTHING : new Set(tags.map(tagText)))),
    ...ofSet(query.segment, (feature) => new Set(segmentNames(feature, state))),
    ...ofText(query.query),
  ];
  return (feature) => {
    for (const filter of filters) if (!filter(feature)) return false;
    return true;
  };
}

const NOTHING: ReadonlySet<string> = new Set();

/**
 * Selects only archived flags if the query asks for them, otherwise only flags that are not archived. A query for the stage `archived` selects both,
 * because it may also name other stages.
 */
function ofArchive(query: FeatureSearchQuery): FeatureFilter[] {
  if (asksForArchivedStage(query)) return [];
  const wanted = query.archived === 'IS:true';
  return [({ archived }) => archived === wanted];
}

function asksForArchivedStage({ lifecycle }: FeatureSearchQuery): boolean {
  const filter = parsed(lifecycle);
  return filter !== undefined && !isNegative(filter) && filter.values.has('archived');
}

/** Whether only archived flags can match. */
export function asksForArchivedOnly(query: FeatureSearchQuery): boolean {
  if (!asksForArchivedStage(query)) return query.archived === 'IS:true';
  return parsed(query.lifecycle)?.values.size === 1;
}

function ofFavorite(text: string | undefined, details: FeatureDetails): FeatureFilter[] {
  const filter = parsed(text);
  if (!filter) return [];
  return [(feature) => filter.values.has(String(details.isFavorite(feature)))];
}

interface Filter {
  readonly operator: string;
  readonly values: ReadonlySet<string>;
}

/** Parses a filter; the schema has already checked its syntax. Returns undefined if the query does not have this filter. */
function parsed(text: string | undefined): Filter | undefined {
  if (text === undefined) return undefined;
  const colon = text.indexOf(':');
  const values = text.slice(colon + 1).split(',');
  return {
    operator: text.slice(0, colon),
    values: new Set(values.map((value) => value.trim()).filter((value) => value !== '')),
  };
}

/** The projects that the search names; undefined when other projects may match, too. */
export function namedProjects({ project }: FeatureSearchQuery): ReadonlySet<string> | undefined {
  const filter = parsed(project);
  return filter && !isNegative(filter) ? filter.values : undefined;
}

/** Whether the filter excludes its values. `IS` and `IS_ANY_OF` mean the same for any number of values, and so do `IS_NOT` and `IS_NONE_OF`. */
function isNegative({ operator }: Filter): boolean {
  return operator === 'IS_NOT' || operator === 'IS_NONE_OF';
}

function ofOne(text: string | undefined, fieldOf: (feature: Feature) => string): FeatureFilter[] {
  const filter = parsed(text);
  if (!filter) return [];
  const wanted = !isNegative(filter);
  return [(feature) => filter.values.has(fieldOf(feature)) === wanted];
}

/** A flag can be active and potentially stale at the same time: the filter compares each state of the flag. */
function ofState(text: string | undefined, details: FeatureDetails): FeatureFilter[] {
  const filter = parsed(text);
  if (!filter) return [];
  const wanted = !isNegative(filter);
  const { values } = filter;
  return [
    (feature) => {
      const isIn =
        (values.has('active') && !feature.stale) ||
        (values.has('stale') && feature.stale) ||
        (values.has('potentially-stale') && details.isPotentiallyStale(feature));
      return isIn === wanted;
    },
  ];
}

/** The time and the day are compared as texts, because the text of a time begins with its day. */
function ofDay(text: string | undefined, timeOf: (feature: Feature) => string | null): FeatureFilter[] {
  const filter = parsed(text);
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

function ofStatus(status: readonly string[] | undefined): FeatureFilter[] {
  if (!status || status.length === 0) return [];
  const wanted = status.map((text) => {
    const colon = text.lastIndexOf(':');
    return { environment: text.slice(0, colon), enabled: text.slice(colon + 1) === 'enabled' };
  });
  return [
    (feature) =>
      wanted.some(({ environment, enabled }) => featureEnvironment(feature, environment).enabled === enabled),
  ];
}

function ofSet(text: string | undefined, valuesOf: (feature: Feature) => ReadonlySet<string>): FeatureFilter[] {
  const filter = parsed(text);
  if (!filter) return [];
  const asked = [...filter.values];
  const hasAny = (held: ReadonlySet<string>) => asked.some((value) => held.has(value));
  const hasAll = (held: ReadonlySet<string>) => asked.every((value) => held.has(value));
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

function ofText(query: string | undefined): FeatureFilter[] {
  const texts = (query ?? '').split(',').map((text) => text.trim().toLowerCase());
  const wanted = texts.filter((text) => text !== '');
  if (wanted.length === 0) return [];
  const holds = (text: string) => {
    const lower = text.toLowerCase();
    return wanted.some((each) => lower.includes(each));
  };
  return [
    ({ name, description, tags }) =>
      holds(name) || (description !== null && holds(description)) || tags.some((tag) => holds(tagText(tag))),
  ];
}

/** Names of the segments that strategies of the flag use, each once. */
export function segmentNames({ environments }: Feature, state: StateReader): string[] {
  let ids: Set<number> | undefined;
  for (const { strategies } of environments) {
    for (const { segments } of strategies) {
      for (const id of segments) {
        ids ??= new Set();
        ids.add(id);
      }
    }
  }
  return ids ? [...ids].flatMap((id) => state.get('segments', String(id))?.name ?? []) : [];
}
