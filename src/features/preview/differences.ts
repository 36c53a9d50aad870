import { Rejection } from '../../base/rejection.ts';
import type { Work } from '../../base/work.ts';
import type { CompiledFlag, FlagLookup } from '../../evaluation/compile.ts';
import type { EvaluationContext } from '../../evaluation/context.ts';
import { LIGHT_MAX, resolve, resolveInSteps } from '../../evaluation/evaluate.ts';
import { OFF, type Resolution } from '../../evaluation/variant.ts';
import type { FewFlags } from '../../views/flags/changed-snapshot.ts';
import type { AffectedFlags } from './affected-flags.ts';
import type { Contexts } from './contexts.ts';

/** The kinds of differences, in the order of answers. */
export const KINDS = ['offToOn', 'onToOff', 'otherVariant', 'unchanged'] as const;
type Kind = (typeof KINDS)[number];

/** How the results of one flag differ. */
export interface Differences {
  readonly counts: { [K in Kind]: number };
  /** Number of unchanged contexts for which the flag is on. */
  staysOn: number;
  /** Kind → the indexes of its first contexts. */
  readonly examples: { readonly [K in Kind]: number[] };
}

/** A flag before or after the changes. Without a flag, SDKs do not get it, and it is off. */
interface Side {
  readonly flag: CompiledFlag | undefined;
  readonly find: FlagLookup;
  /** Maximum units of work of one evaluation, with parents. `costPerChar`: additional units for each character of the longest value. */
  readonly cost: number;
  readonly costPerChar: number;
}

interface Pair {
  readonly before: Side;
  readonly after: Side;
  readonly differences: Differences;
}

/** The flags of a comparison, compiled. */
export class ComparedFlags {
  readonly #pairs: readonly Pair[];

  /** All flags must be compiled. */
  constructor({ flags, before, after }: AffectedFlags) {
    this.#pairs = flags.map(({ name }) => ({
      before: sideOf(before, name),
      after: sideOf(after, name),
      differences: { counts: perKind(() => 0), staysOn: 0, examples: perKind(() => []) },
    }));
  }

  /** Maximum units of work to evaluate all flags twice with one context. */
  work(longestValue: number): number {
    let total = 0;
    for (const { before, after } of this.#pairs) total += workOf(before, longestValue) + workOf(after, longestValue);
    return total;
  }

  /**
   * Evaluates every context before and after the changes, in counted steps. Each flag has up to `examplesMax` examples of each kind. Returns the
   * differences of the flags in order, or the rejection of a context.
   */
  *compare(contexts: Contexts, examplesMax: number): Work<readonly Differences[] | Rejection> {
    for (let index = 0; index < contexts.count; index++) {
      const context = contexts.evaluated(index);
      if (context instanceof Rejection) return context;
      yield CONTEXT_WORK;
      for (const { before, after, differences } of this.#pairs) {
        const resultBefore = isLight(before, context)
          ? resultOf(before, context)
          : yield* resultInSteps(before, context);
        const resultAfter = isLight(after, context) ? resultOf(after, context) : yield* resultInSteps(after, context);
        const kind = kindOf(resultBefore, resultAfter);
        differences.counts[kind]++;
        if (kind === 'unchanged' && resultAfter.on) differences.staysOn++;
        if (differences.examples[kind].length < examplesMax) differences.examples[kind].push(index);
        yield workOf(before, context.longestValue) + workOf(after, context.longestValue);
      }
    }
    return this.#pairs.map(({ differences }) => differences);
  }
}

/** Units of work to create one context: 2 µs. */
const CONTEXT_WORK = 100;

/** Units of work to compare two results. */
const COMPARISON_WORK = 3;

function sideOf({ cells, find }: FewFlags, name: string): Side {
  const flag = cells.get(name)?.flag;
  if (!flag) return { flag, find, cost: 0, costPerChar: 0 };
  let { cost, costPerChar } = flag;
  for (const { feature } of flag.dependencies) {
    const parent = find(feature);
    cost += parent?.cost ?? 0;
    costPerChar += parent?.costPerChar ?? 0;
  }
  return { flag, find, cost, costPerChar };
}

function workOf({ cost, costPerChar }: Side, longestValue: number): number {
  return cost + costPerChar * longestValue + COMPARISON_WORK;
}

function isLight(side: Side, { longestValue }: EvaluationContext): boolean {
  return workOf(side, longestValue) <= LIGHT_MAX;
}

function resultOf({ flag, find }: Side, context: EvaluationContext): Resolution {
  return flag ? resolve(flag, context, find) : OFF;
}

function* resultInSteps({ flag, find }: Side, context: EvaluationContext): Work<Resolution> {
  return flag ? yield* resolveInSteps(flag, context, find) : OFF;
}

function kindOf(before: Resolution, after: Resolution): Kind {
  if (before.on !== after.on) return after.on ? 'offToOn' : 'onToOff';
  return before === after || before.variantJson === after.variantJson ? 'unchanged' : 'otherVariant';
}

function perKind<Value>(make: () => Value): { [K in Kind]: Value } {
  return { offToOn: make(), onToOff: make(), otherVariant: make(), unchanged: make() };
}
