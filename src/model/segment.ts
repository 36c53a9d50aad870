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
