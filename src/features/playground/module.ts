import { limit } from '../../model/limits.ts';
import { feature } from '../feature-module.ts';

export const playgroundFeature = feature({
  name: 'playground',
  exports: ['present.ts', 'schemas.ts'],
  limits: {
    playgroundContexts: limit(
      'combinations of context values in one request to the advanced playground',
      1_000,
      1_000_000,
      'PLAYGROUND_CONTEXTS_MAX',
    ),
    playgroundResults: limit(
      'results (flags × environments × contexts) of one request to the advanced playground',
      100_000,
      100_000_000,
      'PLAYGROUND_RESULTS_MAX',
    ),
  },
  http: async () => (await import('./http.ts')).http,
});
