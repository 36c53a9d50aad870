import { contextFields } from '../../model/context-field.ts';
import { CONTEXT_FIELD_LIMITS } from '../../model/limits/context-fields.ts';
import { feature } from '../feature-module.ts';
import { editedBy } from '../shared/entity-tags.ts';

export const contextFieldsFeature = feature({
  name: 'context-fields',
  exports: ['commands.ts'],
  collections: { contextFields },
  shown: {
    contextFields: { type: 'context-field', named: ({ name, project }) => ({ id: name, project }) },
  },
  history: {
    contextFields: { type: 'context-field', undo: async () => (await import('./commands.ts')).undoContextField },
  },
  edited: { contextField: editedBy('contextFields', 'contextField', 'context-field') },
  events: {
    'context-field-created': ['Context field created', 'created the context field {what}{in}'],
    'context-field-updated': ['Context field changed', 'changed the context field {what}{in}'],
    'context-field-deleted': ['Context field deleted', 'deleted the context field {what}{in}'],
  },
  limits: CONTEXT_FIELD_LIMITS,
  limited: async () => (await import('./limited.ts')).limited,
  http: async () => (await import('./http.ts')).http,
});
