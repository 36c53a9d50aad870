import { notFound, Rejection } from '../base/rejection.ts';
import type { Strategy, StrategyInput } from '../model/strategy.ts';
import type { StateReader } from '../state/collections.ts';
import type { Command, CommandContext } from './command.ts';
import {
  type FeaturePlace,
  type FoundPlace,
  findFeaturePlace,
  nextSortOrder,
  switchOff,
  withEnvironment,
} from './feature-environment.ts';
import { findProject } from './lookup.ts';
import { type StrategyContent, validateStrategy } from './validate-strategy.ts';

export interface StrategyPlace extends FeaturePlace {
  readonly strategyId: string;
}

/** The strategy, bound to its flag and environment. */
export function findStrategy(reader: StateReader, place: StrategyPlace): Strategy | Rejection {
  const found = findFeaturePlace(reader, place, 'any');
  return found instanceof Rejection ? found : strategyOf(found, place.strategyId);
}

/** Adds a strategy, behind the others unless a sort order is given. */
export const addStrategy: Command<FeaturePlace & { strategy: StrategyInput }, Strategy> = (context, input) => {
  const found = findFeaturePlace(context.draft, input);
  if (found instanceof Rejection) return found;
  const content = validated(context, input, contentOf(input.strategy));
  if (content instanceof Rejection) return content;
  const { strategies } = found.config;
  const sortOrder = input.strategy.sortOrder ?? nextSortOrder(strategies);
  const strategy: Strategy = { id: context.newId(), ...content, sortOrder };
  putStrategies(context, found, [...strategies, strategy]);
  context.emit({ ...at(input), type: 'feature-strategy-add', data: strategy });
  return strategy;
};

export interface UpdateStrategyInput extends StrategyPlace {
  /** What becomes of it; what is undefined stays. Pure. */
  change(before: Strategy): Partial<StrategyInput> | Rejection;
}

/** Changes the given properties of a strategy. A flag that is left without an active strategy is switched off. */
export const updateStrategy: Command<UpdateStrategyInput, Strategy> = (context, input) => {
  const found = findFeaturePlace(context.draft, input);
  if (found instanceof Rejection) return found;
  const before = strategyOf(found, input.strategyId);
  if (before instanceof Rejection) return before;
  const change = input.change(before);
  if (change instanceof Rejection) return change;
  const content = validated(context, input, contentOf(change, before));
  if (content instanceof Rejection) return content;
  const after: Strategy = { id: before.id, ...content, sortOrder: change.sortOrder ?? before.sortOrder };
  putStrategies(
    context,
    found,
    found.config.strategies.map((strategy) => (strategy.id === before.id ? after : strategy)),
  );
  context.emit({ ...at(input), type: 'feature-strategy-update', data: after, preData: before });
  switchOffWithoutStrategies(context, input);
  return after;
};

/** Removes a strategy. A flag that is left without an active strategy is switched off: to SDKs "no strategies" would mean on. */
export const removeStrategy: Command<StrategyPlace, void> = (context, input) => {
  const found = findFeaturePlace(context.draft, input);
  if (found instanceof Rejection) return found;
  const strategy = strategyOf(found, input.strategyId);
  if (strategy instanceof Rejection) return strategy;
  putStrategies(
    context,
    found,
    found.config.strategies.filter((other) => other.id !== strategy.id),
  );
  context.emit({ ...at(input), type: 'feature-strategy-remove', preData: strategy });
  switchOffWithoutStrategies(context, input);
  return undefined;
};

export interface SortStrategiesInput extends FeaturePlace {
  readonly order: readonly { readonly id: string; readonly sortOrder: number }[];
}

/** Sets the order in which strategies are asked; the first one that holds decides the variant. */
export const sortStrategies: Command<SortStrategiesInput, void> = (context, input) => {
  const found = findFeaturePlace(context.draft, input);
  if (found instanceof Rejection) return found;
  const wanted = new Map<string, number>();
  for (const { id, sortOrder } of input.order) {
    const strategy = strategyOf(found, id);
    if (strategy instanceof Rejection) return strategy;
    wanted.set(id, sortOrder);
  }
  const before = found.config.strategies;
  const after = putStrategies(
    context,
    found,
    before.map((strategy) => ({ ...strategy, sortOrder: wanted.get(strategy.id) ?? strategy.sortOrder })),
  );
  context.emit({
    ...at(input),
    type: 'strategy-order-changed',
    data: { strategyIds: after.map((strategy) => strategy.id) },
    preData: { strategyIds: before.map((strategy) => strategy.id) },
  });
  return undefined;
};

function strategyOf({ feature, config }: FoundPlace, id: string): Strategy | Rejection {
  const strategy = config.strategies.find((candidate) => candidate.id === id);
  return (
    strategy ?? notFound(`The feature ${feature.name} has no strategy ${id} in the environment ${config.environment}.`)
  );
}

const EMPTY: StrategyContent = {
  name: '',
  title: null,
  disabled: false,
  parameters: {},
  constraints: [],
  segments: [],
  variants: [],
};

function contentOf(input: Partial<StrategyInput>, before = EMPTY): StrategyContent {
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

function validated(
  { draft }: CommandContext,
  { project: projectId, featureName }: FeaturePlace,
  content: StrategyContent,
): StrategyContent | Rejection {
  const project = findProject(draft, projectId);
  return project instanceof Rejection ? project : validateStrategy(draft, { project, featureName }, content);
}

/** Stored in the order in which they are asked. Equal sort orders keep the order they had. */
function putStrategies({ draft }: CommandContext, { feature, config }: FoundPlace, strategies: readonly Strategy[]) {
  const sorted = [...strategies].sort((left, right) => left.sortOrder - right.sortOrder);
  draft.put('features', withEnvironment(feature, { ...config, strategies: sorted }));
  return sorted;
}

function switchOffWithoutStrategies(context: CommandContext, place: FeaturePlace): void {
  const found = findFeaturePlace(context.draft, place);
  if (found instanceof Rejection) return;
  if (found.config.strategies.every((strategy) => strategy.disabled)) switchOff(context, found);
}

function at({ project, featureName, environment }: FeaturePlace) {
  return { project, featureName, environment };
}
