import type { FeatureHttp } from '../feature-module.ts';
import { projectAccessEndpoints } from './access-routes.ts';
import { personalDashboardEndpoints } from './dashboard-routes.ts';
import { projectEnvironmentEndpoints } from './environment-routes.ts';
import { projectEndpoints } from './routes.ts';
import { projectStatusEndpoints } from './status-routes.ts';

export const http: FeatureHttp = {
  endpoints: [
    ...projectAccessEndpoints,
    ...personalDashboardEndpoints,
    ...projectEnvironmentEndpoints,
    ...projectEndpoints,
    ...projectStatusEndpoints,
  ],
  glossary: {
    'project.id': 'Id of the project',
    'projectAccess.users': 'Users with roles in the project',
    'projectAccess.groups': 'Groups with roles in the project',
    'projectAddAccess.roles': 'Ids of the roles',
    'projectAddAccess.groups': 'Ids of the groups',
    'projectAddAccess.users': 'Ids of the users',
    'projectOverview.id': 'Id of the project',
    'projectCreated.id': 'Id of the project',
    'projectCreated.environments': 'Names of the project’s environments',
    'projectOverview.environments': 'Environments of the project',
  },
  examples: {
    'addEnvironmentToProject.environment': 'staging',
    createProject: { id: 'mobile', name: 'Mobile apps' },
    addAccessToProject: { roles: [5], groups: [1], users: [] },
    addDefaultStrategyToProjectEnvironment: {
      name: 'flexibleRollout',
      parameters: { rollout: '50', stickiness: 'default' },
      constraints: [],
    },
    'addRoleAccessToProject.roleId': 5,
    addRoleAccessToProject: { groups: [{ id: 1 }], users: [] },
    'addRoleToProjectGroup.roleId': 5,
    'addRoleToProjectUser.roleId': 5,
    'archiveProject.projectId': 'shop',
    'deleteProject.projectId': 'old-shop',
    'reviveProject.projectId': 'old-shop',
    'changeRoleOfProjectGroup.roleId': 5,
    'changeRoleOfProjectUser.roleId': 5,
    'removeRoleOfProjectGroup.roleId': 5,
    'removeRoleOfProjectUser.roleId': 5,
    setProjectAccess: { roles: [{ id: 5, groups: [1], users: [] }] },
    setRolesForProjectGroup: { roles: [5] },
    setRolesForProjectUser: { roles: [5] },
    updateProject: { name: 'Default', description: 'Everything that has no project of its own' },
  },
};
