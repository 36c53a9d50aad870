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
