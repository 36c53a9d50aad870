import { calculateAllPermissions } from '../src/access/effective-permissions.ts';
import { may } from '../src/access/may.ts';
import { atOnce } from '../src/base/yield-control.ts';
import { type Caller, userCaller } from '../src/model/caller.ts';
import type { Permission } from '../src/model/permission.ts';
import { LAST_BUILT_IN, ROLE_ID } from '../src/model/role.ts';
import type { User } from '../src/model/user.ts';
import { State } from '../src/state/state.ts';
import { SeededRandom } from './support/random.ts';
import { atMost, type Figure, finish, machine, median, nanoseconds, setting } from './support/report.ts';

/**
 * What a call of `may` costs with 10,000 users and 1,000 roles. Every user is in three groups and has roles in two projects; the calls come in no order. The
 * floor is one look-up of the caller in a `Map` of the same size, in the same round. The aim is under 1 µs for the most expensive question, which is one
 * whose answer is no.
 * BENCH_ROUNDS, BENCH_CALLS.
 */
const ROUNDS = setting('BENCH_ROUNDS', 7);
const CALLS = setting('BENCH_CALLS', 1_000_000);
const [USERS, ROLES, GROUPS, PROJECTS] = [10_000, 1_000, 200, 500];
const MAX_NS = 1_000;

const AT = '2026-01-01T00:00:00.000Z';
const random = new SeededRandom(7);
const below = (count: number) => Math.floor(random.next() * count);

/** Each custom role grants one permission in projects, so that no role ends the check early. */
function seed(): State {
  const state = new State();
  for (let index = 1; index <= ROLES; index++) {
    const permissions = [{ name: 'UPDATE_FEATURE_ENVIRONMENT' as const, environment: `environment-${index % 50}` }];
    const id = LAST_BUILT_IN + index;
    state.load('roles', String(id), { id, name: `role-${index}`, description: '', type: 'custom', permissions });
  }
  for (let id = 1; id <= GROUPS; id++) {
    const facts = { description: null, mappingsSSO: [], createdAt: AT, createdBy: null };
    state.load('groups', String(id), { id, name: `group-${id}`, rootRole: null, ...facts });
    const [project, roles] = [`project-${below(PROJECTS)}`, [LAST_BUILT_IN + 1 + below(ROLES)]];
    const held = { project, holder: 'group' as const, holderId: id, roles, createdAt: AT };
    state.load('projectRoles', `group:${id}:${project}`, held);
  }
  for (let id = 1; id <= USERS; id++) seedUser(state, id);
  return state;
}

function seedUser(state: State, id: number): void {
  state.load('users', String(id), user(id));
  for (const groupId of new Set([1 + below(GROUPS), 1 + below(GROUPS), 1 + below(GROUPS)])) {
    state.load('groupMembers', `${groupId}:${id}`, {
      groupId,
      userId: id,
      joinedAt: AT,
      createdBy: null,
      bySignOn: false,
    });
  }
  for (const project of new Set([`project-${below(PROJECTS)}`, `project-${below(PROJECTS)}`])) {
    const roles = [LAST_BUILT_IN + 1 + below(ROLES), LAST_BUILT_IN + 1 + below(ROLES)];
    state.load('projectRoles', `user:${id}:${project}`, {
      project,
      holder: 'user',
      holderId: id,
      roles,
      createdAt: AT,
    });
  }
}

function user(id: number): User {
  const names = { name: null, email: `user-${id}@example.org`, username: null };
  const facts = { passwordHash: null, createdAt: AT, seenAt: null, loginAttempts: 0 };
  return { id, accountType: 'User', ...names, rootRole: ROLE_ID.viewer, ...facts };
}

const state = seed();
const callers: readonly Caller[] = Array.from({ length: USERS }, (_, index) => userCaller(user(index + 1), null));
const keys = callers.map(({ user: key }) => key as string);
const users = new Map(keys.map((key) => [key, { key }]));
const projects = Array.from({ length: PROJECTS }, (_, index) => `project-${index}`);
// The HTTP front does the same before it handles a request.
for (const key of keys) atOnce(calculateAllPermissions(state, key));

/** Collects all answers, so that no question can be optimised away. */
let sink = 0;

/** Processor time, not wall-clock time, so that other work on the machine does not count. */
function timeNs(question: (index: number) => boolean): number {
  const before = process.cpuUsage();
  for (let call = 0; call < CALLS; call++) if (question(call)) sink++;
  const { user: userUs, system } = process.cpuUsage(before);
  return ((userUs + system) * 1e3) / CALLS;
}

/** 7,919 is coprime with the counts, so that users and projects come in an order that no cache favours. */
const at = <T>(list: readonly T[], index: number): T => list[(index * 7_919) % list.length] as T;

/** The floor reads the caller from memory, too: with 10,000 callers, this read is most of the cost of a question. */
const lookUp = (index: number) => users.get(at(callers, index).user as string) !== undefined;
const asked = (permission: Permission) => (index: number) =>
  may(state, at(callers, index), permission, at(projects, index + 1), 'environment-0');

const QUESTIONS: Readonly<Record<string, (index: number) => boolean>> = {
  'may a user do this in a project and an environment: no': asked('UPDATE_FEATURE_ENVIRONMENT'),
  'may a user do what reaches everywhere: no': (index) => may(state, at(callers, index), 'CREATE_SEGMENT', null, null),
  'the same of one user, again and again': (index) =>
    may(state, callers[0] as Caller, 'UPDATE_FEATURE_ENVIRONMENT', at(projects, index), 'environment-0'),
  'may a user read: yes': (index) => may(state, at(callers, index), 'READ', null, null),
};

const figures: Figure[] = Object.entries(QUESTIONS).map(([name, question]) => {
  timeNs(question);
  const rounds = Array.from({ length: ROUNDS }, () => ({ floor: timeNs(lookUp), ours: timeNs(question) }));
  const [ours, floor] = [median(rounds.map((one) => one.ours)), median(rounds.map((one) => one.floor))];
  const measured = { name, ours: nanoseconds(ours), floor: nanoseconds(floor) };
  return atMost(MAX_NS, { ...measured, ratio: ours });
});

finish('Access', figures, [
  `${USERS.toLocaleString('en')} users, ${ROLES.toLocaleString('en')} roles, ${GROUPS} groups, ${PROJECTS} projects. ${machine()}`,
  'The floor is one look-up in a Map of the users. The ratio is our time in nanoseconds: the aim is a time.',
  `(${sink} answered with yes)`,
]);
