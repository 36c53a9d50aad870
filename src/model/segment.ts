import { collection, NO_KEYS } from './collection.ts';
import type { Constraint } from './constraint.ts';

/** A reusable set of constraints, as stored. Collection `segments`, key: the id as text. `project` null: usable in every project. */
export interface Segment {
  readonly id: number;
  readonly name: string;
  readonly description: string | null;
  readonly constraints: readonly Constraint[];
  readonly project: string | null;
  readonly createdBy: string;
  readonly createdAt: string;
}

export const segments = collection({
  schema: 1,
  key: (segment: Segment) => String(segment.id),
  indexes: {
    segmentsByName: ({ name }) => [name],
    segmentsByProject: ({ project }) => (project === null ? NO_KEYS : [project]),
  },
});

declare module './collection.ts' {
  interface CollectionTable {
    readonly segments: typeof segments;
  }
}
