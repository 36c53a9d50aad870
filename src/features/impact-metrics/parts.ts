import type { Services } from '../services.ts';
import { ImpactMetrics, type ImpactSink } from './impact-metrics.ts';

interface ImpactMetricsParts {
  /** Metrics that applications measure themselves. */
  readonly impactMetrics: ImpactSink;
}

declare module '../services.ts' {
  interface FeatureParts extends ImpactMetricsParts {}
}

export function impactMetricsParts({ config, replacements }: Services): ImpactMetricsParts {
  return { impactMetrics: replacements.impactMetrics ?? new ImpactMetrics(config.impactNames) };
}
