import { feature } from '../feature-module.ts';

export const historyFeature = feature({
  name: 'history',
  exports: ['schemas.ts', 'tried-undo.ts'],
  http: async () => (await import('./http.ts')).http,
});
