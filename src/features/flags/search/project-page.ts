import { invalid, type Rejection } from '../../../base/rejection.ts';
import type { Feature } from '../../../model/feature.ts';
import { LARGE_PAGE_MAX } from '../page-parameters.ts';
import { bitFilter, testFilter, valueFilter } from './filters.ts';
import type { FlagColumns } from './flag-columns.ts';
import type { PlannedSearch } from './search-steps.ts';
import { nameOrder } from './sort-order.ts';

export interface ProjectFlagsQuery {
  /** A flag matches if it has any of these tags. */
  readonly tag?: readonly string[] | undefined;
  readonly namePrefix?: string | undefined;
  readonly limit?: number | undefined;
  readonly cursor?: string | undefined;
}

const WRONG_CURSOR = invalid('The cursor does not belong to a list of flags.', '/cursor');

/** A page of the flags of the project, without archived flags, in the order of their names. */
export function projectPage(
  project: string,
  { tag, namePrefix = '', limit = LARGE_PAGE_MAX, cursor }: ProjectFlagsQuery,
  columns: FlagColumns,
): PlannedSearch | Rejection {
  const { archived, projects, features, tags, tagTexts } = columns;
  const order = nameOrder(columns);
  const after = cursor === undefined ? undefined : order.positionOf(cursor);
  if (cursor !== undefined && after === undefined) return WRONG_CURSOR;
  const wanted = new Set(tag?.map((text) => tagTexts.numberOf(text)));
  const filters = [
    valueFilter(projects, (id) => id === project),
    bitFilter(archived, 0),
    ...(tag ? [valueFilter(tags, (numbers) => numbers.some((number) => wanted.has(number)))] : []),
    ...(namePrefix === '' ? [] : [testFilter((slot) => (features[slot] as Feature).name.startsWith(namePrefix))]),
  ];
  return { filters, texts: [], facets: [], order, after, offset: 0, limit };
}
