import { useQuery } from '@tanstack/react-query';
import { Link } from 'wouter';
import { api, read } from '../data/client.ts';
import { keys } from '../data/keys.ts';
import { TimeText } from '../kit/texts/TimeText.tsx';
import { path } from '../paths.ts';
import { undo as words } from '../words/en/undo.ts';
import styles from './HistoryList.module.css';

/** The undo of a commit. */
export interface Undone {
  readonly revision: number;
  readonly by: string;
  readonly at: string;
  /** Its event in the audit log. */
  readonly event: number;
}

/** By the revision of the commit that is undone. */
type AllUndone = ReadonlyMap<number, Undone>;

interface UndoData {
  readonly revision: number;
}

/** Undos that are looked for. If there are more since the commits, the newest of them are found. */
const UNDOS_MAX = 200;
const NONE: AllUndone = new Map();

/** An undo that is undone itself does not count: the commit is in effect again. */
function inEffect(all: ReadonlyMap<number, readonly Undone[]>): AllUndone {
  const effective = new Map<number, Undone>();
  // An undo is newer than what it undoes, so it is decided first.
  for (const revision of [...all.keys()].sort((a, b) => b - a)) {
    const found = all.get(revision)?.find((one) => !effective.has(one.revision));
    if (found) effective.set(revision, found);
  }
  return effective;
}

async function readUndone(since: string): Promise<AllUndone> {
  const query = { type: 'IS:feature-change-undone', from: `IS:${since}`, limit: String(UNDOS_MAX) };
  const { events } = await read(api.GET('/api/admin/search/events', { params: { query } }));
  const all = new Map<number, Undone[]>();
  for (const { id, revision, createdBy: by, createdAt: at, data } of events) {
    if (revision == null) continue;
    const undone = (data as unknown as UndoData).revision;
    all.set(undone, [...(all.get(undone) ?? []), { revision, by, at, event: id }]);
  }
  return inEffect(all);
}

/** The commits that are undone, of those since the time; undefined if there is none. Of a flag: the other undos have no event of their own. */
export function useUndone(since: string | undefined): AllUndone {
  const { data = NONE } = useQuery({
    queryKey: keys.events('undone', since),
    enabled: since !== undefined,
    queryFn: () => readUndone(since ?? ''),
    placeholderData: (before) => before,
  });
  return data;
}

export function UndoneMark({ undone: { revision, by, at, event } }: { readonly undone: Undone }) {
  return (
    <p className={styles.who}>
      {words.undoneBy(by)} · <TimeText at={at} /> ·{' '}
      <Link className={styles.then} href={path('events', {}, { event })}>
        {words.revision(revision)}
      </Link>
    </p>
  );
}
