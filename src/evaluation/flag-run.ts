import { contextNumberOf } from './answer-cache.ts';
import type { CompiledFlag } from './compile.ts';
import { always, holds, type Question } from './condition.ts';
import type { EvaluationContext } from './context.ts';
import { chooseVariant, resolveAlone } from './evaluate.ts';
import type { ActiveStrategy } from './strategy.ts';
import { OFF, ON, type Resolution } from './variant.ts';

/**
 * Flags without parents, in the order in which they are evaluated. One array of numbers lists the questions of each strategy. The flag and its
 * strategies are read only for a constant answer or to choose a variant: these objects do not fit into the processor's cache, and cache misses were
 * most of the cost of an answer. The questions are the same objects that the flags use, so no rule is implemented twice.
 */
export class FlagRun {
  readonly flags: readonly CompiledFlag[];
  /** The questions of all strategies, without duplicates. */
  readonly #questions: readonly Question[];
  /** For each strategy: the index at which the next strategy begins, as `~next` if a variant must be chosen; then the indexes of its questions. */
  readonly #steps: Int32Array;
  /**
   * The index in `#steps` at which the strategies of each flag begin, then the end of the last flag. If the range of a flag is empty, it has a
   * constant answer or no strategies.
   */
  readonly #starts: Int32Array;

  constructor(flags: readonly CompiledFlag[]) {
    const positions = new Map<Question, number>();
    const steps: number[] = [];
    const starts = [0];
    for (const flag of flags) {
      if (flag.answer === null) for (const strategy of flag.active) addSteps(steps, flag, strategy, positions);
      starts.push(steps.length);
    }
    this.flags = flags;
    this.#questions = [...positions.keys()];
    this.#steps = Int32Array.from(steps);
    this.#starts = Int32Array.from(starts);
  }

  /** Same as `resolveAlone` for the flag at this index. */
  resolve(index: number, context: EvaluationContext): Resolution {
    const starts = this.#starts;
    const steps = this.#steps;
    const questions = this.#questions;
    const end = starts[index + 1] as number;
    let at = starts[index] as number;
    if (at === end) return resolveAlone(this.flags[index] as CompiledFlag, context);
    const contextNumber = contextNumberOf(context);
    for (let strategy = 0; at < end; strategy++) {
      const mark = steps[at] as number;
      const next = mark < 0 ? ~mark : mark;
      at++;
      while (at < next && holds(questions[steps[at] as number] as Question, context, contextNumber)) at++;
      if (at === next) return mark < 0 ? strategyVariant(this.flags[index] as CompiledFlag, strategy, context) : ON;
      at = next;
    }
    return OFF;
  }
}

function strategyVariant(flag: CompiledFlag, strategy: number, context: EvaluationContext): Resolution {
  return chooseVariant(flag, (flag.active[strategy] as ActiveStrategy).variants, context);
}

function addSteps(
  steps: number[],
  flag: CompiledFlag,
  { activation, conditions, variants }: ActiveStrategy,
  positions: Map<Question, number>,
): void {
  const start = steps.length;
  steps.push(0);
  for (const question of [...conditions, activation]) {
    if (question.test === always) continue;
    const position = positions.get(question) ?? positions.size;
    positions.set(question, position);
    steps.push(position);
  }
  steps[start] = variants === null && flag.variants === null ? steps.length : ~steps.length;
}
