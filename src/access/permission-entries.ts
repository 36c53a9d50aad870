import { ALL } from '../model/api-token.ts';
import type { Caller } from '../model/caller.ts';
import { PERMISSION_NAMES, PERMISSIONS } from '../model/permission.ts';
import type { StateReader } from '../state/collections.ts';
import { allPermissionsOf } from './effective-permissions.ts';
import {
  type Bits,
  bitsOf,
  common,
  either,
  NO_BITS,
  namesOf,
  type PermissionSet,
  unionOf,
  without,
} from './permission-set.ts';

const OF_INSTANCE = bitsOf(PERMISSION_NAMES.filter((name) => PERMISSIONS[name] === 'root'));
const OF_ENVIRONMENTS = bitsOf(PERMISSION_NAMES.filter((name) => PERMISSIONS[name] === 'environment'));

const ADMIN = '{"permission":"ADMIN"}';

/** Permissions in a project: in all environments, and in single environments. */
interface Reach {
  readonly wide: Bits;
  readonly inEnvironment: ReadonlyMap<string, Bits>;
}

const NO_REACH: Reach = { wide: NO_BITS, inEnvironment: new Map() };

/**
 * All effective permissions of the caller, as JSON texts. Each text has one or more objects `{permission, project, environment}`. `*` means all; a
 * missing field means that the permission has a wider scope. Entries that another entry covers are left out, so an admin gets one entry. User
 * interfaces use the list to show the allowed actions; no access decision uses it. Where an item is undefined, the reader may pause.
 */
export function* permissionEntries(reader: StateReader, { user }: Caller): Generator<string | undefined, void> {
  if (user === null) yield ADMIN;
  const all = user === null ? undefined : allPermissionsOf(reader, user);
  if (!all) return;
  const rootSet = yield* unionOf(all.everywhere);
  if (rootSet.isAll) {
    yield ADMIN;
    return;
  }
  const environments = [...reader.values('environments')].map(({ name }) => name);
  const inAnyProject = yield* unionOf(all.inAnyProject);
  const ofInstance = common(either(rootSet.somewhere, inAnyProject.somewhere), OF_INSTANCE);
  for (const permission of namesOf(ofInstance)) yield JSON.stringify({ permission });
  const everywhere = reachOf(rootSet, environments);
  yield* entriesOf(partsOf(everywhere, NO_REACH), [ALL]);
  for (const [project, bits] of rootSet.inProject)
    yield* entriesOf(partsOf({ ...NO_REACH, wide: without(bits, OF_INSTANCE) }, everywhere), [project]);
  for (const [sets, projects] of projectsBySets(all.inProjects)) {
    const reach = reachOf(yield* unionOf(sets), environments);
    yield* entriesOf(partsOf(reach, everywhere), projects);
  }
}

function projectsBySets(inProjects: ReadonlyMap<string, readonly PermissionSet[]>) {
  const projects = new Map<readonly PermissionSet[], string[]>();
  for (const [project, sets] of inProjects) {
    const known = projects.get(sets);
    if (known) known.push(project);
    else projects.set(sets, [project]);
  }
  return projects;
}

/**
 * Returns where the permissions of a set apply in a project. A permission in every existing environment counts as a permission in all environments. A
 * permission whose scope is not an environment applies in all environments.
 */
function reachOf({ everywhere, inEnvironment }: PermissionSet, environments: readonly string[]): Reach {
  let inAll = environments.length === 0 ? NO_BITS : OF_ENVIRONMENTS;
  for (const environment of environments) inAll = common(inAll, inEnvironment.get(environment) ?? NO_BITS);
  let wide = either(everywhere, inAll);
  for (const bits of inEnvironment.values()) wide = either(wide, without(bits, OF_ENVIRONMENTS));
  return { wide: without(wide, OF_INSTANCE), inEnvironment };
}

/**
 * The JSON text of the entries of a reach, split where the project's name belongs: `parts.join(name)` inserts it. Returns an empty list if `covered`
 * already includes every permission of this reach.
 */
function partsOf({ wide, inEnvironment }: Reach, covered: Reach): string[] {
  const parts: string[] = [];
  let before = '';
  const add = (permission: string, environment?: string) => {
    parts.push(`${before}{"permission":"${permission}","project":`);
    before = environment === undefined ? '},' : `,"environment":${JSON.stringify(environment)}},`;
  };
  for (const name of namesOf(without(wide, covered.wide)))
    add(name, PERMISSIONS[name] === 'environment' ? ALL : undefined);
  const known = either(wide, covered.wide);
  for (const [environment, bits] of inEnvironment) {
    const own = without(common(bits, OF_ENVIRONMENTS), known);
    for (const name of namesOf(without(own, covered.inEnvironment.get(environment) ?? NO_BITS))) add(name, environment);
  }
  if (parts.length > 0) parts.push(before.slice(0, -1));
  return parts;
}

/** Yields the entries of each project. An empty list of parts gives no entries, but still one pause for each project. */
function* entriesOf(parts: readonly string[], projects: readonly string[]): Generator<string | undefined, void> {
  for (const project of projects) yield parts.length === 0 ? undefined : parts.join(JSON.stringify(project));
}
