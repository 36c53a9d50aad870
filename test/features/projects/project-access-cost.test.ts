import { expect, it } from 'vitest';
import { Rejection } from '../../../src/base/rejection.ts';
import { atOnce } from '../../../src/base/yield-control.ts';
import { DEFAULT_LIMITS } from '../../../src/features/modules.ts';
import { addProjectAccess, setProjectAccess, setProjectRoles } from '../../../src/features/projects/access.ts';
import { PERMISSION_NAMES, PERMISSIONS } from '../../../src/model/permission.ts';
import { projectRolesKey } from '../../../src/model/project-roles.ts';
import { ROLE_ID } from '../../../src/model/role.ts';
import { Draft } from '../../../src/state/draft.ts';
import { State } from '../../../src/state/state.ts';
import { caller, customRole, give, user } from '../../access/people.ts';

const GIVER = 1;
const PROJECTS = 20;
const ENVIRONMENTS = 20;

/** Counts how often the permissions of the giver are collected: that is the cost of each check of their permissions. */
class CountingDraft extends Draft {
  gathered = 0;

  override lookup: Draft['lookup'] = (index, key) => {
    if (index === 'membershipsByUser' && key === String(GIVER)) this.gathered++;
    return super.lookup(index, key);
  };
}

/** A role with every permission that can be granted for each environment, in many environments. */
const LARGE = customRole(
  1,
  'custom',
  PERMISSION_NAMES.filter((name) => PERMISSIONS[name] === 'environment' && name !== 'SKIP_CHANGE_REQUEST').flatMap(
    (name) => Array.from({ length: ENVIRONMENTS }, (_, index) => ({ name, environment: `environment-${index}` })),
  ),
);

/** A user who owns many projects, and users without roles, in a batch that has changed roles. */
function world(holders: number): { draft: CountingDraft; ids: number[] } {
  const batch = new Draft(new State());
  batch.put('projects', { ...PROJECT, id: 'p0', name: 'p0' });
  batch.put('roles', LARGE);
  batch.put('users', user(GIVER));
  for (let index = 0; index < PROJECTS; index++) give(batch, `p${index}`, 'user', GIVER, [ROLE_ID.owner]);
  const ids = Array.from({ length: holders }, (_, index) => GIVER + 1 + index);
  for (const id of ids) batch.put('users', user(id));
  return { draft: new CountingDraft(batch), ids };
}

const NOW = '2026-01-01T00:00:00.000Z';

const PROJECT = {
  description: null,
  mode: 'open' as const,
  defaultStickiness: 'default',
  environments: [],
  featureLimit: null,
  createdAt: NOW,
  updatedAt: NOW,
  archivedAt: null,
};

const ROLES = [ROLE_ID.owner, ROLE_ID.member, LARGE.id];

const contextOf = (draft: Draft) => ({
  draft,
  caller: caller(GIVER),
  by: caller(GIVER).author,
  now: NOW,
  newId: () => 'id',
  emit: () => {},
  limits: DEFAULT_LIMITS,
  whenRemoved: [],
});

const WAYS = {
  'in addition to their roles': (draft: Draft, users: number[]) =>
    atOnce(addProjectAccess.decide(contextOf(draft), { project: 'p0', users, groups: [], roles: ROLES })),
  'instead of their roles': (draft: Draft, users: number[]) => {
    const roles = ROLES.map((id) => ({ id, users: id === ROLE_ID.owner ? [GIVER, ...users] : users, groups: [] }));
    return atOnce(setProjectAccess.decide(contextOf(draft), { project: 'p0', roles }));
  },
};

it.each(Object.entries(WAYS))(
  'A grant of roles to many users, %s, collects the permissions of the giver once',
  (_way, decide) => {
    const looks = [1, 200].map((holders) => {
      const { draft, ids } = world(holders);
      expect(decide(draft, ids)).not.toBeInstanceOf(Rejection);
      const last = projectRolesKey('p0', 'user', ids.at(-1) ?? 0);
      expect(draft.get('projectRoles', last)).toMatchObject({ roles: ROLES });
      return draft.gathered;
    });
    expect(looks).toEqual([1, 1]);
  },
);

it('Grants to one user after another, in one batch, collect the permissions of the giver at most once per grant', () => {
  const { draft, ids } = world(5);
  for (const holderId of ids) {
    const input = { project: 'p0', holder: 'user' as const, holderId, roles: ROLES };
    expect(atOnce(setProjectRoles.decide(contextOf(draft), input))).not.toBeInstanceOf(Rejection);
  }
  expect(draft.gathered).toBeGreaterThan(0);
  expect(draft.gathered).toBeLessThanOrEqual(ids.length);
});

it('A role is granted in at least one step per permission', () => {
  const { draft, ids } = world(1);
  const steps = addProjectAccess.decide(contextOf(draft), { project: 'p0', users: ids, groups: [], roles: ROLES });
  let count = 0;
  while (!steps.next().done) count++;
  expect(count).toBeGreaterThan(LARGE.permissions.length);
});
