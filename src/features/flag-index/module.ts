import { feature } from '../feature-module.ts';

export const flagIndexFeature = feature({
  name: 'flag-index',
  parts: async () => (await import('./parts.ts')).flagIndexParts,
  http: async () => (await import('./http.ts')).http,
});
