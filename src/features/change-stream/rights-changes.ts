import { Fifo } from '../../base/queues/fifo.ts';
import type { StateReader } from '../../state/collections.ts';
import { changesPermissions } from '../../state/permission-cache.ts';
import type { AppliedChange, AppliedCommit } from '../../state/state.ts';

/** Maximum number of users that are named for one commit. If it concerns more, it counts as one that concerns all. */
const USERS_MAX = 1_000;

interface RightsChange {
  readonly seq: number;
  /** The ids of the users. */
  readonly users: ReadonlySet<string> | 'all';
}

/**
 * Whose rights the last commits may have changed. A person who loses a right is sent nothing about what they may not see any more, so their stream begins
 * anew instead.
 */
export class RightsChanges {
  readonly #changes = new Fifo<RightsChange>();
  readonly #commitsMax: number;

  constructor(commitsMax: number) {
    this.#commitsMax = commitsMax;
  }

  /** `reader` is the state after the commit. */
  note({ commit: { seq }, changes, bulk }: AppliedCommit, reader: StateReader): void {
    const users = new Set<string>();
    for (const change of bulk?.changesExceptFlags ?? changes) {
      const concerned = concernedBy(change, reader);
      for (const user of concerned === 'all' ? [] : concerned) users.add(user);
      if (concerned !== 'all' && users.size <= USERS_MAX) continue;
      this.#push({ seq, users: 'all' });
      return;
    }
    if (users.size > 0) this.#push({ seq, users });
  }

  /** Whether a commit after `seq` concerns the user. */
  concern(user: string, seq: number): boolean {
    for (let index = this.#changes.length - 1; index >= 0; index--) {
      const change = this.#changes.at(index) as RightsChange;
      if (change.seq <= seq) return false;
      if (change.users === 'all' || change.users.has(user)) return true;
    }
    return false;
  }

  /** Forgets all of them: another state has replaced the one that they led to. */
  restart(): void {
    this.#changes.clear();
  }

  #push(change: RightsChange): void {
    this.#changes.push(change);
    if (this.#changes.length > this.#commitsMax) this.#changes.shift();
  }
}

const NOT_CONCERNED: readonly string[] = [];

/** The users whose rights the change may alter. */
function concernedBy({ collection, key, before, after }: AppliedChange, reader: StateReader): Iterable<string> | 'all' {
  if (collection === 'projects') return hidesProject(before, after) ? 'all' : NOT_CONCERNED;
  if (!changesPermissions(collection, () => before, after)) return NOT_CONCERNED;
  const entity = (after ?? before) as { holder?: string; holderId?: number; userId?: number };
  switch (collection) {
    case 'users':
      return [key];
    case 'groupMembers':
      return [String(entity.userId)];
    case 'projectRoles':
      return entity.holder === 'user' ? [String(entity.holderId)] : membersOf(String(entity.holderId), reader);
    // The members of a group that was deleted are changes of the same commit.
    case 'groups':
      return membersOf(key, reader);
    default:
      return 'all';
  }
}

function* membersOf(group: string, reader: StateReader): Generator<string> {
  for (const { userId } of reader.lookup('membersByGroup', group)) yield String(userId);
}

/** Whether people who saw the project may not see it any more, and are sent nothing about it. */
function hidesProject(before: AppliedChange['before'], after: AppliedChange['after']): boolean {
  if (!before) return false;
  return !after || modeOf(before) !== modeOf(after);
}

const modeOf = (project: object) => (project as { readonly mode?: string }).mode;
