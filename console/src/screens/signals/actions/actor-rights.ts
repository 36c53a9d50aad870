import { useQueries, useQuery } from '@tanstack/react-query';
import { useMay } from '../../../data/may.ts';
import { groupsQuery, serviceAccountsQuery } from '../../../people/people-data.ts';
import { type RoleDetails, roleQuery } from '../../../people/role-data.ts';
import { type Access, accessQuery } from '../../../projects/project-data.ts';
import type { Step } from './action-data.ts';

/** The built-in roles. Editors may change what is in the project `default`. */
const ROLE = { admin: 1, editor: 2, viewer: 3, owner: 4, member: 5 } as const;
const LAST_BUILT_IN = 5;

/** Those who may see who is in a project. */
const READING = ['PROJECT_USER_ACCESS_READ', 'PROJECT_USER_ACCESS_WRITE', 'UPDATE_PROJECT'] as const;

const permissionOf = ({ action }: Step) =>
  action === 'TOGGLE_FEATURE_OFF' || action === 'TOGGLE_FEATURE_ON'
    ? 'UPDATE_FEATURE_ENVIRONMENT'
    : 'UPDATE_FEATURE_STRATEGY';

/** An environment that is not chosen yet is allowed by a permission in any. */
const givesStep = ({ permissions }: RoleDetails, step: Step) =>
  permissions.some(
    ({ name, environment }) =>
      name === permissionOf(step) && (!environment || step.environment === '' || environment === step.environment),
  );

const givesAll = (role: number, project: string) =>
  role === ROLE.admin || role === ROLE.owner || role === ROLE.member || (role === ROLE.editor && project === 'default');

const has = (members: Access['groups'][number]['users'], account: number) =>
  members.some(({ user }) => user.id === account);

const rolesIn = ({ users, groups }: Access, account: number): number[] =>
  [...users.filter(({ id }) => id === account), ...groups.filter((group) => has(group.users, account))].flatMap(
    ({ roles }) => roles,
  );

/** Its roles in the whole instance, its own and those of its groups; undefined where the person may not read them. */
function useRootRoles(account: number | null): readonly number[] | undefined {
  const enabled = useMay('ADMIN') === undefined && account !== null;
  const { data: accounts } = useQuery({ ...serviceAccountsQuery, enabled });
  const { data: groups } = useQuery({ ...groupsQuery, enabled });
  const own = accounts?.serviceAccounts.find(({ id }) => id === account)?.rootRole;
  if (own === undefined || !groups) return undefined;
  const ofGroups = groups.flatMap(({ users = [], rootRole }) =>
    rootRole != null && users.some(({ user }) => user.id === account) ? [rootRole] : [],
  );
  return [own, ...ofGroups];
}

export type Lack = 'certain' | 'unless-root-role' | undefined;

/** Whether no role that the person may read allows the account to make each of the steps. The server decides when a signal arrives. */
export function useLackOfRights(project: string, account: number | null, steps: readonly Step[]): Lack {
  const mayRead = useMay(READING, project) === undefined;
  const { data: access } = useQuery({ ...accessQuery(project), enabled: mayRead && account !== null });
  const rootRoles = useRootRoles(account);
  const mayReadRoles = useMay(['ADMIN', 'READ_ROLE']) === undefined;
  const roles = access && account !== null ? [...rolesIn(access, account), ...(rootRoles ?? [])] : [];
  const custom = [...new Set(roles)].filter((id) => id > LAST_BUILT_IN);
  const read = useQueries({ queries: custom.map((id) => ({ ...roleQuery(id), enabled: mayReadRoles })) });
  if (!access || account === null || roles.some((role) => givesAll(role, project))) return undefined;
  const details = read.flatMap(({ data }) => (data ? [data] : []));
  // A custom role that cannot be read may allow it.
  if (details.length < custom.length) return undefined;
  if (steps.every((step) => details.some((role) => givesStep(role, step)))) return undefined;
  return rootRoles ? 'certain' : 'unless-root-role';
}
