/** The effective permissions of a user depend only on these collections. */
const COLLECTIONS_OF_RIGHTS: ReadonlySet<string> = new Set([
  'users',
  'roles',
  'groups',
  'groupMembers',
  'projectRoles',
]);

/** Maximum weight of all cached entries: about 50 bytes per unit. */
const WEIGHT_MAX = 1_000_000;

/** The cached effective permissions of one user. */
export interface Weighed {
  /** Approximate number of entries in it. */
  readonly weight: number;
}

interface Replaced {
  readonly collection: string;
  readonly key: string;
  readonly before: object | undefined;
  readonly after: object | undefined;
}

/**
 * Whether the change can change effective permissions. A sign-on or the use of a token replaces a user but changes no permission. `before` is called
 * only if it is needed.
 */
export function changesRights(
  collection: string,
  before: () => object | undefined,
  after: object | undefined,
): boolean {
  if (!COLLECTIONS_OF_RIGHTS.has(collection)) return false;
  if (collection !== 'users' && collection !== 'groups') return true;
  return rootRoleOf(before()) !== rootRoleOf(after);
}

/** Null if the user does not exist or the group has no root role. */
function rootRoleOf(entity: object | undefined): number | null {
  return (entity as { readonly rootRole: number | null } | undefined)?.rootRole ?? null;
}

/**
 * Cache of effective permissions (calculated in `access/`), until a change concerns them. Bounded by weight: the oldest entry is evicted first and
 * calculated again when it is needed.
 */
export class PermissionCache {
  readonly #people = new Map<string, Weighed>();
  #weight = 0;
  /** Cached member counts of projects. */
  members: object | undefined;

  /** The cached entry of the user. */
  person(user: string): Weighed | undefined {
    return this.#people.get(user);
  }

  /** Replaces the cached entry of the user. */
  keep(user: string, made: Weighed): void {
    this.#drop(user);
    this.#people.set(user, made);
    this.#weight += made.weight;
    for (const oldest of this.#people.keys()) {
      if (this.#weight <= WEIGHT_MAX || oldest === user) break;
      this.#drop(oldest);
    }
  }

  /** Discards the entries that a change concerns. Only for changes for which `changesRights` is true. */
  discard({ collection, key, before, after }: Replaced): void {
    const entity = (after ?? before) as { holder?: string; holderId?: number; userId?: number };
    if (collection === 'groupMembers' || collection === 'projectRoles') this.members = undefined;
    if (collection === 'users') this.#drop(key);
    else if (collection === 'groupMembers') this.#drop(String(entity.userId));
    else if (collection === 'projectRoles' && entity.holder === 'user') this.#drop(String(entity.holderId));
    else this.#clear();
  }

  /** Discards everything. */
  clear(): void {
    this.members = undefined;
    this.#clear();
  }

  #clear(): void {
    this.#people.clear();
    this.#weight = 0;
  }

  #drop(user: string): void {
    const known = this.#people.get(user);
    if (!known) return;
    this.#people.delete(user);
    this.#weight -= known.weight;
  }
}
