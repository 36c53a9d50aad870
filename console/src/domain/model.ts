import type { components } from '../api/schema.d.ts';

type Schemas = components['schemas'];
export type Feature = Schemas['feature'];
export type FeatureEnvironment = Feature['environments'][number];
export type Constraint = Schemas['constraint'];
export type Operator = Constraint['operator'];
export type StrategyVariant = Schemas['strategyVariant'];
export type Variant = Schemas['variant'];
export type HistoryEntry = Schemas['historyEntry'];
export type HistoryChange = Schemas['historyChange'];
export type ChangeRequest = Schemas['changeRequest'];
export type Segment = Schemas['adminSegment'];
export type ContextField = Schemas['contextField'];

/** A strategy as it is edited. A new one has an id that begins with `new-`, which is never sent. */
export interface StrategyDraft {
  readonly id: string;
  readonly name: string;
  readonly title: string | null;
  readonly disabled: boolean;
  readonly parameters: Readonly<Record<string, string>>;
  readonly constraints: readonly Constraint[];
  readonly segments: readonly number[];
  readonly variants: readonly StrategyVariant[];
}

/** The settings of a flag in one environment, as they are edited. The order of the list is the order of the strategies. */
export interface EnvironmentSettings {
  readonly enabled: boolean;
  readonly strategies: readonly StrategyDraft[];
  readonly variants: readonly Variant[];
}

export const isNew = (strategy: { readonly id: string }) => strategy.id.startsWith('new-');

let nextId = 0;
export const newStrategyId = () => `new-${Date.now().toString(36)}-${nextId++}`;

const sorted = <T extends { sortOrder: number }>(list: readonly T[]): T[] =>
  list
    .map((item, index) => ({ item, index }))
    .sort((a, b) => a.item.sortOrder - b.item.sortOrder || a.index - b.index)
    .map(({ item }) => item);

/** The editable part of the settings, without what the server adds. */
export function settingsOf(environment: FeatureEnvironment): EnvironmentSettings {
  return {
    enabled: environment.enabled,
    strategies: sorted(environment.strategies).map((strategy) => ({
      id: strategy.id,
      name: strategy.name,
      title: strategy.title || null,
      disabled: strategy.disabled,
      parameters: strategy.parameters,
      constraints: strategy.constraints,
      segments: strategy.segments,
      variants: strategy.variants,
    })),
    variants: environment.variants,
  };
}

/** Whether settings that come from a link or from another version have the form of today. */
export const isSettings = (value: unknown): value is EnvironmentSettings => {
  const { enabled, strategies, variants } = (value ?? {}) as Partial<EnvironmentSettings>;
  return (
    typeof enabled === 'boolean' &&
    Array.isArray(variants) &&
    Array.isArray(strategies) &&
    strategies.every(
      (one: Partial<EnvironmentSettings['strategies'][number]> | null) =>
        typeof one?.id === 'string' &&
        typeof one.name === 'string' &&
        typeof one.parameters === 'object' &&
        one.parameters !== null &&
        [one.constraints, one.segments, one.variants].every(Array.isArray),
    )
  );
};
