import Type from 'typebox';
import { collection, NO_KEYS } from './collection.ts';
import { CONSTRAINTS_MAX, Constraint } from './constraint.ts';
import type { EntityOf } from './entity.ts';
import { DateTime, Nullable, Text, UrlSafeName } from './primitives.ts';

/** A reusable set of constraints. Collection `segments`, key: the id as text. */
export const Segment = Type.Object({
  id: Type.Integer(),
  name: Type.String({ minLength: 1, maxLength: 100, pattern: '\\S' }),
  description: Nullable(Text),
  constraints: Type.Array(Constraint, { maxItems: CONSTRAINTS_MAX }),
  /** Null: usable in every project. */
  project: Nullable(UrlSafeName),
  createdBy: Type.String(),
  createdAt: DateTime,
});
export interface Segment extends Omit<EntityOf<typeof Segment>, 'constraints'> {
  readonly constraints: readonly Constraint[];
}

export const segments = collection({
  schema: 1,
  key: (segment: Segment) => String(segment.id),
  past: 'whole',
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
