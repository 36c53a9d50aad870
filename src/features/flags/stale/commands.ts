import Type from 'typebox';
import { longCommand } from '../../../engine/command.ts';
import type { Feature } from '../../../model/feature.ts';
import { NameReference } from '../../../model/primitives.ts';
import type { StateReader } from '../../../state/collections.ts';
import { FLAG_LIMITS } from '../limits.ts';
import { lifetimeDaysOf } from '../types/commands.ts';
import { isPotentiallyStale } from '../types/feature-type.ts';

/**
 * Records one event for each flag that has outlived its lifetime, and removes the mark when the flag is no longer potentially stale. The command checks
 * the draft: when several replicas find the same flag, only the first one records an event.
 */
export const markPotentiallyStale = longCommand({
  name: 'mark-potentially-stale',
  input: Type.Object({ names: Type.Array(NameReference, { maxItems: FLAG_LIMITS.batch.max }) }),
  *decide({ draft, now, emit }, { names }) {
    const nowMs = Date.parse(now);
    for (const name of new Set(names)) {
      const feature = draft.get('features', name);
      if (!feature || !isMarkDue(draft, feature, nowMs)) continue;
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
export function isOverdue(reader: StateReader, feature: Feature, nowMs: number): boolean {
  return isPotentiallyStale(feature, lifetimeDaysOf(reader, feature.type), nowMs);
}

/** Whether the flag has a mark that it must not have, or lacks one that it must have. */
function isMarkDue(reader: StateReader, feature: Feature, nowMs: number): boolean {
  return isOverdue(reader, feature, nowMs) !== (reader.get('staleMarks', feature.name) !== undefined);
}

/** Yields once for each flag: the name of the flag if its mark must change, otherwise undefined. */
export function* dueMarks(reader: StateReader, nowMs: number): Generator<string | undefined, void, void> {
  for (const feature of reader.values('features')) yield isMarkDue(reader, feature, nowMs) ? feature.name : undefined;
}
