import { feature } from '../feature-module.ts';

export const eventsFeature = feature({
  name: 'events',
  exports: [
    'columns.ts',
    'event-chunk.ts',
    'event-index.ts',
    'present.ts',
    'query.ts',
    'reading-pace.ts',
    'retention.ts',
    'schemas.ts',
    'summary.ts',
  ],
  parts: async () => (await import('./parts.ts')).eventParts,
  gauges: async () => (await import('./gauges.ts')).gauges,
  http: async () => (await import('./http.ts')).http,
});
