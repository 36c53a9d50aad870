import Type, { type Static } from 'typebox';
import { permissionProblem } from '../../../access/permission-problem.ts';
import { conflict, invalid, notFound, Rejection } from '../../../base/rejection.ts';
import type { Steps } from '../../../base/yield-control.ts';
import { type CommandContext, command, longCommand } from '../../../engine/command.ts';
import { MODEL_LIMITS } from '../../../model/limits.ts';
import { StrategySortOrder } from '../../../model/primitives.ts';
import { planStrategyIds, withStrategies } from '../../../model/release-plan.ts';
import { type Strategy, StrategyInput } from '../../../model/strategy.ts';
import type { StateReader } from '../../../state/collections.ts';
import { applyPatch, JsonPatch } from '../../shared/json-patch.ts';
import { findFeature, findProject } from '../../shared/lookup.ts';
import {
  FeatureLocation,
  type FoundLocation,
  findFeatureLocation,
  nextSortOrder,
  switchOff,
  withEnvironment,
} from '../environments/settings.ts';
import { type StrategyContent, validateStrategy } from './validate.ts';

const StrategyLocation = Type.Object({ ...FeatureLocation.properties, strategyId: Type.String() });
type StrategyLocation = Static<typeof StrategyLocation>;

/** The properties of a strategy that a request changes. */
const StrategyChanges = Type.Partial(StrategyInput);
type StrategyChanges = Static<typeof StrategyChanges>;

/** Finds a strategy of a flag in an environment. The flag may be archived. */
export function findStrategy(reader: StateReader, location: StrategyLocation): Strategy | Rejection {
  const found = findFeatureLocation(reader, location, 'any');
  return found instanceof Rejection ? found : strategyOf(found, location.strategyId);
}

/** Adds a strategy to a flag in an environment. The strategy comes after the existing strategies, unless a sort order is specified. */
export const addStrategy = longCommand({
  name: 'add-strategy',
  input: Type.Object({ ...FeatureLocation.properties, strategy: StrategyInput }),
  *decide(context, input) {
    const found = findLocationForNewStrategy(context.draft, input);
    if (found instanceof Rejection) return found;
    const content = yield* validContent(context, input, contentOf(input.strategy));
    if (content instanceof Rejection) return content;
    const { strategies } = found.config;
    const sortOrder = input.strategy.sortOrder ?? nextSortOrder(strategies);
    const strategy: Strategy = { id: context.newId(), ...content, sortOrder };
    putStrategies(context, found, [...strategies, strategy]);
    context.emit({ ...locationOf(found), type: 'feature-strategy-add', data: strategy });
    return strategy;
  },
});

/**
 * Finds the flag and the environment of a new strategy. A missing environment is rejected as invalid input, not as "not found", in the same way as a
 * missing segment.
 */
function findLocationForNewStrategy(reader: StateReader, location: FeatureLocation): FoundLocation | Rejection {
  const feature = findFeature(reader, location.project, location.featureName);
  if (feature instanceof Rejection) return feature;
  const found = findFeatureLocation(reader, location);
  return found instanceof Rejection ? invalid(found.message, '/environment') : found;
}

/** Changes only the specified properties of a strategy. A flag that then has no active strategy is switched off. */
export const updateStrategy = longCommand({
  name: 'update-strategy',
  input: Type.Object({ ...StrategyLocation.properties, changes: StrategyChanges }),
  *decide(context, { changes, ...location }) {
    const found = findFeatureLocation(context.draft, location);
    if (found instanceof Rejection) return found;
    const before = strategyOf(found, location.strategyId);
    return before instanceof Rejection ? before : yield* replaceStrategy(context, found, before, changes);
  },
});

/** Replaces the segments of a strategy. The caller needs the permission to change strategies in the environment. */
export const setStrategySegments = longCommand({
  name: 'set-strategy-segments',
  input: Type.Object({
    ...StrategyLocation.properties,
    segments: Type.Array(Type.Integer({ minimum: 1 }), { maxItems: MODEL_LIMITS.strategySegments.max }),
  }),
  *decide(context, { segments, ...location }) {
    const refusal = permissionProblem(context, ['UPDATE_FEATURE_STRATEGY'], location.project, location.environment);
    if (refusal) return refusal;
    const steps = updateStrategy.decide(context, { ...location, changes: { segments } });
    return yield* steps;
  },
});

/** Like `updateStrategy`, but by a JSON Patch of the properties that can change. A property that the patch removes gets its default value. */
export const patchStrategy = longCommand({
  name: 'patch-strategy',
  input: Type.Object({ ...StrategyLocation.properties, patch: JsonPatch }),
  *decide(context, { patch, ...location }) {
    const found = findFeatureLocation(context.draft, location);
    if (found instanceof Rejection) return found;
    const before = strategyOf(found, location.strategyId);
    if (before instanceof Rejection) return before;
    const { id: _id, ...document } = before;
    const after = applyPatch(StrategyInput, document, patch);
    if (after instanceof Rejection) return after;
    const { title = null, disabled = false, parameters = {}, constraints = [], segments = [], variants = [] } = after;
    const changes = { ...after, title, disabled, parameters, constraints, segments, variants };
    return yield* replaceStrategy(context, found, before, changes);
  },
});

