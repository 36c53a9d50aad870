import { limit } from '../../model/limits.ts';
import { feature } from '../feature-module.ts';
import { SEEN } from '../shared/never-undone.ts';
import { applications } from './applications/application.ts';
import { lifecycles } from './lifecycle.ts';

export const usageFeature = feature({
  name: 'usage',
  exports: [
    'applications/present.ts',
    'counter-recorder.ts',
    'flag-counts.ts',
    'flag-stats.ts',
    'flag-use.ts',
    'lifecycle-commands.ts',
    'lifecycle-schema.ts',
    'lifecycle.ts',
    'use-series.ts',
  ],
  collections: { applications, lifecycles },
  shown: {
    applications: null,
    lifecycles: null,
  },
  events: {
    'application-created': ['Application seen', 'saw the application {what} for the first time', SEEN],
    'client-metrics': ['Metrics received', 'received metrics of {what}'],
    'client-register': ['Client registered', 'recorded that {what} registered'],
  },
  limits: {
    applications: limit('applications for which SDKs report', 1_000, 5_000, 'APPLICATIONS_LIMIT', {
      counts: 'applications',
    }),
  },
  parts: async () => (await import('./parts.ts')).usageParts,
  gauges: async () => (await import('./gauges.ts')).gauges,
  http: async () => (await import('./http.ts')).http,
});
