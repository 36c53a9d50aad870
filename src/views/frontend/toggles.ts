import type { Work } from '../../base/work.ts';
import type { EvaluationContext } from '../../evaluation/context.ts';
import { nextToggle, nextToggleOff, toggleJson, toggleOffJson } from '../../evaluation/toggle-json.ts';
import { evaluatedPieces, resolveCell, type Telling } from '../flags/evaluated-pieces.ts';
import type { FlagCell } from '../flags/flag-cell.ts';
import type { FlagSnapshot } from '../flags/flag-snapshot.ts';

/** The flags that an answer contains: `on` for the flags that are on, which SDKs request, or `all`. */
export type Shown = 'on' | 'all';

const WRITERS: Readonly<Record<Shown, Telling>> = {
  on: { includesOff: false, next: (flag, resolution) => (resolution.on ? nextToggle(flag, resolution) : '') },
  all: {
    includesOff: true,
    next: (flag, resolution) => (resolution.on ? nextToggle(flag, resolution) : nextToggleOff(flag)),
  },
};

/** The text `{"toggles":[…]}`, in pieces. `begin` replaces its first character, `{`. */
export function togglesJson(
  snapshot: FlagSnapshot,
  context: EvaluationContext,
  shown: Shown = 'on',
  begin = '{',
): Generator<string> {
  return evaluatedPieces(snapshot, context, `${begin}"toggles":[`, WRITERS[shown]);
}

/** The JSON of one flag, on or off. */
export function* toggleText(snapshot: FlagSnapshot, cell: FlagCell, context: EvaluationContext): Work<string> {
  const resolution = yield* resolveCell(snapshot, cell, context);
  return resolution.on ? toggleJson(cell.compiled(), resolution) : toggleOffJson(cell.compiled());
}
