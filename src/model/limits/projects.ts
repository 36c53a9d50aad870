import { fixed, limit } from '../limits.ts';

export const PROJECT_LIMITS = {
  projects: limit('projects', 500, 5_000, 'UNLEASH_PROJECTS_LIMIT', { counts: 'projects' }),
  defaultStrategies: limit('default strategies of projects', 5_000, 100_000, 'DEFAULT_STRATEGIES_LIMIT', {
    counts: 'defaultStrategies',
  }),
  linkTemplates: limit('link templates of a project', 10, 100, 'LINK_TEMPLATES_LIMIT'),
  projectRoles: limit(
    'users and groups with roles in projects, counted once for each project',
    100_000,
    1_000_000,
    'PROJECT_ROLES_LIMIT',
    { counts: 'projectRoles' },
  ),
  rolesOfHolder: fixed('roles of a user or a group in one project', 50),
};
