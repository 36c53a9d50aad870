import Type, { type Static } from 'typebox';
import { parseLargeJson } from '../../base/json-text.ts';
import { Rejection } from '../../base/rejection.ts';
import { validateLarge } from '../../base/validation.ts';
import { ToldFlag, ToldSegment } from '../mirror/mirror-input.ts';

/** What brings a client in step: everything, or what has changed. Kinds that are not known are left out. */
const ToldEvent = Type.Object({
  type: Type.String(),
  eventId: Type.Optional(Type.Number()),
  features: Type.Optional(Type.Array(ToldFlag)),
  segments: Type.Optional(Type.Array(ToldSegment)),
  feature: Type.Optional(ToldFlag),
  segment: Type.Optional(ToldSegment),
  featureName: Type.Optional(Type.String()),
  segmentId: Type.Optional(Type.Integer()),
});
type ToldEvent = Static<typeof ToldEvent>;

const ToldDelta = Type.Object({ events: Type.Array(ToldEvent) });

/** What events come to, as `mirror` takes it. */
export interface ToldChanges {
  readonly features: ToldFlag[];
  readonly segments: ToldSegment[];
  /** Null: the flags are all that there are. */
  readonly removed: string[] | null;
  /** That no flag names any more, unless another scope's does. */
  readonly removedSegments: number[];
  /** The revision of upstream to which the events lead; null when they do not say. */
  readonly revision: number | null;
}

/** What the events of a stream come to together, or why they are none. */
export async function readDelta(data: Uint8Array): Promise<ToldChanges | Rejection> {
  const parsed = await parseLargeJson(data);
  if (parsed instanceof Rejection) return parsed;
  const problem = await validateLarge(ToldDelta, parsed.value, 'event');
  return problem ?? folded((parsed.value as Static<typeof ToldDelta>).events);
}

function folded(events: readonly ToldEvent[]): ToldChanges {
  let features = new Map<string, ToldFlag>();
  let segments = new Map<number, ToldSegment>();
  let removed: Set<string> | null = new Set();
  const removedSegments = new Set<number>();
  let revision: number | null = null;
  for (const { type, ...told } of events) {
    revision = told.eventId ?? revision;
    if (type === 'hydration' && told.features) {
      features = new Map(told.features.map((feature) => [feature.name, feature]));
      segments = new Map((told.segments ?? []).map((segment) => [segment.id, segment]));
      removed = null;
      removedSegments.clear();
    } else if (type === 'feature-updated' && told.feature) {
      features.set(told.feature.name, told.feature);
      removed?.delete(told.feature.name);
    } else if (type === 'feature-removed' && told.featureName !== undefined) {
      features.delete(told.featureName);
      removed?.add(told.featureName);
    } else if (type === 'segment-updated' && told.segment) {
      segments.set(told.segment.id, told.segment);
      removedSegments.delete(told.segment.id);
    } else if (type === 'segment-removed' && told.segmentId !== undefined) {
      segments.delete(told.segmentId);
      removedSegments.add(told.segmentId);
    }
  }
  return {
    ...{ features: [...features.values()], segments: [...segments.values()] },
    ...{ removed: removed && [...removed], removedSegments: [...removedSegments], revision },
  };
}
