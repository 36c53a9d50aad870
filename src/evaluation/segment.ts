import type { Constraint } from '../model/constraint.ts';
import { allOf, never, type Predicate } from './condition.ts';
import { compileConstraint } from './constraint.ts';

/** The part of a segment that evaluation needs; a stored `Segment` is one. */
export interface SegmentDefinition {
  readonly id: number;
  readonly name: string;
  readonly constraints: readonly Constraint[];
}

export type SegmentLookup = (id: number) => SegmentDefinition | undefined;

export interface CompiledSegment {
  readonly definition: SegmentDefinition;
  /** One for each constraint of the definition, in order. */
  readonly constraints: readonly Predicate[];
  readonly test: Predicate;
  readonly warnings: readonly string[];
}

/** Segments are immutable entities, so all flags that refer to one share its compilation, 10,000-entry lists included. */
const compiledSegments = new WeakMap<SegmentDefinition, CompiledSegment>();

/** Compiles the segment of this id; one that does not exist is never satisfied and switches its strategy off. */
export function compileSegment(id: number, segments: SegmentLookup): CompiledSegment {
  const definition = segments(id);
  if (definition === undefined) return missingSegment(id);
  const known = compiledSegments.get(definition);
  if (known !== undefined) return known;
  const compiledConstraints = definition.constraints.map(compileConstraint);
  const constraints = compiledConstraints.map(({ test }) => test);
  const warnings: string[] = [];
  for (const { warning } of compiledConstraints) if (warning !== null) warnings.push(`segment ${id}, ${warning}`);
  const compiled: CompiledSegment = { definition, constraints, test: allOf(constraints), warnings };
  compiledSegments.set(definition, compiled);
  return compiled;
}

function missingSegment(id: number): CompiledSegment {
  const definition = { id, name: '', constraints: [] };
  return { definition, constraints: [], test: never, warnings: [`segment ${id} does not exist`] };
}