function* replaceStrategy(
  context: CommandContext,
  found: FoundLocation,
  before: Strategy,
  changes: StrategyChanges,
): Steps<Strategy | Rejection> {
  const location = locationOf(found);
  const content = yield* validContent(context, location, contentOf(changes, before), before);
  if (content instanceof Rejection) return content;
  const after: Strategy = { id: before.id, ...content, sortOrder: changes.sortOrder ?? before.sortOrder };
  putStrategies(
    context,
    found,
    found.config.strategies.map((strategy) => (strategy.id === before.id ? after : strategy)),
  );
  context.emit({ ...location, type: 'feature-strategy-update', data: after, preData: before });
  switchOffWithoutStrategies(context, location);
  return after;
}

/** Removes a strategy. A flag that then has no active strategy is switched off, because SDKs treat a flag without strategies as on. */
export const removeStrategy = command({
  name: 'remove-strategy',
  input: StrategyLocation,
  decide(context, input) {
    const found = findFeatureLocation(context.draft, input);
    if (found instanceof Rejection) return found;
    const strategy = strategyOf(found, input.strategyId);
    if (strategy instanceof Rejection) return strategy;
    const { releasePlan } = found.config;
    if (releasePlan && planStrategyIds(releasePlan).has(strategy.id))
      return conflict(
        `The strategy ${strategy.id} belongs to a milestone of the release plan ${releasePlan.name}: start another milestone, or remove the plan.`,
      );
    putStrategies(
      context,
      found,
      found.config.strategies.filter((other) => other.id !== strategy.id),
    );
    context.emit({ ...locationOf(found), type: 'feature-strategy-remove', preData: strategy });
    switchOffWithoutStrategies(context, locationOf(found));
    return undefined;
  },
});

/** The sort orders of strategies, by their ids. */
export const StrategyOrder = Type.Array(Type.Object({ id: Type.String(), sortOrder: StrategySortOrder }), {
  maxItems: 1000,
});

/** Sets the order in which strategies are evaluated. The first strategy that is true for a context decides the variant. */
export const sortStrategies = command({
  name: 'sort-strategies',
  input: Type.Object({ ...FeatureLocation.properties, order: StrategyOrder }),
  decide(context, input) {
    const found = findFeatureLocation(context.draft, input);
    if (found instanceof Rejection) return found;
    const newSortOrders = new Map<string, number>();
    for (const { id, sortOrder } of input.order) {
      const strategy = strategyOf(found, id);
      if (strategy instanceof Rejection) return strategy;
      newSortOrders.set(id, sortOrder);
    }
    const before = found.config.strategies;
    const after = putStrategies(
      context,
      found,
      before.map((strategy) => ({ ...strategy, sortOrder: newSortOrders.get(strategy.id) ?? strategy.sortOrder })),
    );
    context.emit({
      ...locationOf(found),
      type: 'strategy-order-changed',
      data: { strategyIds: after.map((strategy) => strategy.id) },
      preData: { strategyIds: before.map((strategy) => strategy.id) },
    });
    return undefined;
  },
});

function strategyOf({ feature, config }: FoundLocation, id: string): Strategy | Rejection {
  const strategy = config.strategies.find((candidate) => candidate.id === id);
  return (
    strategy ?? notFound(`The feature ${feature.name} has no strategy ${id} in the environment ${config.environment}.`)
  );
}

const EMPTY_CONTENT: StrategyContent = {
  name: '',
  title: null,
  disabled: false,
  parameters: {},
  constraints: [],
  segments: [],
  variants: [],
};

/** Returns the content of `before`, changed by the input. Properties that the input leaves out keep their values. */
export function contentOf(input: Partial<StrategyInput>, before = EMPTY_CONTENT): StrategyContent {
  return {
    name: input.name ?? before.name,
    title: input.title === undefined ? before.title : input.title,
    disabled: input.disabled === undefined ? before.disabled : input.disabled === true,
    parameters: input.parameters ?? before.parameters,
    constraints: input.constraints ?? before.constraints,
    segments: input.segments ?? before.segments,
    variants: input.variants ?? before.variants,
  };
}

/** Returns the content as it is stored, or a rejection. */
function* validContent(
  { draft }: CommandContext,
  { project: projectId, featureName }: FeatureLocation,
  content: StrategyContent,
  before?: StrategyContent,
): Steps<StrategyContent | Rejection> {
  const project = findProject(draft, projectId);
  return project instanceof Rejection
    ? project
    : yield* validateStrategy(draft, { project, featureName }, content, before);
}

/** Stores the strategies in the order of evaluation. Strategies with equal sort orders keep their order. */
function putStrategies({ draft }: CommandContext, { feature, config }: FoundLocation, strategies: readonly Strategy[]) {
  const sortedStrategies = [...strategies].sort((left, right) => left.sortOrder - right.sortOrder);
  draft.put('features', withEnvironment(feature, withStrategies(config, sortedStrategies)));
  return sortedStrategies;
}

function switchOffWithoutStrategies(context: CommandContext, location: FeatureLocation): void {
  const found = findFeatureLocation(context.draft, location);
  if (found instanceof Rejection) return;
  if (found.config.strategies.every((strategy) => strategy.disabled)) switchOff(context, found);
}

function locationOf({ feature, config }: FoundLocation): FeatureLocation {
  return { project: feature.project, featureName: feature.name, environment: config.environment };
}
