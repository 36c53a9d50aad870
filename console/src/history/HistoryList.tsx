import { useInfiniteQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { Link } from 'wouter';
import type { components } from '../api/schema.d.ts';
import type { Failure } from '../data/failure.ts';
import type { MayNot } from '../data/may.ts';
import { showReceipt } from '../data/receipts.ts';
import { undo } from '../data/save.ts';
import { isProduction, useEnvironments } from '../data/settings.ts';
import { useUrlState } from '../data/url-state.ts';
import type { HistoryEntry } from '../domain/model.ts';
import { Diff } from '../kit/changes/Diff.tsx';
import { Button } from '../kit/inputs/Button.tsx';
import { Field } from '../kit/inputs/Field.tsx';
import { TextInput } from '../kit/inputs/TextInput.tsx';
import { Banner } from '../kit/notices/Banner.tsx';
import { EmptyState } from '../kit/notices/EmptyState.tsx';
import { Skeleton } from '../kit/notices/Skeleton.tsx';
import { Avatar } from '../kit/texts/Avatar.tsx';
import { TimeText } from '../kit/texts/TimeText.tsx';
import { CopySave } from '../save/CopySave.tsx';
import { useSegmentNames } from '../save/SettingsRule.tsx';
import { Words } from '../save/Words.tsx';
import { history as words } from '../words/en/flags/feature-more.ts';
import { entryWords, undoWords } from '../words/en/history.ts';
import { changeGroups } from './change-groups.tsx';
import styles from './HistoryList.module.css';
import { UndoConflict } from './UndoConflict.tsx';

type Page = components['schemas']['history'];

interface HistoryListProps {
  readonly queryKey: readonly unknown[];
  readonly read: (before: number | undefined) => Promise<Page>;
  /** The object that the page is about: its name is left out of the sentences. */
  readonly about?: string;
  /** Why changes, or this one, cannot be undone here. */
  readonly mayNotUndo?: MayNot | ((entry: HistoryEntry) => MayNot);
  /** The address that shows the state after a commit. */
  readonly stateAt?: (revision: number) => string;
}

/** Whether production sees the undo of it. */
function useIsInProduction({ changes }: HistoryEntry): boolean {
  const { data: environments } = useEnvironments();
  return changes.some(({ environment }) => isProduction(environments?.find(({ name }) => name === environment)?.type));
}

interface UndoProps extends Pick<HistoryListProps, 'about'> {
  readonly entry: HistoryEntry;
  readonly mayNotUndo: string | undefined;
}

function Undo({ entry, about, mayNotUndo }: UndoProps) {
  const segments = useSegmentNames();
  const isInProduction = useIsInProduction(entry);
  const [opened, setOpened] = useUrlState('undo');
  const isOpen = opened === String(entry.revision);
  const [reason, setReason] = useState('');
  const [isPending, setPending] = useState(false);
  const [failure, setFailure] = useState<Failure | null>(null);
  const undoing = () => undo([entry.revision], reason);
  const run = async () => {
    setPending(true);
    const answer = await undoing();
    setPending(false);
    if (!answer.ok) return setFailure(answer.failure);
    setOpened('');
    if (answer.revision !== null) showReceipt(words.undone(entry.revision), [answer.revision]);
  };
  if (!isOpen) {
    return (
      <Button size="small" kind="quiet" reason={mayNotUndo} onClick={() => setOpened(String(entry.revision))}>
        {words.undo}
      </Button>
    );
  }
  const does = undoWords(entry, about, segments);
  return (
    <div className={styles.undo}>
      {does && (
        <p>
          <Words text={words.undoDoes(does)} />
        </p>
      )}
      <p>{words.undoHint}</p>
      <Field label={words.reason}>
        <TextInput maxLength={500} autoFocus value={reason} onChange={(event) => setReason(event.target.value)} />
      </Field>
      {failure && <UndoConflict failure={failure} />}
      <div className={styles.buttons}>
        <CopySave saving={undoing} blocked={mayNotUndo} />
        <Button size="small" onClick={() => setOpened('')}>
          {words.cancel}
        </Button>
        <Button
          size="small"
          kind={isInProduction ? 'production' : 'primary'}
          pending={isPending}
          reason={mayNotUndo}
          onClick={() => void run()}
        >
          {words.undoThis(entry.revision)}
        </Button>
      </div>
    </div>
  );
}

interface EntryProps extends Pick<HistoryListProps, 'about' | 'mayNotUndo'> {
  readonly entry: HistoryEntry;
  /** A link to a state of the past. */
  readonly then?: { readonly href: string; readonly text: string } | undefined;
  /** Below the sentence and the reason. */
  readonly children?: ReactNode;
}

/** One commit: its sentence, author and reason, the exact difference on demand, and undo in place. */
export function Entry({ entry, about, mayNotUndo, then, children }: EntryProps) {
  const segments = useSegmentNames();
  return (
    <li className={styles.entry}>
      <Avatar name={entry.author.name} machine={entry.author.id === null || entry.author.id < 0} size={24} />
      <div className={styles.what}>
        <p>
          <Words text={entryWords(entry, about, segments)} />
        </p>
        <p className={styles.who}>
          {entry.author.name} · <TimeText at={entry.at} /> · <code>{words.revision(entry.revision)}</code>
          {then && (
            <>
              {' · '}
              <Link className={styles.then} href={then.href}>
                {then.text}
                <span className="visually-hidden"> {words.revision(entry.revision)}</span>
              </Link>
            </>
          )}
        </p>
        {entry.reason && <p className={styles.reason}>“{entry.reason}”</p>}
        {children}
        {entry.changes.some(({ fields }) => fields.length > 0) && (
          <details>
            <summary className={styles.summary}>{words.details}</summary>
            <Diff groups={changeGroups(entry.changes, segments, { about })} />
            {entry.more && <p className={styles.who}>{words.moreChanges}</p>}
          </details>
        )}
      </div>
      <Undo
        entry={entry}
        about={about}
        mayNotUndo={typeof mayNotUndo === 'function' ? mayNotUndo(entry) : mayNotUndo}
      />
    </li>
  );
}

/** Commits, newest first. */
export function HistoryList({ queryKey, read, about, mayNotUndo, stateAt }: HistoryListProps) {
  const { data, error, isPending, hasNextPage, fetchNextPage, isFetchingNextPage } = useInfiniteQuery({
    queryKey,
    queryFn: ({ pageParam }) => read(pageParam),
    initialPageParam: undefined as number | undefined,
    getNextPageParam: (page: Page) => page.next ?? undefined,
  });
  if (isPending) return <Skeleton shape="rows" rows={6} />;
  if (error) return <Banner tone="bad">{error.message}</Banner>;
  const entries = data.pages.flatMap((page) => page.entries);
  if (entries.length === 0) return <EmptyState sentence={words.empty} />;
  return (
    <div className={styles.list}>
      <ol className={styles.entries}>
        {entries.map((entry) => (
          <Entry
            key={entry.revision}
            entry={entry}
            about={about}
            mayNotUndo={mayNotUndo}
            then={stateAt && { href: stateAt(entry.revision), text: words.stateAfter }}
          />
        ))}
      </ol>
      {hasNextPage && (
        <Button pending={isFetchingNextPage} onClick={() => void fetchNextPage()}>
          {words.more}
        </Button>
      )}
    </div>
  );
}
