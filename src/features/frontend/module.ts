import { feature } from '../feature-module.ts';

export const frontendFeature = feature({
  name: 'frontend',
  exports: ['answer-etag.ts', 'caller-context.ts'],
  http: async () => (await import('./http.ts')).http,
});
