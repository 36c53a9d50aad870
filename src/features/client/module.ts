import { feature } from '../feature-module.ts';

export const clientFeature = feature({
  name: 'client',
  exports: ['request-headers.ts'],
  http: async () => (await import('./http.ts')).http,
});
