import Type, { type Static } from 'typebox';
import { SERVICE } from '../../base/asking/asker.ts';
import { parseLargeJson } from '../../base/json-text.ts';
import { Rejection } from '../../base/rejection.ts';
import { validateLarge } from '../../base/validation.ts';
import { Slicer } from '../../base/yield-control.ts';
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
  const parsed = await parseLargeJson(data, SERVICE);
  if (parsed instanceof Rejection) return parsed;
  const problem = await validateLarge(SourceDelta, parsed.value, 'event', Slicer.of(SERVICE));
  return problem ?? combine((parsed.value as Static<typeof SourceDelta>).events);
}

function combine(events: readonly SourceEvent[]): SourceChanges {
  let features = new Map<string, SourceFlag>();
  let segments = new Map<number, SourceSegment>();
  let removed: Set<string> | null = new Set();
  const removedSegments = new Set<number>();
  let revision: number | null = null;
  for (const { type, ...event } of events) {
    revision = event.eventId ?? revision;
    if (type === 'hydration' && event.features) {
      features = new Map(event.features.map((feature) => [feature.name, feature]));
      segments = new Map((event.segments ?? []).map((segment) => [segment.id, segment]));
      removed = null;
      removedSegments.clear();
    } else if (type === 'feature-updated' && event.feature) {
      features.set(event.feature.name, event.feature);
      removed?.delete(event.feature.name);
    } else if (type === 'feature-removed' && event.featureName !== undefined) {
      features.delete(event.featureName);
      removed?.add(event.featureName);
    } else if (type === 'segment-updated' && event.segment) {
      segments.set(event.segment.id, event.segment);
      removedSegments.delete(event.segment.id);
    } else if (type === 'segment-removed' && event.segmentId !== undefined) {
      segments.delete(event.segmentId);
      removedSegments.add(event.segmentId);
    }
  }
  return {
    features: [...features.values()],
    segments: [...segments.values()],
    removed: removed && [...removed],
    removedSegments: [...removedSegments],
    revision,
  };
}
