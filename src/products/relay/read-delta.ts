import Type, { type Static } from 'typebox';
import { parseLargeJson } from '../../base/json-text.ts';
import { Rejection } from '../../base/rejection.ts';
import { validateLarge } from '../../base/validation.ts';
import { SourceFlag, SourceSegment } from '../mirror/mirror-input.ts';

/** What brings a client in step: everything, or what has changed. Kinds that are not known are left out. */
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

/** What events come to, as `mirror` takes it. */
export interface SourceChanges {
  readonly features: SourceFlag[];
  readonly segments: SourceSegment[];
  /** Null: the flags are all that there are. */
  readonly removed: string[] | null;
  /** That no flag names any more, unless another scope's does. */
  readonly removedSegments: number[];
  /** The revision of upstream to which the events lead; null when they do not say. */
  readonly revision: number | null;
}

/** What the events of a stream come to together, or why they are none. */
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
