import { invalid, Rejection } from '../../../base/rejection.ts';
import type { Steps } from '../../../base/yield-control.ts';
import type { Project } from '../../../model/project.ts';
import type { Strategy, StrategyParameters } from '../../../model/strategy.ts';
import { BUILT_IN_STRATEGY_NAMES } from '../../../model/strategy-type.ts';
import type { StrategyVariant } from '../../../model/variant.ts';
import type { StateReader } from '../../../state/collections.ts';
import { ANY_VALUE, validateConstraints } from '../constraints/validate.ts';
import { validateStrategyVariants } from '../variants/validate.ts';

/** A strategy without its id and sort order. */
export type StrategyContent = Omit<Strategy, 'id' | 'sortOrder'>;

/** The flag for which a strategy is meant. */
interface StrategyOwner {
  readonly project: Project;
  readonly featureName: string;
  /** True if the strategy is imported: its values are then not checked against the legal values of context fields. */
  readonly isImported?: boolean;
}

/**
 * Returns the strategy as it is stored, or a rejection: its type does not exist, a constraint or a variant cannot be used, or a segment does not
 * exist or belongs to another project. Missing parameters of flexibleRollout are filled in.
 */
export function* validateStrategy(
  reader: StateReader,
  { project, featureName, isImported }: StrategyOwner,
  content: StrategyContent,
  before?: StrategyContent,
): Steps<StrategyContent | Rejection> {
  const { name, title, disabled } = content;
  if (!reader.get('strategyTypes', name)) return invalid(`The strategy type ${name} does not exist.`, '/name');
  const parameters = completeParameters(name, content.parameters, featureName, project.defaultStickiness);
  const problem = parametersProblem(name, parameters) ?? segmentsProblem(reader, project.id, content.segments);
  if (problem) return problem;
  const own = isImported ? ANY_VALUE : { has: (id: string) => id === project.id };
  const constraints = yield* validateConstraints(reader, content.constraints, before?.constraints, own);
  if (constraints instanceof Rejection) return constraints;
  const variants: StrategyVariant[] | Rejection = yield* validateStrategyVariants(content.variants, '/variants');
  if (variants instanceof Rejection) return variants;
  return { name, title, disabled, parameters, constraints, segments: [...new Set(content.segments)], variants };
}

/** The strategy for a flag that is switched on before it has a strategy, if its project has no default strategy. It is on for everybody. */
export function defaultStrategy(featureName: string, stickiness: string): StrategyContent {
  return {
    name: 'flexibleRollout',
    title: null,
    disabled: false,
    parameters: completeParameters('flexibleRollout', {}, featureName, stickiness),
    constraints: [],
    segments: [],
    variants: [],
  };
}

function completeParameters(
  strategyName: string,
  supplied: StrategyParameters,
  featureName: string,
  stickiness: string,
): StrategyParameters {
  if (strategyName !== 'flexibleRollout') return { ...supplied };
  return { rollout: '100', stickiness, groupId: featureName, ...supplied };
}

const PERCENTAGES = ['rollout', 'percentage'];

/** Parameters of custom strategies are not checked: only the SDKs that implement the strategy interpret them. */
function parametersProblem(strategyName: string, parameters: StrategyParameters): Rejection | undefined {
  if (!BUILT_IN_STRATEGY_NAMES.has(strategyName)) return undefined;
  for (const name of PERCENTAGES) {
    const text = Object.hasOwn(parameters, name) ? parameters[name] : undefined;
    if (text === undefined) continue;
    const share = text.trim() === '' ? Number.NaN : Number(text);
    if (!(share >= 0 && share <= 100)) {
      return invalid(`The parameter ${name} must be a number from 0 to 100, not "${text}".`, `/parameters/${name}`);
    }
  }
  return undefined;
}

function segmentsProblem(reader: StateReader, projectId: string, ids: readonly number[]): Rejection | undefined {
  for (const [index, id] of ids.entries()) {
    const segment = reader.get('segments', String(id));
    // The same message for both cases: the caller may not be allowed to see the other project.
    if (!segment || (segment.project !== null && segment.project !== projectId)) {
      return invalid(`The segment ${id} does not exist, or belongs to another project.`, `/segments/${index}`);
    }
  }
  return undefined;
}
