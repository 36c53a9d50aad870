import { feature } from '../feature-module.ts';

/** Metrics and traces for a collector of OpenTelemetry (docs/operate/opentelemetry.md). */
export const telemetryFeature = feature({
  name: 'telemetry',
  optionsCheck: async () => (await import('./parts.ts')).targetsOf,
  parts: async () => (await import('./parts.ts')).telemetryParts,
});
