import type { Work } from '../../base/work.ts';
import type { EvaluationContext } from '../../evaluation/context.ts';
import { toggleAfterComma, toggleJson, toggleOffAfterComma, toggleOffJson } from '../../evaluation/toggle-json.ts';
import { evaluatedPieces, type FlagWriter, resolveCell } from '../flags/evaluated-pieces.ts';
import type { FlagCell } from '../flags/flag-cell.ts';
import type { FlagSnapshot } from '../flags/flag-snapshot.ts';

/** The flags that an answer contains: `on` for the flags that are on, which SDKs request, or `all`. */
export type IncludedFlags = 'on' | 'all';

const WRITERS: Readonly<Record<IncludedFlags, FlagWriter>> = {
  on: {
    includesOff: false,
    textAfterComma: (flag, resolution) => (resolution.on ? toggleAfterComma(flag, resolution) : ''),
  },
  all: {
    includesOff: true,
    textAfterComma: (flag, resolution) =>
      resolution.on ? toggleAfterComma(flag, resolution) : toggleOffAfterComma(flag),
  },
};

/** The text `{"toggles":[…]}`, in pieces. `begin` replaces its first character, `{`. */
export function togglesJson(
  snapshot: FlagSnapshot,
  context: EvaluationContext,
  included: IncludedFlags = 'on',
  begin = '{',
): Generator<string> {
  return evaluatedPieces(snapshot, context, `${begin}"toggles":[`, WRITERS[included]);
}

/** The JSON of one flag, on or off. */
export function* toggleText(snapshot: FlagSnapshot, cell: FlagCell, context: EvaluationContext): Work<string> {
  const resolution = yield* resolveCell(snapshot, cell, context);
  return resolution.on ? toggleJson(cell.compiled(), resolution) : toggleOffJson(cell.compiled());
}
