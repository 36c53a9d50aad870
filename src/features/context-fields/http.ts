import type { FeatureHttp } from '../feature-module.ts';
import { projectContextFieldEndpoints } from './project-routes.ts';
import { contextFieldEndpoints } from './routes.ts';

export const http: FeatureHttp = {
  endpoints: [...projectContextFieldEndpoints, ...contextFieldEndpoints],
  glossary: {
    'contextField.legalValues': 'Values that constraints may compare the field with; empty: any value',
    'createContextField.name': 'Name under which SDKs send the field',
    'createContextField.project':
      'The project that the field belongs to; null: all projects. Ignored when the path names a project',
  },
  examples: {
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
  },
};
