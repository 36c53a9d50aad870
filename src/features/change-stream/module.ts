import { feature } from '../feature-module.ts';

export const changeStreamFeature = feature({
  name: 'change-stream',
  parts: async () => (await import('./parts.ts')).changeStreamParts,
  http: async () => (await import('./http.ts')).http,
});
