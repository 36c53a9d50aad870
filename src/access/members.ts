import type { Steps } from '../base/yield-control.ts';
import type { StateReader } from '../state/collections.ts';

/** How many users have a role in a project; -1 while it is worked out. */
interface Counted {
  count: number;
}

/**
 * How many users have a role in the project, of their own or by a group, each once. Worked out in steps, a user each, and kept until anything
 * changes that it rests on: then the state has forgotten it (`StateReader.standings`).
 */
export function* memberCount(reader: StateReader, project: string): Steps<number> {
  const key = `members of ${project}`;
  const { standings } = reader;
  const known = standings.get(key) as Counted | undefined;
  if (known && known.count >= 0) return known.count;
  const counted: Counted = { count: -1 };
  standings.set(key, counted);
  const users = new Set<number>();
  for (const { holder, holderId } of reader.lookup('rolesByProject', project)) {
    if (holder === 'user') users.add(holderId);
    else
      for (const { userId } of reader.lookup('membersByGroup', String(holderId))) {
        users.add(userId);
        yield;
      }
    yield;
  }
  // Something changed in a pause: what was forgotten is not put back.
  if (standings.get(key) === counted) counted.count = users.size;
  return users.size;
}
