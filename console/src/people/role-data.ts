import type { components } from '../api/schema.d.ts';
import { api, read } from '../data/client.ts';
import { keys } from '../data/keys.ts';
import { roles as words } from '../words/en/people/roles.ts';

export type Permission = components['schemas']['adminPermission'];
export type RoleDetails = components['schemas']['roleWithPermissions'];
export type RoleKind = 'custom' | 'root-custom';

export interface Section {
  readonly key: string;
  readonly label: string;
  readonly permissions: readonly Permission[];
}

/** All that a role can have, by scope. Permissions of environments are repeated for each environment. */
export const permissionsQuery = {
  queryKey: [...keys.roles, 'permissions'],
  queryFn: async () => (await read(api.GET('/api/admin/permissions'))).permissions,
} as const;

export const roleQuery = (id: number) =>
  ({
    queryKey: keys.role(id),
    queryFn: () => read(api.GET('/api/admin/roles/{roleId}', { params: { path: { roleId: id } } })),
    retry: false,
  }) as const;

/** Roles for projects cannot have what counts in the whole instance. */
export function sectionsOf(
  all: components['schemas']['adminPermissions']['permissions'],
  kind: RoleKind,
): readonly Section[] {
  return [
    ...(kind === 'root-custom'
      ? [{ key: 'root', label: words.sections.root, permissions: all.root.filter(({ name }) => name !== 'ADMIN') }]
      : []),
    { key: 'project', label: words.sections.project, permissions: all.project },
    ...all.environments.map(({ name, permissions }) => ({
      key: `environment ${name}`,
      label: words.environment(name),
      permissions,
    })),
  ];
}

/** A permission in one text, so that sets of them can be compared. */
export const keyOf = ({ name, environment }: { readonly name: string; readonly environment?: string | undefined }) =>
  `${name} ${environment ?? ''}`;

export function inputOf(key: string): { name: string; environment?: string } {
  const at = key.indexOf(' ');
  const environment = key.slice(at + 1);
  return { name: key.slice(0, at), ...(environment && { environment }) };
}

function nameOf(key: string): string {
  const { name, environment } = inputOf(key);
  return environment ? words.inEnvironment(name, environment) : words.anywhere(name);
}

/** What it gains and what it loses. */
export function permissionSentences(before: ReadonlySet<string>, after: ReadonlySet<string>): readonly string[] {
  return [
    ...[...after].filter((key) => !before.has(key)).map((key) => words.gains(nameOf(key))),
    ...[...before].filter((key) => !after.has(key)).map((key) => words.loses(nameOf(key))),
  ];
}
