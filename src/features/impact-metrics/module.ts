import { feature } from '../feature-module.ts';

export const impactMetricsFeature = feature({
  name: 'impact-metrics',
  exports: ['impact-metrics.ts'],
  parts: async () => (await import('./parts.ts')).impactMetricsParts,
  gauges: async () => (await import('./gauges.ts')).gauges,
});
