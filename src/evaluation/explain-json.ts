import type { Work } from '../base/work.ts';
import type { Constraint } from '../model/constraint.ts';
import type { Strategy } from '../model/strategy.ts';
import type { CompiledFlag } from './compile.ts';
import type { EvaluationContext } from './context.ts';
import type { StrategyVerdict } from './judge.ts';
import type { SegmentDefinition } from './segment.ts';
import { rolloutPosition } from './strategies/rollouts.ts';

/** What the verdicts of the strategies of one flag have in common. */
export interface Explained {
  readonly flag: Pick<CompiledFlag, 'name' | 'hashEncoding'>;
  /** The text of a strategy's link before the strategy's id. It must not contain characters that JSON escapes. */
  readonly editLink: string;
}

/** Units of work to write one character. */
export const WORK_PER_CHAR = 0.2;

/** One entry of the playground's `strategies.data` as JSON. */
export function verdictJson(
  { strategy, conditions, result, variant }: StrategyVerdict,
  context: EvaluationContext,
  { flag, editLink }: Explained,
): string {
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
    segments: strategy.segments.map(({ definition: segment, constraints: tested }, index) => ({
      id: segment.id,
      name: segment.name,
      result: conditions[constraints.length + index] === true,
      constraints: withResults(
        segment.constraints,
        tested.map(({ test }) => test(context)),
      ),
    })),
    links: { edit: editLink + encodeURIComponent(id) },
  });
}

function withResults(constraints: readonly Constraint[], results: readonly boolean[]) {
  return constraints.map((constraint, index) => ({ ...constraint, result: results[index] === true }));
}

/** Estimates the number of characters that `verdictJson` writes for all strategies of a flag, in counted steps. */
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
