import type { components } from '../api/schema.d.ts';
import { api, read } from '../data/client.ts';
import { keys } from '../data/keys.ts';

export type Project = components['schemas']['project'];
export type ProjectDetails = components['schemas']['projectOverview'];
export type Access = components['schemas']['projectAccess'];

export const archivedProjectsQuery = {
  queryKey: [...keys.projects, 'archived'],
  queryFn: async () => (await read(api.GET('/api/admin/projects', { params: { query: { archived: true } } }))).projects,
} as const;

export const projectQuery = (id: string) =>
  ({
    queryKey: keys.project(id, 'overview'),
    queryFn: () => read(api.GET('/api/admin/projects/{projectId}/overview', { params: { path: { projectId: id } } })),
    retry: false,
  }) as const;

export const accessQuery = (id: string) =>
  ({
    queryKey: keys.project(id, 'access'),
    queryFn: () => read(api.GET('/api/admin/projects/{projectId}/access', { params: { path: { projectId: id } } })),
    retry: false,
  }) as const;

/** All environments of the instance; `visible` says which of them the project has. */
export const allEnvironmentsQuery = (id: string) =>
  ({
    queryKey: keys.project(id, 'all-environments'),
    queryFn: async () =>
      (await read(api.GET('/api/admin/environments/project/{projectId}', { params: { path: { projectId: id } } })))
        .environments,
    retry: false,
  }) as const;

export const peopleQuery = {
  queryKey: ['user', 'list', 'base'],
  queryFn: () => read(api.GET('/api/admin/user-admin/access')),
} as const;

/** An identifier made of a name, as people expect it in an address. */
export const idOf = (name: string) =>
  name
    .normalize('NFD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-+|-+$/g, '')
    .slice(0, 90);
