import { feature } from '../feature-module.ts';

export const frontendFeature = feature({
  name: 'frontend',
  http: async () => (await import('./http.ts')).http,
});
