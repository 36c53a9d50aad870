import Type from 'typebox';
import { collection } from './collection.ts';
import type { EntityOf } from './entity.ts';
import { MODEL_LIMITS } from './limits.ts';
import { Nullable, Text, UrlSafeName } from './primitives.ts';

const StrategyTypeParameter = Type.Object({
  name: Type.String({ minLength: 1, maxLength: 100 }),
  type: Type.Enum(['string', 'percentage', 'list', 'number', 'boolean']),
  description: Text,
  required: Type.Boolean(),
});
export type StrategyTypeParameter = EntityOf<typeof StrategyTypeParameter>;

/** A kind of strategy: built in (`editable` false) or custom. Collection `strategyTypes`, key: the name. */
export const StrategyType = Type.Object({
  name: UrlSafeName,
  title: Nullable(Type.String({ maxLength: 500 })),
  description: Nullable(Text),
  parameters: Type.Array(StrategyTypeParameter, { maxItems: MODEL_LIMITS.strategyParameters.max }),
  editable: Type.Boolean({ description: 'False for a built-in strategy type' }),
  deprecated: Type.Boolean(),
});
export type StrategyType = EntityOf<typeof StrategyType>;

/** The strategies that every SDK and the service evaluate; all others are custom, and only the SDK can evaluate them. */
export const BUILT_IN_STRATEGY_NAMES: ReadonlySet<string> = new Set([
  'default',
  'flexibleRollout',
  'userWithId',
  'remoteAddress',
  'applicationHostname',
  'gradualRolloutUserId',
  'gradualRolloutSessionId',
  'gradualRolloutRandom',
]);

export const strategyTypes = collection({ schema: 1, key: (type: StrategyType) => type.name, past: 'whole' });

declare module './collection.ts' {
  interface CollectionTable {
    readonly strategyTypes: typeof strategyTypes;
  }
}
