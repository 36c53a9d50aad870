import { byText } from '../../../base/lists/sorted.ts';
import { invalid, Rejection } from '../../../base/rejection.ts';
import { listAnswer } from '../../../http/answer.ts';
import { routesOf } from '../../endpoint.ts';
import { basisOf } from '../../shared/sight-basis.ts';
import { LARGE_PAGE_MAX, namedFields } from '../page-parameters.ts';
import { favoriteFeatures } from '../present.ts';
import { facetCounter } from './facets.ts';
import { slotFilters, wantedTexts } from './filters.ts';
import { presentFound } from './present-found.ts';
import {
  type Facet,
  FeatureSearchAnswer,
  FeatureSearchQuery,
  type FoundField,
  PAGE_DEFAULT,
  PAGE_MAX,
} from './schemas.ts';
import { sortOrder } from './sort-order.ts';

const route = routesOf('Search');

const searchFeatures = route('GET /api/admin/search/features', 'searchFeatures', {
  access: { permission: 'READ' },
  summary: 'A page of the flags that match all of the filters',
  description:
    'A filter has an operator, a colon, and values: `project=IS_ANY_OF:one,two`, `tag=INCLUDE:simple:beta`, `createdAt=IS_BEFORE:2026-01-01`.',
  query: FeatureSearchQuery,
  responses: { 200: { description: 'The page', schema: FeatureSearchAnswer } },
  errors: [429],
  basis({ caller }, services) {
    const favorites = favoriteFeatures(services, caller);
    return { ...basisOf(services.state, caller, JSON.stringify([...favorites].sort(byText))), favorites };
  },
  async handle({ query, asker, basis: { visible, favorites } }, services) {
    const { state, flagSearch, clock } = services;
    const nowMs = clock.nowMs();
    const found = await flagSearch.find(asker, (columns) => {
      const context = { state, columns, visible, favorites, nowMs };
      const order = sortOrder(query, context);
      const after = query.cursor === undefined ? undefined : order.positionOf(query.cursor);
      if (query.cursor !== undefined && after === undefined) return WRONG_CURSOR;
      const facets = facetsOf(query).map((facet) => facetCounter(facet, context));
      const [filters, texts] = [slotFilters(query, context), wantedTexts(query.query)];
      return { filters, texts, facets, order, after, offset: offsetOf(query), limit: limitOf(query) };
    });
    if (found instanceof Rejection) return found;
    const { total, cursor, facets } = found;
    const head = { total, ...(cursor !== undefined && { cursor }), ...(facets && { facets }) };
    const fields = namedFields<FoundField>(query.fields);
    return listAnswer(head, 'features', found.features, (feature) =>
      presentFound({ feature, sources: services, favorites, nowMs }, fields),
    );
  },
});

const WRONG_CURSOR = invalid('The cursor does not belong to this order of flags.', '/cursor');

function facetsOf({ facets }: FeatureSearchQuery): readonly Facet[] {
  return facets === undefined ? [] : [...new Set(facets.split(',') as Facet[])];
}

function offsetOf({ offset = 0 }: FeatureSearchQuery): number {
  return Math.max(0, Math.floor(offset));
}

function limitOf({ limit = PAGE_DEFAULT, fields }: FeatureSearchQuery): number {
  const max = fields === undefined ? PAGE_MAX : LARGE_PAGE_MAX;
  return limit >= 1 && limit <= max ? Math.floor(limit) : PAGE_DEFAULT;
}

export const featureSearchEndpoints = [searchFeatures];
