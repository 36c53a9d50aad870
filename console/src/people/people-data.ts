import type { components } from '../api/schema.d.ts';
import { api, read } from '../data/client.ts';
import { keys } from '../data/keys.ts';
import { DAY_MS } from '../domain/milliseconds.ts';

export type User = components['schemas']['user'];
export type Role = components['schemas']['role'];
export type Group = components['schemas']['group'];
export type ServiceAccount = components['schemas']['serviceAccount'];
export type PersonalToken = components['schemas']['personalToken'];

/** A person who may not see a list asks once: the answer stays the same. */
const retry = false;

export const usersQuery = {
  queryKey: keys.users,
  queryFn: () => read(api.GET('/api/admin/user-admin')),
  retry,
} as const;

export const groupsQuery = {
  queryKey: keys.groups,
  queryFn: async () => (await read(api.GET('/api/admin/groups'))).groups,
  retry,
} as const;

export const rolesQuery = {
  queryKey: keys.roles,
  queryFn: async () => (await read(api.GET('/api/admin/roles'))).roles,
  retry,
} as const;

export const serviceAccountsQuery = {
  queryKey: keys.serviceAccounts,
  queryFn: () => read(api.GET('/api/admin/service-account')),
  retry,
} as const;

interface Named {
  readonly id: number;
  readonly name?: string | undefined;
  readonly email?: string | undefined;
  readonly username?: string | undefined;
}

export const nameOf = ({ id, name, username, email }: Named) => name || username || email || `#${id}`;
export const loginOf = ({ username, email }: Named) => email || username || '';

/** Custom roles for the whole instance count, too. */
export const isRootRole = ({ type }: Role) => type === 'root' || type === 'root-custom';

export type Expiry = '7' | '30' | '90' | '365' | 'custom';

/** Undefined: a day is demanded, and missing or over. */
export function expiryOf(expiry: Expiry, day: string, now: number): string | undefined {
  if (expiry !== 'custom') return new Date(now + Number(expiry) * DAY_MS).toISOString();
  const at = Date.parse(`${day}T23:59:59`);
  return Number.isNaN(at) || at < now ? undefined : new Date(at).toISOString();
}
