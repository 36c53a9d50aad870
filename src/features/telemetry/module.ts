import { feature } from '../feature-module.ts';

/** Metrics and traces for a collector of OpenTelemetry (docs/opentelemetry.md). */
export const telemetryFeature = feature({
  name: 'telemetry',
  parts: async () => (await import('./parts.ts')).telemetryParts,
});
