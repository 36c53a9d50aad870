import type { Work } from '../../base/work.ts';
import { SliceClock } from '../../base/yield-control.ts';
import type { CompiledFlag } from '../../evaluation/compile.ts';
import type { EvaluationContext } from '../../evaluation/context.ts';
import { evaluationCost, LIGHT_MAX, resolve, resolveInSteps } from '../../evaluation/evaluate.ts';
import type { FlagRun } from '../../evaluation/flag-run.ts';
import type { Resolution } from '../../evaluation/variant.ts';
import type { FlagCell } from './flag-cell.ts';
import type { FlagSnapshot } from './flag-snapshot.ts';

/** The format of the flags in an answer. */
export interface FlagWriter {
  /** Whether flags that are off are included. */
  readonly includesOff: boolean;
  /** The text of one flag with a comma before it; "" if the answer does not include the flag. */
  textAfterComma(flag: CompiledFlag, resolution: Resolution): string;
}

/**
 * An answer that lists flags, in one piece per step of work. A piece contains any number of whole flags, also none. All pieces are from one revision.
 * `begin` is the text before the list; the answer ends after the list.
 */
export function* evaluatedPieces(
  snapshot: FlagSnapshot,
  context: EvaluationContext,
  begin: string,
  writer: FlagWriter,
): Generator<string> {
  const stretch = new SliceClock();
  let text = begin;
  let isFirst = true;
  for (const chunk of snapshot.chunks) {
    const light = chunk.lightFlags(context.longestValue);
    if (light) {
      const run = writer.includesOff ? light.all : light.possiblyOn;
      for (let next = 0; next < run.flags.length; ) {
        const { length } = text;
        const part = appendLight(text, isFirst, run, next, context, writer);
        ({ text, next } = part);
        if (text.length > length) isFirst = false;
        if (next === run.flags.length || !stretch.spent) continue;
        yield text;
        text = '';
        stretch.restart();
      }
      if (!stretch.charge(light.cost + light.costPerChar * context.longestValue)) continue;
      yield text;
      text = '';
      stretch.restart();
      continue;
    }
    const { cells } = chunk;
    for (let index = 0; index < cells.length; index++) {
      const cell = cells[index] as FlagCell;
      const flag = snapshot.compiledFlag(cell);
      const cost = flag ? evaluationCost(flag, context.longestValue, snapshot.find) : Number.POSITIVE_INFINITY;
      let resolution: Resolution;
      let isOver = false;
      if (flag && cost <= LIGHT_MAX) {
        resolution = resolve(flag, context, snapshot.find);
        isOver = stretch.charge(cost);
      } else {
        const work = resolveCell(snapshot, cell, context);
        let step = work.next();
        for (; !step.done; step = work.next()) {
          if (!stretch.charge(step.value)) continue;
          yield text;
          text = '';
          stretch.restart();
        }
        resolution = step.value;
      }
      const part = writer.textAfterComma(cell.compiled(), resolution);
      if (part !== '') {
        text += isFirst ? part.slice(1) : part;
        isFirst = false;
      }
      if (!isOver) continue;
      yield text;
      text = '';
      stretch.restart();
    }
  }
  yield `${text}]}`;
}

/** Creating a longer text takes some hundred microseconds, so the clock is checked after it. */
const LONG_TEXT_CHARS = 4_096;

/** Appends the texts of the flags of `run` to `before`. Stops after a flag with a long text. */
function appendLight(
  before: string,
  isBeforeFirst: boolean,
  run: FlagRun,
  start: number,
  context: EvaluationContext,
  writer: FlagWriter,
): { readonly text: string; readonly next: number } {
  let text = before;
  let isFirst = isBeforeFirst;
  const { flags } = run;
  for (let index = start; index < flags.length; index++) {
    const part = writer.textAfterComma(flags[index] as CompiledFlag, run.resolve(index, context));
    if (part === '') continue;
    text += isFirst ? part.slice(1) : part;
    isFirst = false;
    if (part.length > LONG_TEXT_CHARS) return { text, next: index + 1 };
  }
  return { text, next: flags.length };
}

/** Evaluates a flag in steps: for a flag that is not compiled yet, or whose evaluation may take long. */
export function* resolveCell(snapshot: FlagSnapshot, cell: FlagCell, context: EvaluationContext): Work<Resolution> {
  const flag = yield* snapshot.compileCell(cell);
  return yield* resolveInSteps(flag, context, snapshot.find);
}
