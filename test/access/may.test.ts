import fc from 'fast-check';
import { beforeEach, describe, expect, it } from 'vitest';
import { accessProblem, forbidden, lostPermissionProblem, may, mayAnywhere } from '../../src/access/may.ts';
import { atOnce } from '../../src/base/yield-control.ts';
import { type Caller, NOBODY, systemCaller, withGrant } from '../../src/model/caller.ts';
import { PERMISSION_NAMES, PERMISSIONS, type Permission, type Requirement } from '../../src/model/permission.ts';
import type { Project } from '../../src/model/project.ts';
import { projectRolesKey } from '../../src/model/project-roles.ts';
import { ROLE_ID } from '../../src/model/role.ts';
import type { StateReader } from '../../src/state/collections.ts';
import { Draft } from '../../src/state/draft.ts';
import { State } from '../../src/state/state.ts';
import { commitOf } from '../support/random-state.ts';
import { caller, customRole, give, putGroup, user } from './people.ts';

let draft: Draft;

beforeEach(() => {
  draft = new Draft(new State());
});

function openProject(id: string): Project {
  const at = '2026-01-01T00:00:00.000Z';
  return {
    id,
    name: id,
    description: null,
    mode: 'open',
    defaultStickiness: 'default',
    featureLimit: null,
    environments: [],
    createdAt: at,
    updatedAt: at,
    archivedAt: null,
  };
}

/** The permissions that the caller has in the project and the environment. */
function permissionsIn(who: Caller, project: string | null, environment: string | null = null): Permission[] {
  return PERMISSION_NAMES.filter((name) => may(draft, who, name, project, environment));
}

