import { projects } from '../../model/project.ts';
import { projectRoles } from '../../model/project-roles.ts';
import { feature } from '../feature-module.ts';
import { PROJECT_EVENTS } from './events.ts';
import { PROJECT_LIMITS } from './limits.ts';
import { defaultStrategies } from './stored-default-strategy.ts';

export const projectsFeature = feature({
  name: 'projects',
  exports: [
    'access.ts',
    'caller-projects.ts',
    'commands.ts',
    'environments.ts',
    'limits.ts',
    'schemas.ts',
    'stored-default-strategy.ts',
  ],
  collections: { projects, projectRoles, defaultStrategies },
  events: PROJECT_EVENTS,
  limits: PROJECT_LIMITS,
  parts: async () => (await import('./parts.ts')).projectParts,
  http: async () => (await import('./http.ts')).http,
});
