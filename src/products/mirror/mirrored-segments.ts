import { isSameJson } from '../../base/same-json.ts';
import type { Steps } from '../../base/yield-control.ts';
import type { CommandContext } from '../../engine/command.ts';
import type { Segment } from '../../model/segment.ts';
import type { Draft } from '../../state/draft.ts';
import type { SourceFlag, SourceSegment } from './mirror-input.ts';
import { constraintOf } from './mirrored-parts.ts';

// Segments that no strategy names stay as long as the source sends them: a source that streams sends a segment when it is created or changed, but
// not when a flag begins to name it.

/** Writes a segment into the draft as it was sent. */
export function putSegment({ draft, now, by }: CommandContext, { id, name, constraints }: SourceSegment): void {
  const before = draft.get('segments', String(id));
  const after: Segment = {
    id,
    name: name ?? String(id),
    description: null,
    constraints: (constraints ?? []).map(constraintOf),
    project: null,
    createdBy: before?.createdBy ?? by.name,
    createdAt: before?.createdAt ?? now,
  };
  if (!before || !isSameJson(before, after)) draft.put('segments', after);
}

/** Whether a strategy of the flag names a segment that is not in the draft. */
export function namesUnknownSegment(draft: Draft, { strategies }: SourceFlag): boolean {
  const ids = (strategies ?? []).flatMap(({ segments }) => segments ?? []);
  return ids.some((id) => !draft.get('segments', String(id)));
}

/** Ids of segments that the draft contains, but the source did not send. */
export function unsentSegments(draft: Draft, sent: readonly SourceSegment[]): readonly number[] {
  const sentIds = new Set(sent.map(({ id }) => id));
  return [...draft.values('segments')].flatMap(({ id }) => (sentIds.has(id) ? [] : id));
}

/** Removes the segments that no strategy names. Other segments in `ids` stay. */
export function* dropUnusedSegments(draft: Draft, ids: Iterable<number>): Steps<void> {
  for (const id of ids) {
    const key = String(id);
    const { done: isUnused } = draft.lookup('featuresBySegment', key).next();
    if (isUnused && draft.get('segments', key)) draft.remove('segments', key);
    yield;
  }
}
