export interface StrategyTypeParameter {
  readonly name: string;
  readonly type: string;
  readonly description: string;
  readonly required: boolean;
}

/** A kind of strategy: built in (`editable` false) or custom. Collection `strategyTypes`, key: the name. */
export interface StrategyType {
  readonly name: string;
  readonly title: string | null;
  readonly description: string | null;
  readonly editable: boolean;
  readonly deprecated: boolean;
  readonly parameters: readonly StrategyTypeParameter[];
}

/** The strategies every SDK and the service evaluate; all others are custom, and only their SDK knows what they do. */
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
