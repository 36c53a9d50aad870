import type { ResultOrWork } from '../../base/work.ts';
import type { StrategyParameters } from '../../model/strategy.ts';
import type { Condition } from '../condition.ts';
import type { HashEncoding } from '../hashing.ts';

/** Compiles a strategy's own rule. It runs in steps if its lists may be long. */
type CompileActivation = (
  parameters: StrategyParameters,
  flagName: string,
  hashEncoding: HashEncoding,
) => ResultOrWork<Condition>;

/** Each file in this folder exports one family: similar strategies, by name. */
export type StrategyFamily = Readonly<Record<string, CompileActivation>>;
