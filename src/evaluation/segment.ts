import type { Work } from '../base/work.ts';
import type { Constraint } from '../model/constraint.ts';
import { allOf, brokenCondition, type Question } from './condition.ts';
import { type CompiledConstraint, compileConstraintInSteps } from './constraint.ts';

/** The part of a segment that evaluation needs; a stored `Segment` satisfies it. */
export interface SegmentDefinition {
  readonly id: number;
  readonly name: string;
  readonly constraints: readonly Constraint[];
}

export type SegmentLookup = (id: number) => SegmentDefinition | undefined;

export interface CompiledSegment {
  /** Whether a context is in the segment. */
  readonly question: Question;
  readonly definition: SegmentDefinition;
  /** One compiled constraint for each constraint of the definition, in order. */
  readonly constraints: readonly Question[];
  readonly warnings: readonly string[];
}

/** Segments are immutable, so all flags that use a segment share its compiled form, including lists of 10,000 entries. */
const compiledSegments = new WeakMap<SegmentDefinition, CompiledSegment>();

/** Compiles the segment with this id, one step per constraint. A missing segment is never satisfied, so its strategy is off. */
export function* compileSegment(id: number, segmentOf: SegmentLookup): Work<CompiledSegment> {
  const definition = segmentOf(id);
  if (definition === undefined) return missingSegment(id);
  const known = compiledSegments.get(definition);
  if (known !== undefined) return known;
  const constraints: CompiledConstraint[] = [];
  for (const constraint of definition.constraints) constraints.push(yield* compileConstraintInSteps(constraint));
  const warnings: string[] = [];
  for (const { warning } of constraints) if (warning !== null) warnings.push(`segment ${id}, ${warning}`);
  const compiled: CompiledSegment = { definition, constraints, question: allOf(constraints, true), warnings };
  compiledSegments.set(definition, compiled);
  return compiled;
}

function missingSegment(id: number): CompiledSegment {
  const definition = { id, name: '', constraints: [] };
  const warning = `segment ${id} does not exist`;
  return { definition, constraints: [], question: brokenCondition(warning), warnings: [warning] };
}
