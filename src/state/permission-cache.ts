/** The effective permissions of a user depend only on these collections. */
const PERMISSION_COLLECTIONS: ReadonlySet<string> = new Set([
  'users',
  'roles',
  'groups',
  'groupMembers',
  'projectRoles',
]);

/** Maximum weight of all cached entries. A unit of weight is about 50 bytes of memory. */
const WEIGHT_MAX = 1_000_000;

/** The cached effective permissions of one user. */
export interface CachedPermissions {
  /** Approximate number of permission sets and projects in the entry. */
  readonly weight: number;
}

interface ReplacedEntity {
  readonly collection: string;
  readonly key: string;
  readonly before: object | undefined;
  readonly after: object | undefined;
}

/**
 * Whether the change can change effective permissions. A sign-on or the use of a token replaces a user but changes no permission. `before` is called
 * only if it is needed.
 */
export function changesPermissions(
  collection: string,
  before: () => object | undefined,
  after: object | undefined,
): boolean {
  if (!PERMISSION_COLLECTIONS.has(collection)) return false;
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
  readonly #entries = new Map<string, CachedPermissions>();
  #weight = 0;
  /** Cached member counts of projects. */
  members: object | undefined;

  /** The cached entry of the user. */
  person(user: string): CachedPermissions | undefined {
    return this.#entries.get(user);
  }

  /** Replaces the cached entry of the user. */
  keep(user: string, entry: CachedPermissions): void {
    this.#drop(user);
    this.#entries.set(user, entry);
    this.#weight += entry.weight;
    for (const oldest of this.#entries.keys()) {
      if (this.#weight <= WEIGHT_MAX || oldest === user) break;
      this.#drop(oldest);
    }
  }

  /** Discards the entries that a change concerns. Only for changes for which `changesPermissions` is true. */
  discard({ collection, key, before, after }: ReplacedEntity): void {
    const entity = (after ?? before) as { holder?: string; holderId?: number; userId?: number };
    if (collection === 'groupMembers' || collection === 'projectRoles') this.members = undefined;
    if (collection === 'users') this.#drop(key);
    else if (collection === 'groupMembers') this.#drop(String(entity.userId));
    else if (collection === 'projectRoles' && entity.holder === 'user') this.#drop(String(entity.holderId));
    else this.#dropAll();
  }

  /** Discards everything. */
  clear(): void {
    this.members = undefined;
    this.#dropAll();
  }

  #dropAll(): void {
    this.#entries.clear();
    this.#weight = 0;
  }

  #drop(user: string): void {
    const entry = this.#entries.get(user);
    if (!entry) return;
    this.#entries.delete(user);
    this.#weight -= entry.weight;
  }
}
