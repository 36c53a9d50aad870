import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  allPermissionsOf,
  calculateAllPermissions,
  prepareAllPermissions,
} from '../../src/access/effective-permissions.ts';
import { may, mayAnywhere } from '../../src/access/may.ts';
import { memberCounts } from '../../src/access/members.ts';
import { permissionEntries } from '../../src/access/permission-entries.ts';
import { atOnce } from '../../src/base/yield-control.ts';
import { PERMISSION_NAMES, PERMISSIONS, type Permission } from '../../src/model/permission.ts';
import { ROLE_ID, type RolePermission } from '../../src/model/role.ts';
import { Draft } from '../../src/state/draft.ts';
import { PermissionCache } from '../../src/state/permission-cache.ts';
import { State } from '../../src/state/state.ts';
import { commitOf } from '../support/random-state.ts';
import { caller, customRole, give, putGroup, user } from './people.ts';

const PROJECTS = ['p1', 'p2', 'p3'];
const ENVIRONMENTS = ['dev', 'prod'];
const NAMES: readonly Permission[] = [
  'ADMIN',
  'CREATE_SEGMENT',
  'CREATE_FEATURE',
  'DELETE_FEATURE',
  'UPDATE_FEATURE_STRATEGY',
];

const permission = fc.record(
  { name: fc.constantFrom(...NAMES.slice(1)), environment: fc.constantFrom(...ENVIRONMENTS, 'gone') },
  { requiredKeys: ['name'] },
);
/** A permission of a role has an environment only if it applies to environments. */
const permissions = fc.array(permission, { maxLength: 4 }).map((list) =>
  list.map(({ name, environment }): RolePermission => {
    const isInOne = environment !== undefined && PERMISSIONS[name] === 'environment';
    return isInOne ? { name, environment } : { name };
  }),
);
const roleIds = fc.subarray([6, 7, 8, ROLE_ID.owner, ROLE_ID.member], { minLength: 1 });
const grant = fc.record({
  project: fc.constantFrom(...PROJECTS),
  holder: fc.constantFrom('user' as const, 'group' as const),
  holderId: fc.integer({ min: 1, max: 3 }),
  roles: roleIds,
});
const world = fc.record({
  roles: fc.tuple(permissions, permissions, permissions, permissions),
  rootRole: fc.constantFrom<number>(ROLE_ID.viewer, ROLE_ID.editor, ROLE_ID.admin, 9),
  members: fc.tuple(...[1, 2, 3].map(() => fc.subarray([1, 2, 3]))),
  rootOfGroup: fc.constantFrom<number | null>(null, null, 9),
  grants: fc.array(grant, { maxLength: 8 }),
});
type World = typeof world extends fc.Arbitrary<infer W> ? W : never;

function put(draft: Draft, { roles, rootRole, members, rootOfGroup, grants }: World): void {
  for (const name of ENVIRONMENTS)
    draft.put('environments', { name, type: 'test', enabled: true, protected: false, sortOrder: 1 });
  for (const [at, list] of roles.entries()) {
    const type = at === 3 ? 'root-custom' : 'custom';
    draft.put(
      'roles',
      customRole(at + 1, type, at === 3 ? list.filter(({ name }) => PERMISSIONS[name] === 'root') : list),
    );
  }
  for (const id of [1, 2, 3]) draft.put('users', user(id, id === 1 ? { rootRole } : {}));
  for (const [at, of] of members.entries()) putGroup(draft, at + 1, of, at === 0 ? { rootRole: rootOfGroup } : {});
  for (const { project, holder, holderId, roles: ids } of grants) give(draft, project, holder, holderId, ids);
}

