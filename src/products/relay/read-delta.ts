import Type, { type Static } from 'typebox';
import { parseLargeJson } from '../../base/json-text.ts';
import { Rejection } from '../../base/rejection.ts';
import { validateLarge } from '../../base/validation.ts';
import { SourceFlag, SourceSegment } from '../mirror/mirror-input.ts';

/** An event of a stream: everything, or a change. Unknown kinds are ignored. */
const SourceEvent = Type.Object({
  type: Type.String(),
  eventId: Type.Optional(Type.Number()),
  features: Type.Optional(Type.Array(SourceFlag)),
  segments: Type.Optional(Type.Array(SourceSegment)),
  feature: Type.Optional(SourceFlag),
  segment: Type.Optional(SourceSegment),
  featureName: Type.Optional(Type.String()),
  segmentId: Type.Optional(Type.Integer()),
});
type SourceEvent = Static<typeof SourceEvent>;

const SourceDelta = Type.Object({ events: Type.Array(SourceEvent) });

/** The combined effect of events, as input for `mirror`. */
export interface SourceChanges {
  readonly features: SourceFlag[];
  readonly segments: SourceSegment[];
  /** Names of removed flags. Null: the flags are the complete list. */
  readonly removed: string[] | null;
  /** Segments that no flag of this scope uses any more. */
  readonly removedSegments: number[];
  /** Upstream's revision after the events; null when they do not contain it. */
  readonly revision: number | null;
}

/** The combined effect of a stream's events, or why they are invalid. */
export async function readDelta(data: Uint8Array): Promise<SourceChanges | Rejection> {
  const parsed = await parseLargeJson(data);
  if (parsed instanceof Rejection) return parsed;
  const problem = await validateLarge(SourceDelta, parsed.value, 'event');
  return problem ?? folded((parsed.value as Static<typeof SourceDelta>).events);
}

function folded(events: readonly SourceEvent[]): SourceChanges {
  let features = new Map<string, SourceFlag>();
  let segments = new Map<number, SourceSegment>();
  let removed: Set<string> | null = new Set();
  const removedSegments = new Set<number>();
  let revision: number | null = null;
  for (const { type, ...sent } of events) {
    revision = sent.eventId ?? revision;
    if (type === 'hydration' && sent.features) {
      features = new Map(sent.features.map((feature) => [feature.name, feature]));
      segments = new Map((sent.segments ?? []).map((segment) => [segment.id, segment]));
      removed = null;
      removedSegments.clear();
    } else if (type === 'feature-updated' && sent.feature) {
      features.set(sent.feature.name, sent.feature);
      removed?.delete(sent.feature.name);
    } else if (type === 'feature-removed' && sent.featureName !== undefined) {
      features.delete(sent.featureName);
      removed?.add(sent.featureName);
    } else if (type === 'segment-updated' && sent.segment) {
      segments.set(sent.segment.id, sent.segment);
      removedSegments.delete(sent.segment.id);
    } else if (type === 'segment-removed' && sent.segmentId !== undefined) {
      segments.delete(sent.segmentId);
      removedSegments.add(sent.segmentId);
    }
  }
  return {
    ...{ features: [...features.values()], segments: [...segments.values()] },
    ...{ removed: removed && [...removed], removedSegments: [...removedSegments], revision },
  };
}