describe('the permissions of a user', () => {
  it('are all permissions, everywhere, for an admin', () => {
    draft.put('users', user(1, { rootRole: ROLE_ID.admin }));
    expect(permissionsIn(caller(1), null)).toEqual(PERMISSION_NAMES);
    expect(permissionsIn(caller(1), 'any', 'development')).toEqual(PERMISSION_NAMES);
  });

  it('are only to read for a viewer', () => {
    draft.put('users', user(1));
    draft.put('projects', openProject('known'));
    expect(may(draft, caller(1), 'READ', 'known', null)).toBe(true);
    // The answer does not show whether a project is absent or private.
    expect(may(draft, caller(1), 'READ', 'unknown', null)).toBe(false);
    expect(permissionsIn(caller(1), 'known', 'development')).toEqual([]);
    for (const required of ['CLIENT', 'FRONTEND'] as const)
      expect(may(draft, caller(1), required, null, null)).toBe(false);
  });

  it('include shared entities and the default project for an editor, but neither users nor roles', () => {
    draft.put('users', user(1, { rootRole: ROLE_ID.editor }));
    const anywhere = permissionsIn(caller(1), null);
    expect(anywhere).toContain('CREATE_PROJECT');
    expect(anywhere).toContain('CREATE_SEGMENT');
    for (const name of ['ADMIN', 'READ_ROLE', 'CREATE_FEATURE'] as const) expect(anywhere).not.toContain(name);
    expect(permissionsIn(caller(1), 'default', 'development')).toContain('UPDATE_FEATURE_ENVIRONMENT');
    expect(permissionsIn(caller(1), 'other', 'development')).toEqual(anywhere);
  });

  it('of roles in a project apply only in that project', () => {
    draft.put('users', user(1));
    give(draft, 'mine', 'user', 1, [ROLE_ID.owner]);
    give(draft, 'shared', 'user', 1, [ROLE_ID.member]);
    const inProjects = PERMISSION_NAMES.filter(
      (name) => PERMISSIONS[name] !== 'root' && name !== 'SKIP_CHANGE_REQUEST',
    );
    expect(permissionsIn(caller(1), 'mine', 'any')).toEqual(inProjects);
    expect(permissionsIn(caller(1), 'shared', 'any')).toContain('CREATE_FEATURE');
    for (const name of ['UPDATE_PROJECT', 'DELETE_PROJECT', 'PROJECT_USER_ACCESS_WRITE', 'DELETE_FEATURE'] as const)
      expect(permissionsIn(caller(1), 'shared', 'any')).not.toContain(name);
    expect(permissionsIn(caller(1), 'other', 'any')).toEqual([]);
    expect(permissionsIn(caller(1), null)).toEqual([]);
  });

  it('of a role for one environment apply only in that environment', () => {
    draft.put('users', user(1));
    draft.put('roles', customRole(1, 'custom', [{ name: 'UPDATE_FEATURE_ENVIRONMENT', environment: 'development' }]));
    give(draft, 'mine', 'user', 1, [customRole(1, 'custom', []).id]);
    expect(permissionsIn(caller(1), 'mine', 'development')).toEqual(['UPDATE_FEATURE_ENVIRONMENT']);
    expect(permissionsIn(caller(1), 'mine', 'production')).toEqual([]);
    expect(permissionsIn(caller(1), 'mine', null)).toEqual([]);
    expect(permissionsIn(caller(1), null, 'development')).toEqual([]);
  });

  it('include those of groups: of the root role of a group and of its roles in projects', () => {
    draft.put('users', user(1));
    draft.put('users', user(2));
    draft.put('roles', customRole(1, 'root-custom', [{ name: 'CREATE_SEGMENT' }]));
    putGroup(draft, 7, [1], { rootRole: customRole(1, 'root-custom', []).id });
    putGroup(draft, 8, [1]);
    give(draft, 'mine', 'group', 8, [ROLE_ID.member]);
    expect(permissionsIn(caller(1), null)).toEqual(['CREATE_SEGMENT']);
    expect(permissionsIn(caller(1), 'mine')).toContain('CREATE_FEATURE');
    expect(permissionsIn(caller(1), 'other')).toEqual(['CREATE_SEGMENT']);
    expect(permissionsIn(caller(2), 'mine')).toEqual([]);
  });

  it('do not include those of a group with the same id as the user', () => {
    draft.put('users', user(5));
    putGroup(draft, 5, []);
    give(draft, 'mine', 'group', 5, [ROLE_ID.owner]);
    expect(permissionsIn(caller(5), 'mine')).toEqual([]);
  });

  it('are none when the user or the role does not exist', () => {
    expect(may(draft, caller(1), 'READ', null, null)).toBe(false);
    give(draft, 'mine', 'user', 1, [ROLE_ID.owner]);
    expect(permissionsIn(caller(1), 'mine')).toEqual([]);
    draft.put('users', user(2, { rootRole: 99 }));
    expect(permissionsIn(caller(2), 'mine')).toEqual([]);
  });

  it('exist nowhere for a user who does not exist, and for what only a token gives', () => {
    give(draft, 'mine', 'user', 1, [ROLE_ID.owner]);
    const somewhere = () =>
      (['CREATE_FEATURE', 'ADMIN', 'NONE', 'CLIENT', 'FRONTEND', 'SCIM'] as const).filter((required) =>
        mayAnywhere(draft, caller(1), required),
      );
    expect(somewhere()).toEqual(['NONE']);
    draft.put('users', user(1));
    expect(somewhere()).toEqual(['CREATE_FEATURE', 'NONE']);
  });

  it('follow the state: they change when a role is replaced', () => {
    draft.put('users', user(1, { rootRole: customRole(1, 'root-custom', []).id }));
    draft.put('roles', customRole(1, 'root-custom', [{ name: 'CREATE_SEGMENT' }]));
    expect(permissionsIn(caller(1), null)).toEqual(['CREATE_SEGMENT']);
    draft.put('roles', customRole(1, 'root-custom', [{ name: 'DELETE_SEGMENT' }]));
    expect(permissionsIn(caller(1), null)).toEqual(['DELETE_SEGMENT']);
  });

  it('exist somewhere exactly when they exist in some project and environment', () => {
    const permissions = fc.subarray(['UPDATE_FEATURE', 'CREATE_SEGMENT', 'UPDATE_FEATURE_ENVIRONMENT'] as const);
    const environment = fc.constantFrom(undefined, 'development');
    const projects = [null, 'p1', 'p2', 'default'];
    const property = fc.property(
      permissions,
      environment,
      fc.boolean(),
      fc.boolean(),
      fc.constantFrom<number>(ROLE_ID.viewer, ROLE_ID.editor),
      (names, where, byGroup, asRoot, rootRole) => {
        draft = new Draft(new State());
        const stated = names.map((name) => ({ name, ...(where === undefined ? {} : { environment: where }) }));
        const role = customRole(1, asRoot ? 'root-custom' : 'custom', stated);
        draft.put('roles', role);
        draft.put('users', user(1, { rootRole: asRoot && !byGroup ? role.id : rootRole }));
        putGroup(draft, 1, [1], { rootRole: asRoot && byGroup ? role.id : null });
        if (!asRoot) give(draft, 'p1', byGroup ? 'group' : 'user', 1, [role.id]);
        for (const name of PERMISSION_NAMES) {
          const somewhere = projects.some((project) =>
            [null, 'development'].some((one) => may(draft, caller(1), name, project, one)),
          );
          expect(mayAnywhere(draft, caller(1), name), name).toBe(somewhere);
        }
      },
    );
    fc.assert(property, { numRuns: 200 });
  });
});

