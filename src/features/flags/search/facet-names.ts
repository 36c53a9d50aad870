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
