import { feature } from '../feature-module.ts';

export const clientFeature = feature({
  name: 'client',
  http: async () => (await import('./http.ts')).http,
});
