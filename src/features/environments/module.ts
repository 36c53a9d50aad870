import { environments } from '../../model/environment.ts';
import { ENVIRONMENT_LIMITS } from '../../model/limits/environments.ts';
import { feature } from '../feature-module.ts';
import { edited } from './edited.ts';

export const environmentsFeature = feature({
  name: 'environments',
  exports: ['present.ts', 'schemas.ts'],
  collections: { environments },
  shown: {
    environments: { type: 'environment', named: ({ name }) => ({ id: name, environments: [name] }) },
  },
  history: {
    environments: {
      type: 'environment',
      is: 'environment',
      undo: async () => (await import('./commands.ts')).undoEnvironment,
    },
  },
  edited,
  events: {
    'drop-environments': ['Environments dropped', 'dropped all environments'],
    'environment-import': ['Environment imported', 'imported the environment {what}'],
    'environment-created': ['Environment created', 'created the environment {what}'],
    'environment-updated': ['Environment changed', 'changed the environment {what}'],
    'environment-deleted': ['Environment deleted', 'deleted the environment {what}'],
  },
  limits: ENVIRONMENT_LIMITS,
  guards: async () => [(await import('./reason-guard.ts')).reasonGuard],
  http: async () => (await import('./http.ts')).http,
});
