import type { ResultOrWork } from '../../base/work.ts';
import type { Constraint } from '../../model/constraint.ts';
import type { Condition } from '../condition.ts';

/** Compiles a constraint. It runs in steps if its lists may be long. */
export type CompileOperator = (constraint: Constraint) => ResultOrWork<Condition>;

/** Each file in this folder exports one family: operators that are compiled in the same way, by name. */
export type OperatorFamily = { readonly [Operator in Constraint['operator']]?: CompileOperator };
