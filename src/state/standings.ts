/** What a person may do depends on these and on nothing else. */
const COLLECTIONS_OF_RIGHTS: ReadonlySet<string> = new Set([
  'users',
  'roles',
  'groups',
  'groupMembers',
  'projectRoles',
]);

/** Weight of all that is kept: some 50 bytes a unit. */
const WEIGHT_MAX = 1_000_000;

/** What is kept of one person. */
export interface Weighed {
  /** About how many entries it holds. */
  readonly weight: number;
}

interface Replaced {
  readonly collection: string;
  readonly key: string;
  readonly before: object | undefined;
  readonly after: object | undefined;
}

/**
 * Whether the change concerns what anybody may do. A sign-on or the use of a token replaces a user and changes no right. `before` is only
 * called where it matters.
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

/** Null where there is none: no such user, or a group without one. */
function rootRoleOf(entity: object | undefined): number | null {
  return (entity as { readonly rootRole: number | null } | undefined)?.rootRole ?? null;
}

/**
 * What was worked out of who holds which roles (`access/`), until a change concerns it. Bounded by weight: what was kept first goes first, and is
 * worked out again when it is asked for.
 */
export class Standings {
  readonly #people = new Map<string, Weighed>();
  #weight = 0;
  /** What was counted of the members of projects. */
  members: object | undefined;

  /** What is kept of the user. */
  person(user: string): Weighed | undefined {
    return this.#people.get(user);
  }

  /** Keeps it in place of what was kept of the user. */
  keep(user: string, made: Weighed): void {
    this.#drop(user);
    this.#people.set(user, made);
    this.#weight += made.weight;
    for (const oldest of this.#people.keys()) {
      if (this.#weight <= WEIGHT_MAX || oldest === user) break;
      this.#drop(oldest);
    }
  }

  /** Discards what a change concerns; the change is one of rights (`changesRights`). */
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
