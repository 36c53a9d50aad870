import type { StrategyType } from '../../model/strategy-type.ts';

/** The strategy type, as its own answers and those about applications contain it. */
export function presentStrategyType({ name, title, description, editable, deprecated, parameters }: StrategyType) {
  return { name, title, displayName: title, description, editable, deprecated, parameters };
}
