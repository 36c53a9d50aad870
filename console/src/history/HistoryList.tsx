import { useInfiniteQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { Link } from 'wouter';
import type { components } from '../api/schema.d.ts';
import type { HistoryEntry } from '../domain/model.ts';
import { Diff } from '../kit/changes/Diff.tsx';
import { classes } from '../kit/classes.ts';
import { Button } from '../kit/inputs/Button.tsx';
import { ByDay } from '../kit/lists/ByDay.tsx';
import { Banner } from '../kit/notices/Banner.tsx';
import { EmptyState } from '../kit/notices/EmptyState.tsx';
import { Skeleton } from '../kit/notices/Skeleton.tsx';
import { Avatar } from '../kit/texts/Avatar.tsx';
import { TimeText } from '../kit/texts/TimeText.tsx';
import { path } from '../paths.ts';
import { useSegmentNames } from '../save/SettingsRule.tsx';
import { Words } from '../save/Words.tsx';
import { history as words } from '../words/en/flags/feature-more.ts';
import { entryWords } from '../words/en/history.ts';
import { type AppliedRequest, AppliedRequestText, useAppliedRequests } from './applied-requests.tsx';
import { changeGroups } from './change-groups.tsx';
import { HeldList } from './HeldList.tsx';
import styles from './HistoryList.module.css';
import { Undo } from './Undo.tsx';
import { UNDO, type Undone, UndoneMark, useUndone } from './undone.tsx';
import { useHeldRows } from './use-held-rows.ts';

type Page = components['schemas']['history'];

interface HistoryListProps {
  readonly queryKey: readonly unknown[];
  readonly read: (before: number | undefined) => Promise<Page>;
  /** The object that the page is about: its name is left out of the sentences. */
  readonly about?: string;
  /** The address that shows the state after a commit. */
  readonly stateAt?: (revision: number) => string;
  /** The page around it has the space at the edges. */
  readonly isInBody?: boolean;
}

interface EntryProps extends Pick<HistoryListProps, 'about'> {
  readonly entry: HistoryEntry;
  /** A link to a state of the past. */
  readonly then?: { readonly href: string; readonly text: string } | undefined;
  /** The commit is undone already. */
  readonly undone?: Undone | undefined;
  /** After its undo was made or requested. */
  readonly onUndone?: () => void;
  /** Below the sentence and the reason. */
  readonly children?: ReactNode;
}

/** The flag that the sentence begins with, unless the page is about it or the commit deleted it. */
function flagOf({ changes: [first] }: HistoryEntry, about: string | undefined) {
  if (first?.type !== 'feature' || !first.project || first.id === about || first.kind === 'deleted') return undefined;
  return {
    href: path('feature', { projectId: first.project, featureId: first.id }),
    className: styles.then,
  };
}

/** One commit: its sentence, author and reason, the exact difference on demand, and undo in place. */
export function Entry({ entry, about, then, undone, onUndone, children }: EntryProps) {
  const segments = useSegmentNames();
  // The difference of a large commit has a hundred rows, and few are opened.
  const [isOpen, setOpen] = useState(false);
  return (
    <li className={styles.entry} tabIndex={-1}>
      <Avatar name={entry.author.name} machine={entry.author.id === null || entry.author.id < 0} size={24} />
      <div className={styles.what}>
        <p>
          <Words text={entryWords(entry, about, segments)} first={flagOf(entry, about)} />
        </p>
        <p className={styles.who}>
          {entry.author.name} · <TimeText at={entry.at} clock /> · <code>{words.revision(entry.revision)}</code>
          {then && (
            <>
              {' · '}
              <Link className={classes(styles.then, styles.whole)} href={then.href}>
                {then.text}
                <span className="visually-hidden"> {words.revision(entry.revision)}</span>
              </Link>
            </>
          )}
        </p>
        {entry.reason && <p className={styles.reason}>“{entry.reason}”</p>}
        {undone && <UndoneMark undone={undone} />}
        {children}
        {entry.changes.some(({ fields }) => fields.length > 0) && (
          <details onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
            <summary className={styles.summary}>{words.details}</summary>
            {isOpen && <Diff groups={changeGroups(entry.changes, segments, { about })} />}
            {isOpen && entry.more && <p className={styles.who}>{words.moreChanges}</p>}
          </details>
        )}
      </div>
      {!undone && <Undo revision={entry.revision} entry={entry} about={about} onDone={onUndone} />}
    </li>
  );
}

function OfRequest({ request }: { readonly request: AppliedRequest | undefined }) {
  if (!request) return null;
  return (
    <p className={styles.who}>
      <AppliedRequestText request={request} />
    </p>
  );
}

interface EntriesProps extends Pick<HistoryListProps, 'about' | 'stateAt'> {
  readonly entries: readonly HistoryEntry[];
  readonly applied: ReturnType<typeof useAppliedRequests>;
  readonly undone: ReturnType<typeof useUndone>;
}

function Entries({ entries, about, stateAt, applied, undone }: EntriesProps) {
  const rows = useHeldRows(entries);
  return (
    <HeldList rows={rows}>
      <ByDay items={rows.shown} at={({ at }) => at}>
        {(ofDay, day) => (
          <ol className={styles.entries} aria-label={day}>
            {ofDay.map((entry) => (
              <Entry
                key={entry.revision}
                entry={entry}
                about={about}
                undone={undone(entry)}
                then={stateAt && { href: stateAt(entry.revision), text: words.stateAfter }}
                onUndone={rows.show}
              >
                <OfRequest request={applied.get(entry.revision)} />
              </Entry>
            ))}
          </ol>
        )}
      </ByDay>
    </HeldList>
  );
}

/** The commits of the page that may have applied a change request. The history of one flag does not have the types of events of other objects. */
const maybeApplied = ({ entries }: Page, about: string | undefined) =>
  entries
    .filter(({ types }) => about !== undefined || types.includes('change-request-applied'))
    .map(({ revision }) => revision);

/** Commits, newest first. */
export function HistoryList({ queryKey, read, about, stateAt, isInBody = false }: HistoryListProps) {
  const { data, error, isPending, hasNextPage, fetchNextPage, isFetchingNextPage } = useInfiniteQuery({
    queryKey,
    queryFn: ({ pageParam }) => read(pageParam),
    initialPageParam: undefined as number | undefined,
    getNextPageParam: (page: Page) => page.next ?? undefined,
  });
  const pages = data?.pages ?? [];
  const applied = useAppliedRequests(pages.map((page) => maybeApplied(page, about)));
  const newestUndo = pages.flatMap(({ entries }) => entries).find(({ types }) => types.includes(UNDO));
  const undone = useUndone(pages.at(-1)?.entries.at(-1)?.at, newestUndo?.revision ?? 0);
  if (isPending) return <Skeleton shape="rows" rows={6} />;
  if (error) return <Banner tone="bad">{error.message}</Banner>;
  const entries = pages.flatMap((page) => page.entries);
  if (entries.length === 0) return <EmptyState sentence={words.empty} />;
  return (
    <div className={classes(styles.list, isInBody && styles.inBody)}>
      <Entries entries={entries} about={about} stateAt={stateAt} applied={applied} undone={undone} />
      {hasNextPage && (
        <Button pending={isFetchingNextPage} onClick={() => void fetchNextPage()}>
          {words.more}
        </Button>
      )}
    </div>
  );
}
