import { scryptSync } from 'node:crypto';
import { makeFlags } from '../../../../bench/support/flags.ts';
import type { Seeds } from '../../../../bench/support/service.ts';
import { encodePasswordHash } from '../../../../src/features/people/passwords/password.ts';
import { SESSION_COOKIE } from '../../../../src/http/session-cookie.ts';
import type { Feature } from '../../../../src/model/feature.ts';
import { PERMISSION_NAMES, PERMISSIONS } from '../../../../src/model/permission.ts';
import type { HolderKind } from '../../../../src/model/project-roles.ts';
import { LAST_BUILT_IN, ROLE_ID, type RolePermission } from '../../../../src/model/role.ts';
import { hashedSecret } from '../../../../src/model/token-secret.ts';
import type { AccountType } from '../../../../src/model/user.ts';
import type { Draft } from '../../../../src/state/draft.ts';

/** The number of environments, projects, roles, groups and users in a state. */
export interface Width {
  readonly environments: number;
  readonly projects: number;
  /** Project roles. Each grants the permissions of a project, in every environment by name. */
  readonly roles: number;
  /** Groups, each with roles in every project. Some callers are in all of them. */
  readonly groups: number;
  /** Roles that a group has in a project. */
  readonly rolesOfGroup: number;
  /** Other users, and the number of groups of each. */
  readonly people: number;
  readonly groupsOfPerson: number;
}

/** A smaller state, for tests. */
export const WIDE: Width = {
  environments: 48,
  projects: 100,
  groups: 100,
  roles: 50,
  rolesOfGroup: 10,
  people: 300,
  groupsOfPerson: 30,
};

/** About what the limits allow by default: 500 projects, 100,000 grants, 100,000 memberships, 50 environments. */
export const WIDEST: Width = {
  environments: 48,
  projects: 499,
  roles: 50,
  groups: 200,
  rolesOfGroup: 50,
  people: 1_900,
  groupsOfPerson: 50,
};

const AT = '2026-01-01T00:00:00.000Z';
const FOREVER = '2100-01-01T00:00:00.000Z';
/** Entities that are put in one commit. */
const PART = 2_000;

export const environmentName = (index: number): string => `wide-env-${index}`;
export const projectName = (index: number): string => `wide-${index}`;

/** The callers, by kind of account and root role. `wide` is a viewer in every group; `custom` also has a wide role in the whole instance. */
export const PEOPLE = {
  admin: { id: 9_001, rootRole: ROLE_ID.admin, accountType: 'User' },
  editor: { id: 9_002, rootRole: ROLE_ID.editor, accountType: 'User' },
  viewer: { id: 9_003, rootRole: ROLE_ID.viewer, accountType: 'User' },
  wide: { id: 9_004, rootRole: ROLE_ID.viewer, accountType: 'User' },
  custom: { id: 9_005, rootRole: LAST_BUILT_IN + 1, accountType: 'User' },
  /** Signs on between measurements; this does not affect the other users. */
  comer: { id: 9_007, rootRole: ROLE_ID.viewer, accountType: 'User' },
  service: { id: 9_006, rootRole: ROLE_ID.viewer, accountType: 'Service Account' },
} as const satisfies Record<string, { id: number; rootRole: number; accountType: AccountType }>;
export type Person = keyof typeof PEOPLE;

/** Users who are in every group. */
const IN_ALL_GROUPS: readonly Person[] = ['wide', 'custom', 'service'];

/** The credentials of `comer`. */
export const LOGIN = { username: 'comer', password: 'Correct-Horse-9' };

/** The instance-wide role of `custom`. */
export const WIDE_ROLE_ID = LAST_BUILT_IN + 1;

const sessionText = (person: string) => `session-of-${person}`;
const tokenText = (person: string) => `user:token-of-${person}`;

/** Headers that identify the caller by a browser session or by a personal token. */
export const sessionOf = (person: Person) => ({
  cookie: `${SESSION_COOKIE}=${sessionText(person)}`,
  'sec-fetch-site': 'same-origin',
});
export const tokenOf = (person: Person) => ({ authorization: tokenText(person) });

/** The state, in parts of a few thousand entities. */
export function* peopleSeeds(width: Width): Seeds {
  yield (draft) => putPlaces(draft, width);
  yield (draft) => putRoles(draft, width);
  yield (draft) => putCallers(draft, width);
  yield* parts(everybody(width), putPerson);
  yield* parts(everyGrant(width), putGrant);
  yield* parts(wideFlags(width), (draft, flag) => draft.put('features', flag));
}

/** The projects of the wide flags: few callers can see `private`, all can see `open`. */
export const WIDE_PROJECTS = { private: projectName(0), open: projectName(1) };

/** Number of flags in each of these projects. Each flag has the maximum number of strategies in every environment. */
export const WIDE_FLAGS = 50;

export const wideFlagName = (project: string, index: number): string => `${project}-flag-${index}`;

function wideFlags({ environments }: Width): Feature[] {
  const names = ['development', ...Array.from({ length: environments }, (_, index) => environmentName(index))];
  return Object.values(WIDE_PROJECTS).flatMap((project, seed) =>
    makeFlags(WIDE_FLAGS, { seed: 7 + seed, environments: names, strategies: 30, project }).map((flag, at) => ({
      ...flag,
      name: wideFlagName(project, at),
    })),
  );
}

function* parts<Item>(items: Iterable<Item>, put: (draft: Draft, item: Item) => void): Seeds {
  let part: Item[] = [];
  const seed = (these: readonly Item[]) => (draft: Draft) => {
    for (const item of these) put(draft, item);
  };
  for (const item of items) {
    part.push(item);
    if (part.length < PART) continue;
    yield seed(part);
    part = [];
  }
  yield seed(part);
}

