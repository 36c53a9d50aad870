import { SERVICE } from '../base/asking/asker.ts';
import { getOrMake } from '../base/get-or-make.ts';
import { inSlices, Slicer, type Steps } from '../base/yield-control.ts';
import type { StateReader } from '../state/collections.ts';

/** Number of users with a role in each project, by project id. A project without users is not in the map. */
type MemberCounts = ReadonlyMap<string, number>;

/** Number of distinct users with a role in the project, assigned directly or through a group. */
export async function memberCount(reader: StateReader, project: string): Promise<number> {
  return (await memberCounts(reader)).get(project) ?? 0;
}

/**
 * The number of users of every project. Counted in slices, and cached for all callers until a project role or a group's members change
 * (`StateReader.permissionCache`).
 */
export function memberCounts(reader: StateReader): Promise<MemberCounts> {
  const { permissionCache } = reader;
  // Work of the service: the result is kept for later requests.
  permissionCache.members ??= inSlices(countMembers(reader), Slicer.of(SERVICE));
  return permissionCache.members as Promise<MemberCounts>;
}

/**
 * Projects are numbered, and each group has a bit set of project numbers: the projects of a user are the union of their groups' sets. So the cost
 * grows with users and memberships, not with projects × groups × members.
 */
function* countMembers(reader: StateReader): Steps<MemberCounts> {
  const numbers = new Map<string, number>();
  for (const { project } of reader.values('projectRoles')) {
    if (!numbers.has(project)) numbers.set(project, numbers.size);
    yield;
  }
  const newSet = () => new Uint32Array(Math.ceil(numbers.size / 32));
  const projectsOfGroup = new Map<number, Uint32Array>();
  for (const { project, holder, holderId } of reader.values('projectRoles')) {
    if (holder === 'group') add(getOrMake(projectsOfGroup, holderId, newSet), numbers.get(project));
    yield;
  }
  const counts = new Uint32Array(numbers.size);
  const projectsOfUser = newSet();
  for (const { id } of reader.values('users')) {
    projectsOfUser.fill(0);
    for (const { project } of reader.lookup('projectsByUser', String(id))) {
      add(projectsOfUser, numbers.get(project));
      yield;
    }
    for (const { groupId } of reader.lookup('membershipsByUser', String(id))) {
      unite(projectsOfUser, projectsOfGroup.get(groupId));
      yield;
    }
    countEach(projectsOfUser, counts);
    yield;
  }
  return new Map(Array.from(numbers, ([project, number]) => [project, counts[number] as number]));
}

/**
 * Adds a number to the set. Ignores -1: a project that was created during a pause has no number, and the count of that pass is not cached any more.
 */
function add(set: Uint32Array, number = -1): void {
  if (number >= 0) set[number >>> 5] = (set[number >>> 5] as number) | (1 << (number & 31));
}

function unite(set: Uint32Array, other: Uint32Array | undefined): void {
  if (other) for (let at = 0; at < set.length; at++) set[at] = (set[at] as number) | (other[at] as number);
}

function countEach(set: Uint32Array, counts: Uint32Array): void {
  for (let at = 0; at < set.length; at++) {
    for (let word = set[at] as number; word !== 0; word &= word - 1) {
      const number = at * 32 + 31 - Math.clz32(word & -word);
      counts[number] = (counts[number] as number) + 1;
    }
  }
}
