import { clientFeature, clientFeatureJson } from '../../model/client-feature.ts';
import type { Constraint } from '../../model/constraint.ts';
import type { Feature } from '../../model/feature.ts';
import type { Segment } from '../../model/segment.ts';

/**
 * 1: the list contains segments as constraints, and the legacy fields `strategy` and `parameters`. 2: flags refer to segments by id, for callers with
 * client specification 4.2.0 or later.
 */
export type ClientFormat = 1 | 2;

type SegmentSource = (id: number) => Segment | undefined;

/** A constraint with an empty list, which is never true. It replaces a segment that does not exist. */
const NEVER: Constraint = { contextName: 'userId', operator: 'IN', values: [] };

/** One flag as the bytes of a client list. */
export function featureFragment(
  feature: Feature,
  environment: string,
  format: ClientFormat,
  segmentOf: SegmentSource,
): string {
  if (format === 2) return clientFeatureJson(feature, environment);
  const { strategies, ...rest } = clientFeature(feature, environment);
  const inlined = strategies.map(({ segments, ...strategy }) => ({
    ...strategy,
    constraints: [...strategy.constraints, ...(segments ?? []).flatMap((id) => segmentOf(id)?.constraints ?? [NEVER])],
  }));
  const [first] = inlined;
  return JSON.stringify({
    ...rest,
    strategies: inlined,
    ...(first && { strategy: first.name, parameters: first.parameters }),
  });
}

/** One segment in the format of a version 2 list. */
export function segmentFragment({ id, name, constraints }: Segment): string {
  return JSON.stringify({ id, name, constraints });
}