/** Every second project is private. */
function putPlaces(draft: Draft, { environments, projects }: Width): void {
  const names = ['development', ...Array.from({ length: environments }, (_, index) => environmentName(index))];
  for (const name of names.slice(1))
    draft.put('environments', { name, type: 'test', enabled: true, protected: false, sortOrder: 9_000 });
  for (let index = 0; index < projects; index++) {
    const [id, mode] = [projectName(index), index % 2 === 0 ? ('private' as const) : ('open' as const)];
    const facts = { description: null, defaultStickiness: 'default', featureLimit: null, archivedAt: null };
    draft.put('projects', { id, name: id, mode, environments: names, createdAt: AT, updatedAt: AT, ...facts });
  }
}

function putRoles(draft: Draft, { environments, roles }: Width): void {
  const names = Array.from({ length: environments }, (_, index) => environmentName(index));
  const permissions = PERMISSION_NAMES.flatMap((name): RolePermission[] => {
    if (PERMISSIONS[name] === 'environment') return names.map((environment) => ({ name, environment }));
    return PERMISSIONS[name] === 'project' ? [{ name }] : [];
  });
  const ofInstance = PERMISSION_NAMES.filter((name) => name !== 'ADMIN').map((name) => ({ name }));
  draft.put('roles', {
    id: WIDE_ROLE_ID,
    name: 'wide-root',
    description: '',
    type: 'root-custom',
    permissions: ofInstance,
  });
  for (let index = 0; index < roles; index++) {
    const own = { id: roleId(index), name: `wide-${index}`, description: '', type: 'custom' as const };
    // Each role lacks one permission, so that no two roles are the same and all of them together grant everything.
    draft.put('roles', { ...own, permissions: permissions.filter((_, at) => at !== index) });
  }
  draft.put('counters', { value: roleId(roles) }, 'roles');
}

const roleId = (index: number) => LAST_BUILT_IN + 2 + index;

function putCallers(draft: Draft, { groups }: Width): void {
  for (let id = 1; id <= groups; id++) {
    const facts = { description: null, mappingsSSO: [], rootRole: null, createdAt: AT, createdBy: null };
    draft.put('groups', { id, name: `wide-${id}`, ...facts });
  }
  draft.put('counters', { value: groups }, 'groups');
  for (const [person, { id, rootRole, accountType }] of Object.entries(PEOPLE)) {
    putUser(draft, id, person, rootRole, accountType);
    if (person === LOGIN.username) setPassword(draft, id);
    const secret = hashedSecret(tokenText(person));
    const facts = { id, userId: id, description: 'own', createdAt: AT, expiresAt: FOREVER, seenAt: null };
    draft.put('personalTokens', { secret, ...facts });
    if (accountType === 'User') {
      const session = { secret: hashedSecret(sessionText(person)), userId: id, createdAt: AT, expiresAt: FOREVER };
      draft.put('sessions', { ...session, userAgent: 'bench' });
    }
    if (IN_ALL_GROUPS.includes(person as Person))
      for (let group = 1; group <= groups; group++) putMember(draft, group, id);
  }
  draft.put('counters', { value: 10_000 }, 'users');
  draft.put('counters', { value: 10_000 }, 'personalTokens');
}

function putUser(draft: Draft, id: number, name: string, rootRole: number, accountType: AccountType = 'User'): void {
  const names = { name, username: name, email: `${name}@example.org` };
  const facts = { passwordHash: null, createdAt: AT, seenAt: null, loginAttempts: 0 };
  draft.put('users', { id, accountType, ...names, rootRole, ...facts });
}

/** Hashed with a thousandth of the usual cost; the check of the password works the same way. */
function setPassword(draft: Draft, id: number): void {
  const user = draft.get('users', String(id));
  const [cost, salt] = [{ N: 16, r: 8, p: 1 }, Buffer.from('some salt')];
  const passwordHash = encodePasswordHash({ cost, salt, key: scryptSync(LOGIN.password, salt, 32, cost) });
  if (user) draft.put('users', { ...user, passwordHash });
}

function putMember(draft: Draft, groupId: number, userId: number): void {
  draft.put('groupMembers', { groupId, userId, joinedAt: AT, createdBy: null, bySignOn: false });
}

function* everybody({ people, groups, groupsOfPerson }: Width) {
  for (let person = 1; person <= people; person++) {
    const of = Array.from({ length: groupsOfPerson }, (_, index) => 1 + ((person * 7 + index * 3) % groups));
    yield { person, groups: [...new Set(of)] };
  }
}

function putPerson(draft: Draft, { person, groups }: { person: number; groups: readonly number[] }): void {
  putUser(draft, person, `person-${person}`, ROLE_ID.viewer);
  for (const group of groups) putMember(draft, group, person);
}

interface Grant {
  readonly project: string;
  readonly holder: HolderKind;
  readonly holderId: number;
  readonly roles: readonly number[];
}

/** No two groups have the same roles in a project. */
function* everyGrant({ projects, groups, roles, rolesOfGroup }: Width): Iterable<Grant> {
  for (let at = 0; at < projects; at++) {
    for (let group = 1; group <= groups; group++) {
      const ids = Array.from({ length: rolesOfGroup }, (_, index) =>
        roleId((group * rolesOfGroup + at + index) % roles),
      );
      const sorted = [...new Set(ids)].sort((left, right) => left - right);
      yield { project: projectName(at), holder: 'group', holderId: group, roles: sorted };
    }
  }
}

function putGrant(draft: Draft, grant: Grant): void {
  draft.put('projectRoles', { ...grant, createdAt: AT });
}
