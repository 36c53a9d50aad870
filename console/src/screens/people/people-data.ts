import type { components } from '../../api/schema.d.ts';
import { api, read } from '../../data/client.ts';
import { keys } from '../../data/keys.ts';

type Schemas = components['schemas'];
export type User = Schemas['user'];
export type Group = Schemas['group'];
export type Role = Schemas['role'];
export type Account = Schemas['serviceAccount'];
export type PersonalToken = Schemas['personalToken'];

export const nameOf = (who: {
  readonly id: number;
  readonly name?: string;
  readonly username?: string;
  readonly email?: string;
}) => who.name || who.username || who.email || `#${who.id}`;

export const usersQuery = { queryKey: keys.users, queryFn: () => read(api.GET('/api/admin/user-admin')) } as const;
export const groupsQuery = {
  queryKey: keys.groups,
  queryFn: async () => (await read(api.GET('/api/admin/groups'))).groups,
} as const;
export const rolesQuery = {
  queryKey: keys.roles,
  queryFn: async () => (await read(api.GET('/api/admin/roles'))).roles,
} as const;
export const accountsQuery = {
  queryKey: keys.serviceAccounts,
  queryFn: () => read(api.GET('/api/admin/service-account')),
} as const;
export const permissionsQuery = {
  queryKey: ['role', 'list', 'permissions'],
  queryFn: async () => (await read(api.GET('/api/admin/permissions'))).permissions,
} as const;
export const roleQuery = (id: number) =>
  ({
    queryKey: keys.role(id),
    queryFn: () => read(api.GET('/api/admin/roles/{roleId}', { params: { path: { roleId: id } } })),
  }) as const;

/** Roles that a user, a group or a service account can have in the whole instance. */
export const isRoot = ({ type }: Role) => type === 'root' || type === 'root-custom';
