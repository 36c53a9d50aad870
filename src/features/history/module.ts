import { feature } from '../feature-module.ts';

export const historyFeature = feature({
  name: 'history',
  http: async () => (await import('./http.ts')).http,
});
