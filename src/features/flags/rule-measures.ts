import { tenths } from '../../base/tenths.ts';
import type { Steps } from '../../base/yield-control.ts';
import { type Feature, featureEnvironment } from '../../model/feature.ts';
import type { Limits } from '../../model/limits.ts';
import type { StateReader } from '../../state/collections.ts';
import { measureAllEnvironments, measureEnvironment, prepareAllEnvironments, prepareMeasuring } from './rule-costs.ts';

/** What the rules of a flag in one environment cost and weigh, with descriptions. Each measure has a limit with the same name. */
export const RULE_MEASURES = {
  evaluationCost: 'µs to evaluate the flag once, for the slowest possible context',
  expressionCost: 'Time to compile the conditions of the flag, in units of 0.1 µs',
  featureBytes: 'Bytes of the flag in the environment, including its segments, as SDKs get it',
  storedFeatureBytes: 'Bytes of the flag in all its environments',
} as const;

type RuleMeasure = keyof typeof RULE_MEASURES;

export type RuleMeasures = { readonly [Name in RuleMeasure]: number };

/** The measures as answers show them: `present` returns the fields beside the limit. */
export function besideLimits(limits: Limits, present: (name: RuleMeasure) => object): Readonly<Record<string, object>> {
  const names = Object.keys(RULE_MEASURES) as RuleMeasure[];
  return Object.fromEntries(names.map((name) => [name, { ...present(name), limit: limits[name] }]));
}

/** Measures the flag in the environment, in steps. The slow parts are cached for each strategy and segment. */
export function* measureRules(feature: Feature, environment: string, reader: StateReader): Steps<RuleMeasures> {
  const config = featureEnvironment(feature, environment);
  yield* prepareMeasuring(config, reader);
  yield* prepareAllEnvironments(feature);
  const { evaluationCost = 0, expressionCost = 0, featureBytes = 0 } = measureEnvironment(config, reader);
  const { storedFeatureBytes = 0 } = measureAllEnvironments(feature);
  return {
    evaluationCost: tenths(evaluationCost),
    expressionCost: tenths(expressionCost),
    featureBytes,
    storedFeatureBytes,
  };
}
