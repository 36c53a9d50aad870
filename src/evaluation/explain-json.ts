import type { Work } from '../base/work.ts';
import type { Constraint } from '../model/constraint.ts';
import type { Strategy } from '../model/strategy.ts';
import type { CompiledFlag } from './compile.ts';
import { ask, HASHING_COST } from './condition.ts';
import type { EvaluationContext } from './context.ts';
import type { StrategyVerdict } from './judge.ts';
import type { SegmentDefinition } from './segment.ts';
import { rolloutPosition } from './strategies/rollouts.ts';

/** For each segment of the strategy: whether each of its constraints is true. */
type SegmentResults = readonly (readonly boolean[])[];

const NO_SEGMENTS: SegmentResults = Object.freeze([]);

/** What the verdicts of the strategies of one flag have in common. */
export interface Explained {
  readonly flag: Pick<CompiledFlag, 'name' | 'hashEncoding'>;
  /** The text of a strategy's link before the strategy's id. It must not contain characters that JSON escapes. */
  readonly editLink: string;
}

/** One entry of the playground's `strategies.data` as JSON, in one step: for a flag whose `judgingCost` is not null. */
export function verdictJsonAtOnce(verdict: StrategyVerdict, context: EvaluationContext, of: Explained): string {
  const { segments } = verdict.strategy;
  if (segments.length === 0) return verdictJson(verdict, NO_SEGMENTS, context, of);
  const results = segments.map(({ constraints }) => constraints.map(({ test }) => test(context)));
  return verdictJson(verdict, results, context, of);
}

/** Same as `verdictJsonAtOnce`, in counted steps, for every strategy. */
export function* verdictJsonInSteps(verdict: StrategyVerdict, context: EvaluationContext, of: Explained): Work<string> {
  const results: boolean[][] = [];
  for (const { constraints } of verdict.strategy.segments) {
    const constraintResults: boolean[] = [];
    for (const constraint of constraints) constraintResults.push(yield* ask(constraint, context));
    results.push(constraintResults);
  }
  // The position in a rollout is a hash of the sticky id.
  yield HASHING_COST.fixed + HASHING_COST.perChar * context.longestValue;
  const json = verdictJson(verdict, results, context, of);
  yield json.length * WORK_PER_CHAR;
  return json;
}

/** Units of work to write one character. */
export const WORK_PER_CHAR = 0.2;

function verdictJson(
  { strategy, conditions, result, variant }: StrategyVerdict,
  segmentResults: SegmentResults,
  context: EvaluationContext,
  { flag, editLink }: Explained,
) {
  const { id, name, title, disabled, parameters, constraints, variants } = strategy.definition;
  return JSON.stringify({
    id,
    name,
    title: title ?? undefined,
    disabled,
    parameters,
    result: variant === null ? result : { ...result, variant: variant.variant, variants },
    rollout: rolloutPosition(strategy.definition, flag, context),
    constraints: withResults(constraints, conditions),
    segments: strategy.segments.map(({ definition: segment }, index) => ({
      id: segment.id,
      name: segment.name,
      result: conditions[constraints.length + index] === true,
      constraints: withResults(segment.constraints, segmentResults[index] as readonly boolean[]),
    })),
    links: { edit: editLink + encodeURIComponent(id) },
  });
}

function withResults(constraints: readonly Constraint[], results: readonly boolean[]) {
  return constraints.map((constraint, index) => ({ ...constraint, result: results[index] === true }));
}

/** Estimates the number of characters that `verdictJsonInSteps` writes for all strategies of a flag, in counted steps. */
export function* explanationLength({ strategies }: CompiledFlag): Work<number> {
  let length = 0;
  for (const { definition, segments } of strategies) {
    const before = length;
    // The answer contains the chosen variant in addition to all variants.
    length += lengthOf(definition) + JSON.stringify(definition.variants).length;
    for (const segment of segments) length += lengthOf(segment.definition);
    yield (length - before) * WORK_PER_CHAR;
  }
  return length;
}

/** `,"result":false` for each constraint, and the JSON around each strategy or segment. */
const CHARS_PER_CONSTRAINT = 16;
const CHARS_AROUND = 250;

function lengthOf(definition: Strategy | SegmentDefinition): number {
  return CHARS_AROUND + JSON.stringify(definition).length + definition.constraints.length * CHARS_PER_CONSTRAINT;
}
