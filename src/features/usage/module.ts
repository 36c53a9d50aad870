import { applications } from '../../model/application.ts';
import { lifecycles } from '../../model/lifecycle.ts';
import { feature } from '../feature-module.ts';
import { USAGE_LIMITS } from './limits.ts';

export const usageFeature = feature({
  name: 'usage',
  exports: [
    'applications/present.ts',
    'counter-recorder.ts',
    'flag-count-routes.ts',
    'flag-figures.ts',
    'flag-use.ts',
    'lifecycle-commands.ts',
    'propagation/propagation.ts',
  ],
  collections: { applications, lifecycles },
  limits: USAGE_LIMITS,
  parts: async () => (await import('./parts.ts')).usageParts,
  http: async () => (await import('./http.ts')).http,
});
