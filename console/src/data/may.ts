import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { api, read } from './client.ts';
import { openKept } from './kept.ts';
import { keys } from './keys.ts';

export const meQuery = {
  queryKey: keys.me,
  queryFn: async () => {
    const me = await read(api.GET('/api/admin/user'));
    openKept(me.user.id);
    return me;
  },
} as const;

export const useMe = () => useQuery(meQuery);

/** Undefined: allowed. Otherwise a sentence that says which permission is missing, and where: the `reason` of a control. */
export type MayNot = string | undefined;

interface Granted {
  readonly permission: string;
  readonly project?: string | undefined;
  readonly environment?: string | undefined;
}

const covers = (value: string | undefined, asked: string | undefined) =>
  value === undefined || value === '' || value === '*' || value === asked;

/** Whether the list of permissions allows it. Permissions of the whole instance have neither project nor environment. */
export function allows(
  granted: readonly Granted[],
  permission: string,
  project?: string,
  environment?: string,
): boolean {
  return granted.some(
    (one) =>
      one.permission === 'ADMIN' ||
      (one.permission === permission && covers(one.project, project) && covers(one.environment, environment)),
  );
}

export function reasonOf(permissions: readonly string[], project?: string, environment?: string): string {
  const where = [project ? `in ${project}` : '', environment ? `(${environment})` : ''].filter(Boolean).join(' ');
  return `Needs ${permissions.join(' or ')}${where ? ` ${where}` : ''}`;
}

/** Asks for one permission, or for any of several. The server decides; this only explains in advance. */
export function useMay(permission: string | readonly string[], project?: string, environment?: string): MayNot {
  const { data } = useMe();
  const list = typeof permission === 'string' ? permission : permission.join(' ');
  return useMemo(() => {
    const asked = list.split(' ');
    if (!data) return 'Your permissions are being read';
    return asked.some((one) => allows(data.permissions, one, project, environment))
      ? undefined
      : reasonOf(asked, project, environment);
  }, [data, project, environment, list]);
}

/**
 * Whether the person has the permission, or any of several, in any project: for what begins before its project is chosen, and for lists of which the
 * server shows a part.
 */
export function useMayAnywhere(...asked: readonly string[]): MayNot {
  const { data } = useMe();
  if (!data) return 'Your permissions are being read';
  const has = data.permissions.some(({ permission }) => permission === 'ADMIN' || asked.includes(permission));
  return has ? undefined : reasonOf(asked);
}

/** The same as a function, for lists in which every row is in another project. */
export function useMayIn(): (permission: string | readonly string[], project?: string, environment?: string) => MayNot {
  const { data } = useMe();
  return useMemo(
    () => (permission, project, environment) => {
      const asked = typeof permission === 'string' ? [permission] : permission;
      return data && asked.some((one) => allows(data.permissions, one, project, environment))
        ? undefined
        : reasonOf(asked, project, environment);
    },
    [data],
  );
}
