import { feature } from '../feature-module.ts';

export const ofrepFeature = feature({
  name: 'ofrep',
  parts: async () => (await import('./parts.ts')).ofrepParts,
  http: async () => (await import('./http.ts')).http,
});
