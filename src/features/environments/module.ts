import { feature } from '../feature-module.ts';
import { environments } from './environment.ts';
import { ENVIRONMENT_EVENTS } from './events.ts';
import { ENVIRONMENT_LIMITS } from './limits.ts';

export const environmentsFeature = feature({
  name: 'environments',
  exports: ['environment.ts', 'limits.ts', 'present.ts', 'schemas.ts'],
  collections: { environments },
  events: ENVIRONMENT_EVENTS,
  limits: ENVIRONMENT_LIMITS,
  http: async () => (await import('./http.ts')).http,
});