/** The roles of the user in the project (null: in the whole instance), found by a scan of everything. */
function rolesOf(draft: Draft, id: number, project: string | null): number[] {
  const groups = [...draft.values('groupMembers')].filter((one) => one.userId === id).map(({ groupId }) => groupId);
  if (project === null) {
    const ofGroups = groups.flatMap((group) => draft.get('groups', String(group))?.rootRole ?? []);
    return [draft.get('users', String(id))?.rootRole ?? 0, ...ofGroups];
  }
  return [...draft.values('projectRoles')]
    .filter((one) => one.project === project)
    .filter(({ holder, holderId }) => (holder === 'user' ? holderId === id : groups.includes(holderId)))
    .flatMap(({ roles }) => roles);
}

const LOCATIONS: readonly (readonly [string | null, string | null])[] = [
  [null, null],
  ...PROJECTS.flatMap((project) => [null, ...ENVIRONMENTS].map((environment) => [project, environment] as const)),
];

describe('the permissions of a user', () => {
  it('are the same computed per project and collected for all projects, and depend only on the roles of the user', () => {
    const property = fc.property(world, (stated) => {
      const [lazy, gathered] = [new Draft(new State()), new Draft(new State())];
      for (const draft of [lazy, gathered]) put(draft, stated);
      atOnce(calculateAllPermissions(gathered, '1'));
      for (const name of NAMES) {
        const answers = LOCATIONS.map(([project, environment]) => may(lazy, caller(1), name, project, environment));
        expect(LOCATIONS.map(([project, environment]) => may(gathered, caller(1), name, project, environment))).toEqual(
          answers,
        );
        expect([mayAnywhere(lazy, caller(1), name), mayAnywhere(gathered, caller(1), name)]).toEqual(
          Array(2).fill(isAllowedSomewhere(gathered, name)),
        );
      }
      for (const project of PROJECTS)
        expect(allPermissionsOf(lazy, '1')?.inProjects.has(project) ?? false).toBe(
          rolesOf(lazy, 1, project).length > 0,
        );
    });
    fc.assert(property, { numRuns: 200 });
  });

  const isAllowedSomewhere = (draft: Draft, name: Permission): boolean => {
    const ids = [null, ...PROJECTS].flatMap((project) => rolesOf(draft, 1, project));
    if (ids.includes(ROLE_ID.admin)) return true;
    const locations = [
      ...LOCATIONS,
      ['default', 'dev'] as const,
      ...PROJECTS.map((project) => [project, 'gone'] as const),
    ];
    return locations.some(([project, environment]) => may(draft, caller(1), name, project, environment));
  };

  it('cost one look-up per group of the user, for any number of projects and grants', () => {
    let looked = 0;
    class CountingDraft extends Draft {
      override get: Draft['get'] = (collection, key) => {
        if (collection === 'projectRoles') looked++;
        return super.get(collection, key);
      };
      override lookup: Draft['lookup'] = (index, key) => {
        expect(index).toBe('membershipsByUser');
        return super.lookup(index, key);
      };
    }
    const state = new State();
    const draft = new Draft(state);
    draft.put('users', user(1));
    for (let group = 1; group <= 20; group++) {
      putGroup(draft, group, [1]);
      for (let project = 0; project < 50; project++) give(draft, `p${project}`, 'group', group, [ROLE_ID.member]);
    }
    for (const { collection, key, entity } of draft.changes()) state.load(collection, key, entity as never);
    const asked = new CountingDraft(state);
    expect(may(asked, caller(1), 'CREATE_FEATURE', 'p7', null)).toBe(true);
    expect(may(asked, caller(1), 'DELETE_PROJECT', 'p7', null)).toBe(false);
    expect(looked).toBe(21);
  });
});

