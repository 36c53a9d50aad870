import type { Asker } from '../../../base/asking/asker.ts';
import { inSlices, Slicer } from '../../../base/yield-control.ts';
import type { Feature } from '../../../model/feature.ts';
import type { Services } from '../../services.ts';
import { besideLimits, measureRules } from '../rule-measures.ts';

/** What the rules of the flag in the environment cost and weigh, beside the limits. */
export async function presentMeasures(
  { state, config }: Services,
  feature: Feature,
  environment: string,
  asker: Asker,
) {
  const values = await inSlices(measureRules(feature, environment, state), Slicer.of(asker));
  return besideLimits(config.limits, (name) => ({ value: values[name] }));
}
