import { feature } from '../feature-module.ts';

export const consoleFeature = feature({
  name: 'console',
  parts: async () => (await import('./parts.ts')).consoleParts,
  http: async () => (await import('./http.ts')).http,
});
