import { defaultStrategies } from '../../model/default-strategy.ts';
import { PROJECT_LIMITS } from '../../model/limits/projects.ts';
import { projects } from '../../model/project.ts';
import { projectRoles } from '../../model/project-roles.ts';
import { feature } from '../feature-module.ts';
import { byName, projectOfKey } from '../shared/recorded.ts';
import { edited } from './edited.ts';

export const projectsFeature = feature({
  name: 'projects',
  exports: ['access.ts', 'caller-projects.ts', 'commands.ts', 'environments.ts'],
  collections: { projects, projectRoles, defaultStrategies },
  shown: {
    projects: { type: 'project', named: ({ id }) => ({ id, project: id }) },
    projectRoles: { type: 'project', named: ({ project }) => ({ id: project, project }) },
    defaultStrategies: {
      type: 'project',
      named: ({ project, environment }) => ({ id: project, project, environments: [environment] }),
    },
  },
  history: {
    projects: {
      type: 'project',
      is: 'project',
      nameOf: byName,
      undo: async () => (await import('./undo.ts')).undoProject,
    },
    projectRoles: {
      type: 'project-access',
      nameOf({ holder }, key, people) {
        const [, id = ''] = key.split(':');
        return holder === 'group' ? people.group(id) : people.user(id);
      },
      undo: async () => (await import('./access.ts')).undoProjectRoles,
    },
    defaultStrategies: {
      type: 'default-strategy',
      idOf: projectOfKey,
      undo: async () => (await import('./default-strategy.ts')).undoDefaultStrategy,
    },
  },
  edited,
  events: {
    'project-access-added': ['Access granted', 'granted access to {project}'],
    'project-access-user-roles-updated': ['Roles of a user changed', 'changed the roles of a user in {project}'],
    'project-access-group-roles-updated': ['Roles of a group changed', 'changed the roles of a group in {project}'],
    'project-access-user-roles-deleted': ['User taken out of project', 'took a user out of {project}'],
    'project-access-group-roles-deleted': ['Group taken out of project', 'took a group out of {project}'],
    'project-access-updated': ['Access changed', 'changed who has access to {project}'],
    'project-created': ['Project created', 'created {project}'],
    'project-updated': ['Project changed', 'changed {project}'],
    'project-deleted': ['Project deleted', 'deleted {project}'],
    'project-archived': ['Project archived', 'archived {project}'],
    'project-revived': ['Project revived', 'took {project} out of the archive'],
    'project-import': ['Project imported', 'imported {project}'],
    'project-user-added': ['User added to project', 'gave a user a role in {project}'],
    'project-user-removed': ['User taken out of project', 'took a role in {project} away from a user'],
    'project-user-role-changed': ['Role of a user changed', 'changed the role of a user in {project}'],
    'project-group-role-changed': ['Role of a group changed', 'changed the role of a group in {project}'],
    'project-group-added': ['Group added to project', 'gave a group a role in {project}'],
    'project-group-removed': ['Group taken out of project', 'took a role in {project} away from a group'],
    'drop-projects': ['Projects dropped', 'dropped all projects'],
    'project-environment-added': ['Environment added to project', 'added an environment to {project}{on}'],
    'project-environment-removed': ['Environment removed from project', 'removed an environment from {project}{on}'],
    'default-strategy-updated': ['Default strategy changed', 'changed the default strategy of {project}{on}'],
  },
  limits: PROJECT_LIMITS,
  limited: async () => (await import('./limited.ts')).limited,
  whenRemoved: async () => (await import('./when-removed.ts')).whenRemoved,
  parts: async () => (await import('./parts.ts')).projectParts,
  http: async () => (await import('./http.ts')).http,
});
