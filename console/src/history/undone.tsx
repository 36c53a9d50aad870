import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Link } from 'wouter';
import type { components } from '../api/schema.d.ts';
import { api, read } from '../data/client.ts';
import { keys } from '../data/keys.ts';
import type { HistoryEntry } from '../domain/model.ts';
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

/** The newest undo of each part of a commit: of a flag, or of its settings in an environment. By `partOf`. */
type AllUndone = ReadonlyMap<string, Undone>;

const partOf = (revision: number, flag: string | null, environment: string | null) =>
  JSON.stringify([revision, flag, environment]);

/** The type of their events. */
export const UNDO = 'feature-change-undone';
/** Undos that are looked for. If there are more since the commits, the newest of them are found. */
const UNDOS_MAX = 200;
const NONE: AllUndone = new Map();

type UndoEvent = components['schemas']['event'];

/** `events`: newest first. An undo that is undone itself does not count: the commit is in effect again. */
function inEffect(events: readonly UndoEvent[]): AllUndone {
  const effective = new Map<string, Undone>();
  // An undo is newer than what it undoes, so it is decided first.
  for (const event of events) {
    const { id, revision, undoneRevision, featureName: flag, environment, createdBy: by, createdAt: at } = event;
    if (revision == null || undoneRevision === undefined) continue;
    const part = partOf(undoneRevision, flag, environment);
    if (effective.has(part) || effective.has(partOf(revision, flag, environment))) continue;
    effective.set(part, { revision, by, at, event: id });
  }
  return effective;
}

async function readUndone(since: string): Promise<AllUndone> {
  const query = {
    type: `IS:${UNDO}`,
    from: `IS:${since}`,
    limit: String(UNDOS_MAX),
    fields: 'summary' as const,
  };
  return inEffect((await read(api.GET('/api/admin/search/events', { params: { query } }))).events);
}

/**
 * Returns the undo of a commit of those since the time; undefined if one of its listed changes is not undone. Only changes of flags: the other undos have
 * no event of their own. `newestUndo`: for lists that contain the undos of their commits, the revision of the newest one, so that other commits are no
 * reason to look for undos again.
 */
export function useUndone(
  oldest: string | undefined,
  newestUndo?: number,
): (entry: HistoryEntry) => Undone | undefined {
  // A new commit at the top moves the last one out of the page: what was read since an earlier time is enough.
  const [since, setSince] = useState(oldest);
  if (oldest !== undefined && (since === undefined || oldest < since)) setSince(oldest);
  const { data = NONE } = useQuery({
    queryKey: newestUndo === undefined ? keys.events('undone', since) : keys.own('undone', since, newestUndo),
    enabled: since !== undefined,
    queryFn: () => readUndone(since ?? ''),
    placeholderData: (before) => before,
  });
  return ({ revision, changes }) => {
    const undos = changes.map(({ type, id, environment }) =>
      type === 'feature' ? data.get(partOf(revision, id, environment)) : undefined,
    );
    return undos.includes(undefined) ? undefined : undos[0];
  };
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