describe('the permissions of a user in single projects', () => {
  it('are kept for eight projects, and not if they come from more than 32 roles', () => {
    let looked = 0;
    class CountingDraft extends Draft {
      override get: Draft['get'] = (collection, key) => {
        if (collection === 'projectRoles') looked++;
        return super.get(collection, key);
      };
    }
    const state = new State();
    const draft = new Draft(state);
    draft.put('users', user(1));
    for (let at = 0; at < 9; at++) give(draft, `p${at}`, 'user', 1, [ROLE_ID.member]);
    const many = Array.from({ length: 33 }, (_, at) => customRole(at + 1, 'custom', [{ name: 'UPDATE_FEATURE' }]));
    for (const role of many) draft.put('roles', role);
    give(
      draft,
      'many',
      'user',
      1,
      many.map(({ id }) => id),
    );
    for (const { collection, key, entity } of draft.changes()) state.load(collection, key, entity as never);
    const asked = new CountingDraft(state);
    /** The number of look-ups that the answers for these projects need. */
    const lookUps = (projects: readonly string[], isAllowed = true) => {
      looked = 0;
      for (const project of projects) expect(may(asked, caller(1), 'UPDATE_FEATURE', project, null)).toBe(isAllowed);
      return looked;
    };
    const eight = Array.from({ length: 8 }, (_, at) => `p${at}`);
    expect([lookUps(eight), lookUps(eight)]).toEqual([8, 0]);
    // A ninth project takes their place.
    expect([lookUps(['p8']), lookUps(['p8']), lookUps(eight.slice(0, 2)), lookUps(eight.slice(0, 2))]).toEqual([
      1, 0, 2, 0,
    ]);
    expect([lookUps(['many']), lookUps(['many'])]).toEqual([1, 1]);
    expect(lookUps(['none'], false)).toBe(1);
  });
});

