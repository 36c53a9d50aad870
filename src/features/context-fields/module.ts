import { contextFields } from '../../model/context-field.ts';
import { feature } from '../feature-module.ts';
import { CONTEXT_FIELD_LIMITS } from './limits.ts';

export const contextFieldsFeature = feature({
  name: 'context-fields',
  exports: ['commands.ts', 'limits.ts'],
  collections: { contextFields },
  limits: CONTEXT_FIELD_LIMITS,
  http: async () => (await import('./http.ts')).http,
});
