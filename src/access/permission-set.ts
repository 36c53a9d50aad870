import { assert } from '../base/assert.ts';
import { getOrMake } from '../base/get-or-make.ts';
import { PERMISSION_NAMES, type Permission } from '../model/permission.ts';
import type { Role } from '../model/role.ts';

/** A set of permissions as bits, in two small integers. */
export interface Bits {
  readonly low: number;
  readonly high: number;
}

const WORD_BITS = 31;
assert(PERMISSION_NAMES.length <= 2 * WORD_BITS, 'permissions no longer fit into two words');

export const NO_BITS: Bits = { low: 0, high: 0 };

const BIT = new Map<Permission, Bits>(
  PERMISSION_NAMES.map((name, at) => [
    name,
    at < WORD_BITS ? { low: 1 << at, high: 0 } : { low: 0, high: 1 << (at - WORD_BITS) },
  ]),
);

export function bitsOf(names: readonly Permission[]): Bits {
  return names.reduce((all, name) => either(all, BIT.get(name) ?? NO_BITS), NO_BITS);
}

/** Union of both sets. */
export function either(left: Bits, right: Bits): Bits {
  return { low: left.low | right.low, high: left.high | right.high };
}

/** Intersection of both sets. */
export function common(left: Bits, right: Bits): Bits {
  return { low: left.low & right.low, high: left.high & right.high };
}

/** The permissions of the first set that are not in the second. */
export function without(left: Bits, right: Bits): Bits {
  return { low: left.low & ~right.low, high: left.high & ~right.high };
}

function hasBit({ low, high }: Bits, permission: Permission): boolean {
  const bit = BIT.get(permission) ?? NO_BITS;
  return ((low & bit.low) | (high & bit.high)) !== 0;
}

/** Names of the permissions, in the order of `PERMISSIONS`. */
export function namesOf(bits: Bits): Permission[] {
  return PERMISSION_NAMES.filter((name) => hasBit(bits, name));
}

/** The permissions of one role or of several roles together, prepared for checks. */
export interface PermissionSet {
  /** Whether everything is allowed. */
  readonly isAll: boolean;
  /** Permissions that apply wherever the role is assigned. */
  readonly everywhere: Bits;
  /** Permissions that apply wherever the role is assigned, but in one environment only. */
  readonly inEnvironment: ReadonlyMap<string, Bits>;
  /** Permissions that apply in one project only, although the role is assigned in the whole instance. */
  readonly inProject: ReadonlyMap<string, Bits>;
  /** Union of `everywhere`, and of all bits of `inEnvironment` and `inProject`. */
  readonly somewhere: Bits;
}

/** The permission set of each role. A role object is immutable, so its permission set is valid as long as the object exists. */
const SETS = new WeakMap<Role, PermissionSet>();

export function permissionSet(role: Role): PermissionSet {
  let set = SETS.get(role);
  if (!set) {
    set = compile(role);
    SETS.set(role, set);
  }
  return set;
}

/** Whether the role includes the permission in the project and the environment. The caller checks where the role is assigned. */
export function allows(
  { isAll, everywhere, inEnvironment, inProject }: PermissionSet,
  permission: Permission,
  project: string | null,
  environment: string | null,
): boolean {
  if (isAll || hasBit(everywhere, permission)) return true;
  if (environment !== null && hasBit(inEnvironment.get(environment) ?? NO_BITS, permission)) return true;
  return project !== null && hasBit(inProject.get(project) ?? NO_BITS, permission);
}

/** Whether the role includes the permission in at least one project or environment. */
export function allowsSomewhere({ isAll, somewhere }: PermissionSet, permission: Permission): boolean {
  return isAll || hasBit(somewhere, permission);
}

function compile({ permissions }: Role): PermissionSet {
  const [inEnvironment, inProject] = [new Map<string, MutableBits>(), new Map<string, MutableBits>()];
  const everywhere = { low: 0, high: 0 };
  const somewhere = { low: 0, high: 0 };
  for (const { name, environment, project } of permissions) {
    const bit = BIT.get(name) ?? NO_BITS;
    addBits(somewhere, bit);
    if (project !== undefined) addBits(bitsOfKey(inProject, project), bit);
    else if (environment !== undefined) addBits(bitsOfKey(inEnvironment, environment), bit);
    else addBits(everywhere, bit);
  }
  return { isAll: hasBit(everywhere, 'ADMIN'), everywhere, inEnvironment, inProject, somewhere };
}

interface MutableBits {
  low: number;
  high: number;
}

function addBits(into: MutableBits, bits: Bits): void {
  into.low |= bits.low;
  into.high |= bits.high;
}

function bitsOfKey(map: Map<string, MutableBits>, key: string): MutableBits {
  return getOrMake(map, key, () => ({ low: 0, high: 0 }));
}

/** Union of the sets, in steps: a role may have permissions in every environment, so one set may be large. */
export function* unionOf(sets: readonly PermissionSet[]): Generator<undefined, PermissionSet, void> {
  const [inEnvironment, inProject] = [new Map<string, MutableBits>(), new Map<string, MutableBits>()];
  const everywhere = { low: 0, high: 0 };
  const somewhere = { low: 0, high: 0 };
  for (const set of sets) {
    addBits(everywhere, set.everywhere);
    addBits(somewhere, set.somewhere);
    for (const [environment, bits] of set.inEnvironment) addBits(bitsOfKey(inEnvironment, environment), bits);
    for (const [project, bits] of set.inProject) addBits(bitsOfKey(inProject, project), bits);
    yield;
  }
  return { isAll: hasBit(everywhere, 'ADMIN'), everywhere, inEnvironment, inProject, somewhere };
}