describe('the collected permissions of a user', () => {
  function commit(state: State, change: (draft: Draft) => void): void {
    const draft = new Draft(state);
    change(draft);
    state.apply(commitOf(state, draft.changes()));
  }

  function populated(): State {
    const state = new State();
    commit(state, (draft) => {
      for (const id of [1, 2]) draft.put('users', user(id));
      putGroup(draft, 1, [1]);
      putGroup(draft, 2, [2]);
      give(draft, 'p1', 'group', 1, [ROLE_ID.member]);
      give(draft, 'p1', 'user', 2, [ROLE_ID.member]);
    });
    return state;
  }

  const harmless: Record<string, (draft: Draft) => void> = {
    'another user signs on': (draft) =>
      draft.put('users', user(2, { seenAt: '2026-02-02T00:00:00.000Z', loginAttempts: 0 })),
    'the user signs on': (draft) => draft.put('users', user(1, { seenAt: '2026-02-02T00:00:00.000Z' })),
    'another user gets another role': (draft) => draft.put('users', user(2, { rootRole: ROLE_ID.editor })),
    'a user is created': (draft) => draft.put('users', user(3)),
    'another user gets a role in a project': (draft) => give(draft, 'p2', 'user', 2, [ROLE_ID.owner]),
    'another user leaves a group': (draft) => draft.remove('groupMembers', '2:2'),
    'a group gets another name': (draft) => putGroup(draft, 1, [], { name: 'renamed' }),
  };
  it.each(Object.entries(harmless))('stay cached when %s', (_what, change) => {
    const state = populated();
    const gathered = allPermissionsOf(state, '1');
    const draft = new Draft(state);
    change(draft);
    commit(state, change);
    expect(allPermissionsOf(state, '1')).toBe(gathered);
  });

  const concerning: Record<string, (draft: Draft) => void> = {
    'the user gets another role': (draft) => draft.put('users', user(1, { rootRole: ROLE_ID.editor })),
    'the user gets a role in a project': (draft) => give(draft, 'p2', 'user', 1, [ROLE_ID.owner]),
    'the user leaves a group': (draft) => draft.remove('groupMembers', '1:1'),
    'a group gets a role in a project': (draft) => give(draft, 'p2', 'group', 1, [ROLE_ID.owner]),
    'a group gets a role in the whole instance': (draft) => putGroup(draft, 1, [], { rootRole: ROLE_ID.editor }),
    'a role changes': (draft) => draft.put('roles', customRole(1, 'custom', [])),
  };
  it.each(Object.entries(concerning))('are discarded when %s', (_what, change) => {
    const state = populated();
    const gathered = allPermissionsOf(state, '1');
    commit(state, change);
    expect(allPermissionsOf(state, '1')).not.toBe(gathered);
  });

  it('stay cached when a large commit changes nothing that affects permissions', () => {
    const state = populated();
    const gathered = allPermissionsOf(state, '1');
    const publish = (change: (draft: Draft) => void) => {
      const draft = new Draft(state);
      change(draft);
      state.publish(atOnce(state.stage(commitOf(state, draft.changes()))));
      atOnce(state.settle());
    };
    publish((draft) => draft.put('users', user(2, { seenAt: '2026-02-02T00:00:00.000Z' })));
    expect(allPermissionsOf(state, '1')).toBe(gathered);
    publish((draft) => draft.remove('groupMembers', '1:1'));
    expect(allPermissionsOf(state, '1')?.inProjects.size).toBe(0);
  });

  it('are collected once for all callers that wait for them, and are not cached again once they were discarded', async () => {
    const state = populated();
    commit(state, (draft) => {
      for (let at = 0; at < 20_000; at++) give(draft, `q${at}`, 'group', 1, [ROLE_ID.member]);
    });
    const [first, second] = [prepareAllPermissions(state, '1'), prepareAllPermissions(state, '1')];
    expect(first).toBeInstanceOf(Promise);
    expect(second).toBe(first);
    commit(state, (draft) => draft.remove('groupMembers', '1:1'));
    await first;
    expect(allPermissionsOf(state, '1')?.inProjects.size).toBe(0);
    expect(prepareAllPermissions(state, '1')).toBeUndefined();
  });

  it('have a bounded cache: the oldest entry is removed first', () => {
    const permissionCache = new PermissionCache();
    const made = (weight: number) => ({ weight });
    for (let id = 0; id < 10; id++) permissionCache.keep(String(id), made(200_000));
    const kept = Array.from({ length: 10 }, (_, id) => permissionCache.person(String(id)) !== undefined);
    expect(kept).toEqual([false, false, false, false, false, true, true, true, true, true]);
    const large = made(10_000_000);
    permissionCache.keep('large', large);
    expect([permissionCache.person('9'), permissionCache.person('large')]).toEqual([undefined, large]);
    permissionCache.clear();
    permissionCache.keep('1', made(1));
    permissionCache.keep('2', made(900_000));
    expect(permissionCache.person('1')).toBeDefined();
  });
});

describe('the list of permissions that a user sees', () => {
  interface Entry {
    readonly permission: Permission;
    readonly project?: string;
    readonly environment?: string;
  }
  const shown = (draft: Draft): Entry[] => {
    const texts = [...permissionEntries(draft, caller(1))].filter((text) => text !== undefined);
    return JSON.parse(`[${texts.join(',')}]`) as Entry[];
  };

  it('covers exactly the permissions of the user, each once', () => {
    const property = fc.property(world, (stated) => {
      const draft = new Draft(new State());
      put(draft, stated);
      const entries = shown(draft);
      const texts = entries.map((entry) => JSON.stringify(entry));
      expect(new Set(texts).size).toBe(texts.length);
      if (may(draft, caller(1), 'ADMIN', null, null)) {
        expect(entries).toEqual([{ permission: 'ADMIN' }]);
        return;
      }
      for (const name of NAMES.slice(1)) {
        const reach = PERMISSIONS[name];
        const locations = LOCATIONS.filter(([project, environment]) =>
          reach === 'root'
            ? project === null
            : project !== null && (environment !== null) === (reach === 'environment'),
        );
        for (const [project, environment] of locations) {
          const isShown = entries.some(
            (entry) =>
              entry.permission === name &&
              [undefined, '*', project].includes(entry.project) &&
              [undefined, '*', environment].includes(entry.environment),
          );
          const ofAny = [project, ...PROJECTS].some((one) => may(draft, caller(1), name, one, environment));
          expect([name, project, environment, isShown]).toEqual([
            name,
            project,
            environment,
            reach === 'root' ? ofAny : may(draft, caller(1), name, project, environment),
          ]);
        }
      }
    });
    fc.assert(property, { numRuns: 300 });
  });

  it('has one entry for a permission in every environment, and no entry that another entry covers', () => {
    const draft = new Draft(new State());
    const name = 'UPDATE_FEATURE_STRATEGY';
    for (const environment of ENVIRONMENTS)
      draft.put('environments', { name: environment, type: 'test', enabled: true, protected: false, sortOrder: 1 });
    draft.put(
      'roles',
      customRole(1, 'custom', [...ENVIRONMENTS.map((environment) => ({ name, environment }) as const)]),
    );
    draft.put('roles', customRole(2, 'custom', [{ name, environment: 'dev' }]));
    draft.put('users', user(1));
    give(draft, 'all', 'user', 1, [6, 7]);
    give(draft, 'quo"ted', 'user', 1, [7]);
    expect(shown(draft)).toEqual([
      { permission: name, project: 'all', environment: '*' },
      { permission: name, project: 'quo"ted', environment: 'dev' },
    ]);
  });
});