describe('a token of an SDK', () => {
  it('gives its own kind of access, in its projects and its environment', () => {
    const scope = { environment: 'development', projects: new Set(['mine']) };
    for (const [kind, required, other] of [
      ['client', 'CLIENT', 'FRONTEND'],
      ['frontend', 'FRONTEND', 'CLIENT'],
    ] as const) {
      const asked = (project: string | null, environment: string | null, what: Requirement = required) =>
        may(draft, { ...NOBODY, kind, scope }, what, project, environment);
      expect([
        asked(null, null),
        asked('mine', null),
        asked(null, 'development'),
        asked('mine', 'development'),
      ]).toEqual(Array(4).fill(true));
      expect([asked('other', null), asked('mine', 'production'), asked('other', 'development')]).toEqual(
        Array(3).fill(false),
      );
      expect(asked(null, null, other)).toBe(false);
    }
  });
});

describe('cached permissions', () => {
  function commit(changes: (draft: Draft) => void, state: State): void {
    const draft = new Draft(state);
    changes(draft);
    state.apply(commitOf(state, draft.changes()));
  }

  const grants: Record<string, (draft: Draft) => void> = {
    'a root role': (to) => to.put('users', user(1, { rootRole: ROLE_ID.editor })),
    'a role in a project': (to) => give(to, 'p1', 'user', 1, [ROLE_ID.member]),
    'a group': (to) => putGroup(to, 1, [1], { rootRole: ROLE_ID.editor }),
    'a role of a group in a project': (to) => {
      putGroup(to, 1, [1]);
      give(to, 'p1', 'group', 1, [ROLE_ID.member]);
    },
    'a role that changes': (to) => to.put('roles', customRole(1, 'root-custom', [{ name: 'CREATE_SEGMENT' }])),
  };

  it.each(Object.entries(grants))(
    'are discarded when a user gets %s, and computed from a draft instead',
    (_what, change) => {
      const state = new State();
      commit((to) => {
        to.put('users', user(1, { rootRole: customRole(1, 'root-custom', []).id }));
        to.put('roles', customRole(1, 'root-custom', []));
      }, state);
      const allowed = (reader: StateReader) =>
        PERMISSION_NAMES.filter((name) => may(reader, caller(1), name, 'p1', null));
      expect(allowed(state)).toEqual([]);
      const draft = new Draft(new Draft(state));
      expect([allowed(draft), draft.permissionCache]).toEqual([[], state.permissionCache]);
      change(draft);
      expect(draft.permissionCache).not.toBe(state.permissionCache);
      const now = allowed(draft);
      expect(now.length).toBeGreaterThan(0);
      expect(allowed(state)).toEqual([]);
      commit(change, state);
      expect(allowed(state)).toEqual(now);
      commit((to) => to.put('users', user(1)), state);
      commit((to) => to.remove('users', '1'), state);
      expect(may(state, caller(1), 'READ', null, null)).toBe(false);
    },
  );

  it('are kept by a draft that changed them, until it changes them again', () => {
    let gathered = 0;
    class CountingDraft extends Draft {
      override lookup: Draft['lookup'] = (index, key) => {
        if (index === 'membershipsByUser') gathered++;
        return super.lookup(index, key);
      };
    }
    const draft = new CountingDraft(new State());
    draft.put('users', user(1));
    give(draft, 'p1', 'user', 1, [ROLE_ID.owner]);
    const allowed = (reader: StateReader) =>
      PERMISSION_NAMES.filter((name) => may(reader, caller(1), name, 'p1', null)).length;
    const asOwner = allowed(draft);
    expect([allowed(draft), gathered]).toEqual([asOwner, 1]);
    give(draft, 'p1', 'user', 1, [ROLE_ID.member]);
    const asMember = allowed(draft);
    expect([asMember < asOwner, gathered]).toEqual([true, 2]);
    draft.absorb([{ collection: 'projectRoles', key: projectRolesKey('p1', 'user', 1), entity: undefined }]);
    expect([allowed(draft), gathered]).toEqual([0, 3]);
    give(draft, 'p1', 'user', 1, [ROLE_ID.member]);
    const upper = new Draft(draft);
    expect([allowed(upper), allowed(upper), gathered]).toEqual([asMember, asMember, 4]);
    upper.remove('projectRoles', projectRolesKey('p1', 'user', 1));
    expect([allowed(upper), allowed(draft)]).toEqual([0, asMember]);
  });

  it('are discarded by a large commit, and when another state replaces the state', () => {
    const state = new State();
    commit((to) => to.put('users', user(1, { rootRole: ROLE_ID.admin })), state);
    expect(may(state, caller(1), 'ADMIN', null, null)).toBe(true);
    const draft = new Draft(state);
    draft.put('users', user(1));
    const staged = atOnce(state.stage(commitOf(state, draft.changes())));
    expect(may(state, caller(1), 'ADMIN', null, null)).toBe(true);
    state.publish(staged);
    expect(may(state, caller(1), 'ADMIN', null, null)).toBe(false);
    atOnce(state.settle());
    const other = new State();
    commit((to) => to.put('users', user(1, { rootRole: ROLE_ID.admin })), other);
    state.replaceWith(other);
    expect(may(state, caller(1), 'ADMIN', null, null)).toBe(true);
  });
});

