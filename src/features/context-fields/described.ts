import type { Examples } from '../../http/examples.ts';
import type { Glossary } from '../../http/field-descriptions.ts';

/** Meaning of the fields in this feature's requests and answers, if their schemas do not state it. */
export const glossary: Glossary = {
  'contextField.legalValues': 'Values that constraints may compare the field with; empty: any value',
  'createContextField.name': 'Name under which SDKs send the field',
  'createContextField.project':
    'The project that the field belongs to; null: all projects. Ignored when the path names a project',
};

/** Example values of this feature's parameters and bodies, for the OpenAPI document. */
export const examples: Examples = {
  createContextField: {
    name: 'plan',
    description: 'What the customer pays for',
    stickiness: false,
    legalValues: [{ value: 'free' }, { value: 'pro' }],
  },
  updateContextField: { description: 'Where the customer lives', legalValues: [{ value: 'NO' }, { value: 'SE' }] },
  'updateContextFieldLegalValue.value': 'DK',
  'updateProjectContextFieldLegalValue.value': 'DK',
  validateContextFieldName: { name: 'customer-plan' },
  validateProjectContextFieldName: { name: 'customer-plan' },
  'deleteProjectContextField.contextField': 'floor',
  'getProjectContextField.contextField': 'floor',
  'updateProjectContextField.contextField': 'floor',
  'updateProjectContextFieldLegalValue.contextField': 'floor',
  'deleteProjectContextFieldLegalValue.contextField': 'floor',
};
