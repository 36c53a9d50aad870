import { feature } from '../feature-module.ts';

export const clientFeature = feature({
  name: 'client',
  parts: async () => (await import('./parts.ts')).clientParts,
  http: async () => (await import('./http.ts')).http,
});
