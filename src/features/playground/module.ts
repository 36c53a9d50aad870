import { feature } from '../feature-module.ts';
import { PLAYGROUND_LIMITS } from './limits.ts';

export const playgroundFeature = feature({
  name: 'playground',
  limits: PLAYGROUND_LIMITS,
  http: async () => (await import('./http.ts')).http,
});
