import { feature } from '../feature-module.ts';

export const eventsFeature = feature({
  name: 'events',
  parts: async () => (await import('./parts.ts')).eventParts,
  http: async () => (await import('./http.ts')).http,
});
