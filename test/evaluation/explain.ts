import { workAtOnce } from '../../src/base/work.ts';
import type { CompiledFlag, FlagLookup } from '../../src/evaluation/compile.ts';
import type { EvaluationContext } from '../../src/evaluation/context.ts';
import { type FlagVerdict, judge, type StrategyResult, type StrategyVerdict } from '../../src/evaluation/judge.ts';
import type { CompiledSegment } from '../../src/evaluation/segment.ts';
import type { VariantResult } from '../../src/evaluation/variant.ts';
import type { Constraint } from '../../src/model/constraint.ts';
import type { StrategyParameters } from '../../src/model/strategy.ts';

type ExplainedConstraint = Constraint & { readonly result: boolean };

interface ExplainedSegment {
  readonly id: number;
  readonly name: string;
  readonly result: boolean;
  readonly constraints: readonly ExplainedConstraint[];
}

/** One entry of the playground's `strategies.data`, without its `links`, which the caller adds. */
interface ExplainedStrategy {
  readonly id: string;
  readonly name: string;
  readonly title?: string;
  readonly disabled: boolean;
  readonly parameters: StrategyParameters;
  readonly result: StrategyResult & { readonly variant?: VariantResult; readonly variants?: unknown };
  readonly constraints: readonly ExplainedConstraint[];
  readonly segments: readonly ExplainedSegment[];
}

/** The playground's evaluation fields of one flag. Strategies are explained whether or not the flag is enabled. */
export interface Explanation extends Omit<FlagVerdict, 'strategies' | 'satisfied' | 'resolution'> {
  readonly strategies: { readonly result: boolean | 'unknown'; readonly data: readonly ExplainedStrategy[] };
  readonly variant: VariantResult;
}

/** Explains an evaluation as objects: every strategy, segment and constraint with its result. `explain-json.ts` writes the same as text. */
export function explain(flag: CompiledFlag, context: EvaluationContext, flags: FlagLookup): Explanation {
  const { strategies, satisfied: _satisfied, resolution, ...rest } = workAtOnce(judge(flag, context, flags));
  const data = strategies.data.map((verdict) => explainStrategy(verdict, context));
  return { strategies: { result: strategies.result, data }, ...rest, variant: resolution.variant };
}

function explainStrategy(
  { strategy, conditions, result, variant }: StrategyVerdict,
  context: EvaluationContext,
): ExplainedStrategy {
  const { id, name, title, disabled, parameters, constraints, variants } = strategy.definition;
  return {
    id,
    name,
    ...(title !== null && { title }),
    disabled,
    parameters,
    result: variant === null ? result : { ...result, variant: variant.variant, variants },
    constraints: constraints.map((constraint, index) => ({ ...constraint, result: conditions[index] === true })),
    segments: strategy.segments.map((segment, index) =>
      explainSegment(segment, conditions[constraints.length + index] === true, context),
    ),
  };
}

function explainSegment(
  { definition, constraints }: CompiledSegment,
  result: boolean,
  context: EvaluationContext,
): ExplainedSegment {
  const { id, name } = definition;
  const explained = definition.constraints.map((constraint, index) => ({
    ...constraint,
    result: constraints[index]?.test(context) === true,
  }));
  return { id, name, result, constraints: explained };
}
