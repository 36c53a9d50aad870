import { expect } from 'vitest';

/** The content of an SDK in delta mode. */
export interface DeltaList {
  readonly features: ReadonlyMap<string, unknown>;
  readonly segments: ReadonlyMap<number, unknown>;
}

export interface DeltaEvent {
  readonly eventId: number;
  readonly type: string;
  readonly features?: readonly { readonly name: string }[];
  readonly segments?: readonly { readonly id: number }[];
  readonly feature?: { readonly name: string };
  readonly featureName?: string;
  readonly segment?: { readonly id: number };
  readonly segmentId?: number;
}

export const EMPTY_LIST: DeltaList = { features: new Map(), segments: new Map() };

/** The list of an SDK after it has applied the events in order. */
export function applied(list: DeltaList, events: readonly DeltaEvent[]): DeltaList {
  let features = new Map(list.features);
  let segments = new Map(list.segments);
  for (const event of events) {
    switch (event.type) {
      case 'hydration':
        features = new Map(event.features?.map((feature) => [feature.name, feature]));
        segments = new Map(event.segments?.map((segment) => [segment.id, segment]));
        break;
      case 'feature-updated':
        features.set(event.feature?.name as string, event.feature);
        break;
      case 'feature-removed':
        features.delete(event.featureName as string);
        break;
      case 'segment-updated':
        segments.set(event.segment?.id as number, event.segment);
        break;
      case 'segment-removed':
        segments.delete(event.segmentId as number);
        break;
      default:
        expect.fail(`an event of the unknown type ${event.type}`);
    }
  }
  return { features, segments };
}

/** The same list sorted by name or id, for comparison. */
export function inOrder({ features, segments }: DeltaList): unknown {
  const byKey = ([left]: readonly [unknown, unknown], [right]: readonly [unknown, unknown]) =>
    String(left) < String(right) ? -1 : 1;
  return { features: [...features].sort(byKey), segments: [...segments].sort(byKey) };
}
