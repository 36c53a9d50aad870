import { feature } from '../feature-module.ts';
import { contextFields } from './context-field.ts';
import { CONTEXT_FIELD_EVENTS } from './events.ts';
import { CONTEXT_FIELD_LIMITS } from './limits.ts';

export const contextFieldsFeature = feature({
  name: 'context-fields',
  exports: ['commands.ts', 'context-field.ts', 'limits.ts'],
  collections: { contextFields },
  events: CONTEXT_FIELD_EVENTS,
  limits: CONTEXT_FIELD_LIMITS,
  http: async () => (await import('./http.ts')).http,
});
