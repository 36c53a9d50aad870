import { feature } from '../feature-module.ts';

export const documentationFeature = feature({
  name: 'documentation',
  http: async () => (await import('./http.ts')).http,
});