describe('the list of permissions where no environment exists', () => {
  it('has those of single environments, which may be created again', () => {
    const draft = new Draft(new State());
    const name = 'UPDATE_FEATURE_STRATEGY';
    draft.put('roles', customRole(1, 'custom', [{ name: 'UPDATE_FEATURE' }, { name, environment: 'gone' }]));
    draft.put('users', user(1));
    give(draft, 'p1', 'user', 1, [6]);
    const texts = [...permissionEntries(draft, caller(1))].filter((text) => text !== undefined);
    expect(JSON.parse(`[${texts.join(',')}]`)).toEqual([
      { permission: 'UPDATE_FEATURE', project: 'p1' },
      { permission: name, project: 'p1', environment: 'gone' },
    ]);
  });
});

describe('the number of members of projects', () => {
  it('counts each user once, with own roles or with roles of groups', async () => {
    const property = fc.asyncProperty(world, async (stated) => {
      const draft = new Draft(new State());
      put(draft, stated);
      const counts = await memberCounts(draft);
      for (const project of PROJECTS)
        expect(counts.get(project) ?? 0).toBe([1, 2, 3].filter((id) => rolesOf(draft, id, project).length > 0).length);
      expect(memberCounts(draft)).toBe(memberCounts(draft));
    });
    await fc.assert(property, { numRuns: 100 });
  });

  it('is correct for more than 32 projects, and after a change', async () => {
    const draft = new Draft(new State());
    for (const id of [1, 2]) draft.put('users', user(id));
    putGroup(draft, 1, [1, 2]);
    for (let at = 0; at < 70; at++) give(draft, `p${at}`, at % 2 === 0 ? 'group' : 'user', 1, [ROLE_ID.member]);
    const before = await memberCounts(draft);
    expect(Array.from({ length: 70 }, (_, at) => before.get(`p${at}`))).toEqual(
      Array.from({ length: 70 }, (_, at) => (at % 2 === 0 ? 2 : 1)),
    );
    draft.remove('groupMembers', '1:2');
    expect((await memberCounts(draft)).get('p0')).toBe(1);
  });
});

it('grants no other permission with a permission', () => {
  for (const name of PERMISSION_NAMES.filter((one) => one !== 'ADMIN')) {
    const draft = new Draft(new State());
    draft.put('roles', customRole(1, 'custom', [{ name }]));
    draft.put('users', user(1));
    give(draft, 'p1', 'user', 1, [6]);
    expect(PERMISSION_NAMES.filter((one) => may(draft, caller(1), one, 'p1', null))).toEqual([name]);
  }
});
