import { feature } from '../feature-module.ts';
import { applications } from './applications/application.ts';
import { USAGE_EVENTS } from './events.ts';
import { lifecycles } from './lifecycle.ts';
import { USAGE_LIMITS } from './limits.ts';

export const usageFeature = feature({
  name: 'usage',
  exports: [
    'applications/present.ts',
    'counter-recorder.ts',
    'flag-counts.ts',
    'flag-stats.ts',
    'flag-use.ts',
    'lifecycle-commands.ts',
    'lifecycle.ts',
    'propagation/propagation.ts',
  ],
  collections: { applications, lifecycles },
  events: USAGE_EVENTS,
  limits: USAGE_LIMITS,
  parts: async () => (await import('./parts.ts')).usageParts,
  http: async () => (await import('./http.ts')).http,
});
