import { invalid, Rejection } from '../../../base/rejection.ts';
import type { Steps } from '../../../base/yield-control.ts';
import type { Project } from '../../../model/project.ts';
import type { Strategy, StrategyParameters } from '../../../model/strategy.ts';
import { BUILT_IN_STRATEGY_NAMES } from '../../../model/strategy-type.ts';
import type { StrategyVariant } from '../../../model/variant.ts';
import type { StateReader } from '../../../state/collections.ts';
import { LEGAL_VALUES_IGNORED, validateConstraints } from '../constraints/validate.ts';
import { validateStrategyVariants } from '../variants/validate.ts';

/** A strategy without its id and sort order. */
export type StrategyContent = Omit<Strategy, 'id' | 'sortOrder'>;

/** The flag that a strategy belongs to. */
export interface StrategyOwner {
  readonly project: Pick<Project, 'id' | 'defaultStickiness'>;
  readonly featureName: string;
  /** Whether the strategy is imported. Values of an imported strategy are not checked against the legal values of context fields. */
  readonly isImported?: boolean;
  /** Whether the strategy is as SDKs get it from another service. Its parameters stay incomplete: its source evaluates it without them. */
  readonly isServed?: boolean;
}

/**
 * Returns the strategy as it is stored. Every entrance of strategies calls it. Missing parameters of flexibleRollout are completed, unless `before`,
 * the stored strategy, lacks them too. Returns a rejection if its type does not exist, if a constraint or a variant is invalid, or if a segment does
 * not exist or belongs to another project.
 */
export function* validateStrategy(
  reader: StateReader,
  owner: StrategyOwner,
  content: StrategyContent,
  before?: StrategyContent,
): Steps<StrategyContent | Rejection> {
  const { name, title, disabled } = content;
  if (!reader.get('strategyTypes', name)) return invalid(`The strategy type ${name} does not exist.`, '/name');
  const { project, isImported } = owner;
  const parameters = completeParameters(content, owner, before);
  const accepted = owner.isServed ? parameters : before?.parameters;
  const problem =
    parametersProblem(name, parameters, accepted) ?? segmentsProblem(reader, project.id, content.segments);
  if (problem) return problem;
  const fieldProjects = isImported ? LEGAL_VALUES_IGNORED : { has: (id: string) => id === project.id };
  const constraints = yield* validateConstraints(reader, content.constraints, before?.constraints, fieldProjects);
  if (constraints instanceof Rejection) return constraints;
  const variants: StrategyVariant[] | Rejection = yield* validateStrategyVariants(content.variants, '/variants');
  if (variants instanceof Rejection) return variants;
  return { name, title, disabled, parameters, constraints, segments: [...new Set(content.segments)], variants };
}

/** Returns the first strategy of a flag whose project has no default strategy. It is on for all users. */
export function defaultStrategy(featureName: string, stickiness: string): StrategyContent {
  return {
    name: COMPLETED_TYPE,
    title: null,
    disabled: false,
    parameters: { rollout: '100', stickiness, groupId: featureName },
    constraints: [],
    segments: [],
    variants: [],
  };
}

/** The strategy of a default strategy or a release template, for a flag: there, an empty or missing `groupId` stands for the name of the flag. */
export function strategyForFlag<Content extends StrategyContent>(content: Content, featureName: string): Content {
  const { name, parameters } = content;
  const isOfFlag = Object.hasOwn(parameters, 'groupId') ? parameters.groupId === '' : name === COMPLETED_TYPE;
  return isOfFlag ? { ...content, parameters: { ...parameters, groupId: featureName } } : content;
}

/** The only strategy type whose missing parameters are completed, as in Unleash. */
const COMPLETED_TYPE = 'flexibleRollout';

/**
 * The parameters as they are stored. What people and exports say is completed, as in Unleash. Two kinds of strategies stay incomplete, because
 * completing them would switch flags on: those that are as SDKs get them, and those that are stored incomplete and are edited or copied.
 */
export function completeParameters(
  { name, parameters }: StrategyContent,
  { project, featureName, isServed }: StrategyOwner,
  before: StrategyContent | undefined,
): StrategyParameters {
  const completed = { ...parameters };
  if (name !== COMPLETED_TYPE || isServed) return completed;
  const known = before?.name === name ? before.parameters : undefined;
  const defaults = { rollout: '100', stickiness: project.defaultStickiness, groupId: featureName };
  for (const [parameter, value] of Object.entries(defaults)) {
    // Where the flag is not known yet, an empty group is complete.
    const isKept = known !== undefined && lacks(known, parameter) && known[parameter] !== value;
    if (lacks(parameters, parameter) && !isKept) completed[parameter] = value;
  }
  return completed;
}

/**
 * The parameters for an export. An import completes what is missing, so parameters that are stored incomplete are exported with the values that have
 * the same effect.
 */
export function explicitParameters({ name, parameters }: StrategyContent, featureName: string): StrategyParameters {
  const { rollout, stickiness, groupId } = parameters;
  if (name !== COMPLETED_TYPE || (rollout !== undefined && stickiness && groupId)) return parameters;
  return {
    ...parameters,
    rollout: rollout ?? '0',
    stickiness: stickiness || 'default',
    groupId: groupId || featureName,
  };
}

/** Whether the parameter is missing. An empty text counts as missing, except for the percentage, which is then refused. */
function lacks(parameters: StrategyParameters, name: string): boolean {
  return !Object.hasOwn(parameters, name) || (name !== 'rollout' && parameters[name] === '');
}

/** Whether the strategy is stored without a percentage. Such a strategy is off for everybody, though Unleash would show it as 100 %. */
export function isIncomplete({ name, parameters }: Pick<StrategyContent, 'name' | 'parameters'>): boolean {
  return name === COMPLETED_TYPE && lacks(parameters, 'rollout');
}

const PERCENTAGE_PARAMETERS = ['rollout', 'percentage'];

/**
 * Parameters of custom strategies are not checked: only the SDKs that implement the strategy interpret them. A value that is also in `accepted` is not
 * checked either: a source serves it, or it is stored, and must not prevent a change of something else.
 */
function parametersProblem(
  strategyName: string,
  parameters: StrategyParameters,
  accepted: StrategyParameters = {},
): Rejection | undefined {
  if (!BUILT_IN_STRATEGY_NAMES.has(strategyName)) return undefined;
  for (const name of PERCENTAGE_PARAMETERS) {
    const text = Object.hasOwn(parameters, name) ? parameters[name] : undefined;
    if (text === undefined || (Object.hasOwn(accepted, name) && accepted[name] === text)) continue;
    const percentage = text.trim() === '' ? Number.NaN : Number(text);
    if (!(percentage >= 0 && percentage <= 100)) {
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
