import Type from 'typebox';
import { longCommand } from '../../../engine/command.ts';
import type { Feature } from '../../../model/feature.ts';
import { NameReference } from '../../../model/primitives.ts';
import type { StateReader } from '../../../state/collections.ts';
import { FLAG_LIMITS } from '../limits.ts';
import { lifetimeDaysOf } from '../types/commands.ts';
import { isPotentiallyStaleAt } from '../types/feature-type.ts';

/**
 * Corrects the marks of the named flags. A flag that is potentially stale gets a mark and an event; a flag that is no longer potentially stale loses
 * its mark. The command checks the draft: if several replicas find the same flag, only the first replica records an event.
 */
export const markPotentiallyStale = longCommand({
  name: 'mark-potentially-stale',
  input: Type.Object({ names: Type.Array(NameReference, { maxItems: FLAG_LIMITS.batch.max }) }),
  *decide({ draft, now, emit }, { names }) {
    const nowMs = Date.parse(now);
    for (const name of new Set(names)) {
      const feature = draft.get('features', name);
      if (!feature || !isMarkWrong(draft, feature, nowMs)) continue;
      if (draft.get('staleMarks', name)) draft.remove('staleMarks', name);
      else {
        draft.put('staleMarks', { feature: name, at: now });
        const { project, type, createdAt } = feature;
        const data = { name, type, createdAt, lifetimeDays: lifetimeDaysOf(draft, type) };
        emit({ type: 'feature-potentially-stale-on', project, featureName: name, data });
      }
      yield;
    }
    return undefined;
  },
});

/** Whether the flag is potentially stale: it has outlived its type's lifetime and is not marked as stale. */
export function isPotentiallyStale(reader: StateReader, feature: Feature, nowMs: number): boolean {
  return isPotentiallyStaleAt(feature, lifetimeDaysOf(reader, feature.type), nowMs);
}

/** Whether the flag has a mark but is not potentially stale, or is potentially stale but has no mark. */
function isMarkWrong(reader: StateReader, feature: Feature, nowMs: number): boolean {
  return isPotentiallyStale(reader, feature, nowMs) !== (reader.get('staleMarks', feature.name) !== undefined);
}

/** Yields once for each flag: its name if its mark is wrong, otherwise undefined. */
export function* flagsWithWrongMark(reader: StateReader, nowMs: number): Generator<string | undefined, void, void> {
  for (const feature of reader.values('features')) yield isMarkWrong(reader, feature, nowMs) ? feature.name : undefined;
}
