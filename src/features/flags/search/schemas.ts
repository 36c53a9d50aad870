import Type, { type Static } from 'typebox';
import { FeatureType } from '../../../model/feature.ts';
import { DateTime, Nullable } from '../../../model/primitives.ts';
import {
  CursorParameter,
  fieldsParameter,
  LARGE_PAGE_MAX,
  listParameter,
  NextCursor,
  projected,
} from '../page-parameters.ts';
import { FeatureEnvironmentSchema, FeatureSchema, TagSchema } from '../schemas.ts';

/** Maximum length of one filter, in characters. A filter may be a long list of names, and it is applied to every flag. */
const FILTER_LENGTH_MAX = 2_000;

const filter = (pattern: string, description: string) =>
  Type.Optional(Type.String({ maxLength: FILTER_LENGTH_MAX, pattern, description }));

const oneOf = (what: string) =>
  filter('^(IS|IS_NOT|IS_ANY_OF|IS_NONE_OF):.+$', `${what}: an operator, a colon, and values separated by commas`);

const SET_OPERATORS = 'INCLUDE|DO_NOT_INCLUDE|INCLUDE_ALL_OF|INCLUDE_ANY_OF|EXCLUDE_IF_ANY_OF|EXCLUDE_ALL';

const TAG_TEXT = '[^,:]+:[^,]+';

const ofDay = (what: string) => filter('^(IS_BEFORE|IS_ON_OR_AFTER):\\d{4}-\\d{2}-\\d{2}$', `${what}: a day, in UTC`);

/** Number of flags on a page if the query has no limit, or an invalid limit. */
export const PAGE_DEFAULT = 50;
export const PAGE_MAX = 100;
/** The filters whose values can be counted. */
export const FACETS = [
  'project',
  'type',
  'state',
  'tag',
  'segment',
  'createdBy',
  'lifecycle',
  'status',
  'favorite',
] as const;
export type Facet = (typeof FACETS)[number];

/** Maximum number of values of one facet in an answer. */
export const FACET_VALUES_MAX = 100;

const {
  strategies: _strategies,
  variants: _variants,
  releasePlans: _plans,
  ...SearchedEnvironment
} = FeatureEnvironmentSchema.properties;

const { createdBy, favorite, lifecycle } = FeatureSchema.properties;

const FoundFields = {
  name: Type.String(),
  type: FeatureType,
  description: Nullable(Type.String()),
  project: Type.String(),
  stale: Type.Boolean(),
  potentiallyStale: Type.Boolean({ description: 'Whether the flag has outlived the expected lifetime of its type' }),
  favorite,
  impressionData: Type.Boolean(),
  createdAt: Nullable(DateTime),
  createdBy,
  archivedAt: Nullable(DateTime),
  lastSeenAt: Nullable(DateTime),
  lifecycle,
  dependencyType: Type.Union([Type.Enum(['parent', 'child']), Type.Null()], {
    description: '`parent`: other flags depend on the flag; `child`: the flag depends on other flags; null: neither',
  }),
  environments: Type.Array(
    Type.Object({
      ...SearchedEnvironment,
      changeRequestIds: Type.Array(Type.Integer(), {
        description: 'Ids of the change requests, except drafts, that would change the flag there',
      }),
    }),
  ),
  segments: Type.Array(Type.String(), { description: 'Names of the segments that strategies of the flag use' }),
  tags: Nullable(Type.Array(TagSchema)),
};
export type FoundField = keyof typeof FoundFields;

/** The parameters of a search. A flag must match all filters. */
export const FeatureSearchQuery = Type.Object({
  query: Type.Optional(
    Type.String({
      maxLength: FILTER_LENGTH_MAX,
      pattern: '^[^,]*(,[^,]*){0,19}$',
      description:
        'Up to 20 texts separated by commas; a flag’s name, description or a tag contains one of them, in upper or lower case',
    }),
  ),
  project: oneOf('Ids of projects'),
  state: oneOf('`active`, `stale`, `potentially-stale`'),
  type: oneOf('Types of flags'),
  createdBy: oneOf('Ids of users'),
  lifecycle: oneOf('Stages: `initial`, `pre-live`, `live`, `completed`, `archived`'),
  tag: filter(`^(${SET_OPERATORS}):\\s*${TAG_TEXT}(,\\s*${TAG_TEXT})*$`, 'Tags as `type:value`'),
  segment: filter(`^(${SET_OPERATORS}):.+$`, 'Names of segments that strategies of the flag use'),
  status: Type.Optional(
    Type.Array(Type.String({ maxLength: 120, pattern: '^[^:]+:(enabled|disabled)$' }), {
      maxItems: 50,
      description: '`environment:enabled` or `environment:disabled`; a flag matches if it has one of these states',
    }),
  ),
  archived: filter(
    '^IS:(true|false)$',
    '`IS:true`: only archived flags; otherwise only flags that are not archived. Ignored if `lifecycle` includes `archived`',
  ),
  favorite: filter(
    '^(IS|IS_ANY_OF):(true|false)(,(true|false))?$',
    '`true`: the caller’s favourites; `false`: all other flags',
  ),
  createdAt: ofDay('When the flag was created'),
  lastSeenAt: ofDay('When an SDK last reported the flag'),
  favoritesFirst: Type.Optional(
    Type.Boolean({ description: 'Whether the caller’s favourites come before all other flags' }),
  ),
  sortBy: Type.Optional(
    Type.String({
      maxLength: 120,
      description:
        '`name`, `type`, `project`, `createdAt`, `lastSeenAt`, `stale` or `environment:` and a name; anything else means `createdAt`',
    }),
  ),
  sortOrder: Type.Optional(Type.String({ maxLength: 10, description: '`desc`; anything else means `asc`' })),
  offset: Type.Optional(Type.Number({ description: 'Number of flags to skip' })),
  limit: Type.Optional(
    Type.Number({
      description: `1 to ${PAGE_MAX}, or 1 to ${LARGE_PAGE_MAX} with \`fields\`; anything else means ${PAGE_DEFAULT}`,
    }),
  ),
  cursor: CursorParameter,
  fields: fieldsParameter(Object.keys(FoundFields)),
  facets: listParameter(
    FACETS,
    `Counts the flags that match by their values of these filters, separated by commas: ${FACETS.join(', ')}`,
  ),
});
export type FeatureSearchQuery = Static<typeof FeatureSearchQuery>;

const FacetCounts = Type.Array(
  Type.Object({
    value: Type.String({ description: 'A value of the filter with this name' }),
    count: Type.Integer({ minimum: 1, description: 'Number of flags that match and have the value' }),
  }),
  { maxItems: FACET_VALUES_MAX, description: 'The values of this filter, the most frequent one first' },
);

export const FeatureSearchAnswer = Type.Object(
  {
    features: Type.Array(projected(FoundFields)),
    total: Type.Integer({ minimum: 0, description: 'Number of flags that match, on all pages' }),
    cursor: NextCursor,
    facets: Type.Optional(
      Type.Object(Object.fromEntries(FACETS.map((facet) => [facet, Type.Optional(FacetCounts)])), {
        description: `Only with \`facets\`: the ${FACET_VALUES_MAX} most frequent values of each filter`,
      }),
    ),
  },
  { $id: 'searchFeatures' },
);
