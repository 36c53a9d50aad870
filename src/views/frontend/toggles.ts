import type { Work } from '../../base/work.ts';
import { Slicer, STRETCH_BUDGET_MS } from '../../base/yield-control.ts';
import type { CompiledFlag, FlagLookup } from '../../evaluation/compile.ts';
import type { EvaluationContext } from '../../evaluation/context.ts';
import { evaluationCost, LIGHT_MAX, resolve, resolveInSteps } from '../../evaluation/evaluate.ts';
import { nextToggle, nextToggleOff, toggleJson, toggleOffJson } from '../../evaluation/toggle-json.ts';
import type { Resolution } from '../../evaluation/variant.ts';
import type { FlagCell } from '../flags/flag-cell.ts';
import type { FlagSnapshot } from '../flags/flag-snapshot.ts';

/** Which flags an answer tells: those that are on, as SDKs ask for, or all of them. */
export type Told = 'on' | 'all';

/**
 * `{"toggles":[…]}`, with a piece wherever a stretch of work is done, in the middle of a flag if need be. All of it is of one revision. `begin` stands
 * in the place of `{`.
 */
export function* togglesJson(
  snapshot: FlagSnapshot,
  context: EvaluationContext,
  told: Told = 'on',
  begin = '{',
): Generator<string> {
  const stretch = new Slicer(STRETCH_BUDGET_MS);
  let text = `${begin}"toggles":[`;
  let isFirst = true;
  for (const chunk of snapshot.chunks) {
    // Flags that are off for everybody are not among the light ones.
    const light = told === 'on' ? chunk.light(context.longestValue) : undefined;
    if (light) {
      const { length } = text;
      text = withToggles(text, isFirst, light.flags, context, snapshot.find);
      if (text.length > length) isFirst = false;
      if (!stretch.charge(light.cost + light.costPerChar * context.longestValue)) continue;
      yield text;
      text = '';
      stretch.restart();
      continue;
    }
    const { cells } = chunk;
    for (let index = 0; index < cells.length; index++) {
      const cell = cells[index] as FlagCell;
      const cost = cell.flag === undefined ? Number.POSITIVE_INFINITY : evaluationCost(cell.flag, context.longestValue);
      let resolution: Resolution;
      let isOver = false;
      if (cost <= LIGHT_MAX) {
        resolution = resolve(cell.flag as CompiledFlag, context, snapshot.find);
        isOver = stretch.charge(cost);
      } else {
        const work = resolveHeavy(snapshot, cell, context);
        let step = work.next();
        for (; !step.done; step = work.next()) {
          if (!stretch.charge(step.value)) continue;
          yield text;
          text = '';
          stretch.restart();
        }
        resolution = step.value;
      }
      const flag = cell.compiled();
      if (resolution.on || told === 'all') {
        const toggle = resolution.on ? nextToggle(flag, resolution) : nextToggleOff(flag);
        text += isFirst ? toggle.slice(1) : toggle;
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

/** What is told of one flag, on or off. */
export function* toggleText(snapshot: FlagSnapshot, cell: FlagCell, context: EvaluationContext): Work<string> {
  const resolution = yield* resolveHeavy(snapshot, cell, context);
  return resolution.on ? toggleJson(cell.compiled(), resolution) : toggleOffJson(cell.compiled());
}

/** The text, and the toggles of those flags that are on; they are evaluated in one go. */
function withToggles(
  before: string,
  isBeforeFirst: boolean,
  flags: readonly CompiledFlag[],
  context: EvaluationContext,
  find: FlagLookup,
): string {
  let text = before;
  let isFirst = isBeforeFirst;
  for (let index = 0; index < flags.length; index++) {
    const flag = flags[index] as CompiledFlag;
    const resolution = resolve(flag, context, find);
    if (!resolution.on) continue;
    const toggle = nextToggle(flag, resolution);
    text += isFirst ? toggle.slice(1) : toggle;
    isFirst = false;
  }
  return text;
}

/** A flag that is not compiled yet, that has parents, or that takes long. */
function* resolveHeavy(snapshot: FlagSnapshot, cell: FlagCell, context: EvaluationContext): Work<Resolution> {
  const flag = yield* snapshot.ready(cell);
  return yield* resolveInSteps(flag, context, snapshot.find);
}