describe('the second permission check, when a command is decided', () => {
  const grant = { required: ['CREATE_FEATURE'], project: 'mine', environment: null } as const;

  it('accepts callers who still have the permission, and the service itself', () => {
    draft.put('users', user(1));
    give(draft, 'mine', 'user', 1, [ROLE_ID.member]);
    expect(lostPermissionProblem(draft, withGrant(caller(1), grant))).toBeUndefined();
    expect(lostPermissionProblem(draft, systemCaller())).toBeUndefined();
  });

  it('refuses callers whose permission or credential was removed', () => {
    draft.put('users', user(1));
    expect(lostPermissionProblem(draft, withGrant(caller(1), grant))).toEqual(
      forbidden(['CREATE_FEATURE'], 'mine', null),
    );
    const proof = { collection: 'sessions', key: 'sha256:gone' } as const;
    expect(lostPermissionProblem(draft, { ...caller(1), proof })).toMatchObject({ name: 'AuthenticationRequired' });
    expect(
      lostPermissionProblem(draft, { ...NOBODY, kind: 'admin', proof: { collection: 'apiTokens', key: 'gone' } }),
    ).toMatchObject({
      name: 'AuthenticationRequired',
    });
  });

  it('refuses callers with the permission in another project only, when the project is known and the environment is not', () => {
    draft.put('users', user(1));
    draft.put('roles', customRole(1, 'custom', [{ name: 'UPDATE_FEATURE_ENVIRONMENT', environment: 'development' }]));
    give(draft, 'mine', 'user', 1, [customRole(1, 'custom', []).id]);
    const asked = (project: string | undefined) =>
      accessProblem(draft, caller(1), { required: ['UPDATE_FEATURE_ENVIRONMENT'], project, environment: undefined });
    expect([asked('mine'), asked(undefined)]).toEqual([undefined, undefined]);
    expect(asked('other')).toMatchObject({ name: 'NoAccessError' });
  });

  it('has a message with the missing permissions, the project and the environment', () => {
    draft.put('users', user(1));
    const asked = { required: ['UPDATE_FEATURE', 'ADMIN'], project: 'p', environment: 'e' } as const;
    expect(accessProblem(draft, caller(1), asked)?.message).toBe(
      'You need the permission UPDATE_FEATURE or ADMIN in the project p for the environment e.',
    );
  });
});
