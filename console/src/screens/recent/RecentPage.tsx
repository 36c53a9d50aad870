import { Activity } from 'lucide-react';
import { useState } from 'react';
import { Link } from 'wouter';
import type { Delivery } from '../../data/receipts.ts';
import type { HistoryEntry } from '../../domain/model.ts';
import { daysOf, endsNow } from '../../domain/span.ts';
import { HeldList } from '../../history/HeldList.tsx';
import { Entry } from '../../history/HistoryList.tsx';
import { type Filters, flagBefore } from '../../history/read-history.ts';
import { useUndone } from '../../history/undone.tsx';
import { useHeldRows } from '../../history/use-held-rows.ts';
import { ReceiptBar } from '../../kit/changes/ReceiptBar.tsx';
import { Button } from '../../kit/inputs/Button.tsx';
import { ByDay } from '../../kit/lists/ByDay.tsx';
import { Banner } from '../../kit/notices/Banner.tsx';
import { EmptyState } from '../../kit/notices/EmptyState.tsx';
import { Skeleton } from '../../kit/notices/Skeleton.tsx';
import { HappenedFilters, useHappenedFilters } from '../../parts/HappenedFilters.tsx';
import { Page } from '../../parts/Page.tsx';
import styles from '../../parts/parts.module.css';
import { useDifference } from '../../past/past-data.ts';
import { DifferenceView } from '../../past/SinceThen.tsx';
import { path } from '../../paths.ts';
import { parts } from '../../words/en/parts.ts';
import { recent as words } from '../../words/en/recent.ts';
import own from './Recent.module.css';
import { addressOf, useNow, useRecent } from './recent-data.ts';
import { longerThan, timeWords } from './time-words.ts';
import { useDeliveries } from './use-deliveries.ts';

/** How far the commit has come. Commits that no SDK sees have no receipt. */
function Receipt({ delivery }: { readonly delivery: Delivery }) {
  const { revision, concerned, have, unknown, tookMs, slowest, final, share } = delivery;
  return (
    <ReceiptBar
      receipt={{
        revision,
        followed: concerned,
        given: have,
        unknown,
        isStalled: final && share < 1,
        ...(tookMs && { medianMs: tookMs.p50 }),
        ...(slowest && { slowest: { name: slowest.appName, environment: slowest.environment } }),
      }}
    />
  );
}

function Together({ oldest, filters }: { readonly oldest: number; readonly filters: Filters }) {
  const [isOpen, setOpen] = useState(false);
  const { feature, project, environment: name } = filters;
  const within = feature !== '' ? { feature } : project !== '' ? { project } : name !== '' ? { environment: name } : {};
  const { data, error } = useDifference(String(oldest - 1), within, isOpen);
  const inEnvironment =
    data?.changes.filter(({ environment }) => name === '' || environment === null || environment === name) ?? [];
  return (
    <details className={own.together} onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary className={own.summary}>{words.together}</summary>
      <div className={styles.stack}>
        <p className={styles.quiet}>{words.togetherHint}</p>
        {error && <Banner tone="bad">{error.message}</Banner>}
        {isOpen && !data && !error && <Skeleton shape="rows" rows={3} />}
        {data && <DifferenceView changes={inEnvironment} />}
      </div>
    </details>
  );
}

const command = (filters: Filters, now: number) =>
  `curl "${location.origin}${addressOf(filters, now)}" -H "Authorization: $ADMIN_TOKEN"`;

/** Nothing was changed. The audit log may have events of the time all the same: those that change no flag and no setting. */
function Nothing({ filters, now, isFiltered, showLast }: NothingProps) {
  const longer = longerThan(filters);
  const { person, feature, project, environment } = filters;
  const days = daysOf(filters.span, now);
  return (
    <>
      <EmptyState
        icon={<Activity aria-hidden />}
        sentence={(isFiltered ? words.noneHere : words.none)(timeWords(filters, now))}
        {...(longer !== undefined && {
          action: <Button onClick={() => showLast(longer)}>{words.longer(longer)}</Button>,
        })}
        command={command(filters, now)}
        commandLabel={words.command}
      />
      <p className={styles.row}>
        <span className={styles.quiet}>{words.otherEvents}</span>
        <Link className={styles.link} href={path('events', {}, { ...days, person, feature, project, environment })}>
          {words.auditLog}
        </Link>
      </p>
    </>
  );
}

interface NothingProps {
  readonly filters: Filters;
  readonly now: number;
  readonly isFiltered: boolean;
  readonly showLast: (minutes: number) => void;
}

interface ListProps {
  readonly entries: readonly HistoryEntry[];
  readonly filters: Filters;
  readonly hasMore: boolean;
  readonly now: number;
}

function List({ entries: all, filters, hasMore, now }: ListProps) {
  const rows = useHeldRows(all);
  const entries = rows.shown;
  const { byRevision, isRefused } = useDeliveries();
  const undone = useUndone(entries.at(-1)?.at);
  const authors = new Set(entries.map(({ author }) => author.name)).size;
  const oldest = entries.at(-1)?.revision ?? 1;
  // Otherwise the result has changes that are not in the list.
  const areAllSince = filters.person === '' && endsNow(filters.span, now);
  return (
    <>
      <p role="status">{words.counts(entries.length, authors, !hasMore)}</p>
      {areAllSince && <Together oldest={oldest} filters={filters} />}
      {isRefused && <Banner tone="warn">{words.noReceipts}</Banner>}
      <HeldList rows={rows}>
        <ByDay items={entries} at={({ at }) => at}>
          {(ofDay, day) => (
            <ol className={own.entries} aria-label={words.changes(day)}>
              {ofDay.map((entry) => {
                const delivery = byRevision.get(entry.revision);
                return (
                  <Entry
                    key={entry.revision}
                    entry={entry}
                    then={flagBefore(entry)}
                    undone={undone(entry)}
                    onUndone={rows.show}
                  >
                    {delivery && <Receipt delivery={delivery} />}
                  </Entry>
                );
              })}
            </ol>
          )}
        </ByDay>
      </HeldList>
    </>
  );
}

/** Who opens the screen looks for what broke just now. */
const USUAL = '30';

/** The changes of a time with their authors, how far they have come, and their undo. */
export function RecentPage() {
  const now = useNow();
  const state = useHappenedFilters(USUAL);
  const { filters, isFiltered, time } = state;
  const showLast = (minutes: number) => time.show(String(minutes));
  const { entries, hasMore, readMore, isReadingMore, error, again } = useRecent(filters, now);
  return (
    <Page name={words.title} lead={words.lead}>
      <HappenedFilters state={state} />
      {error && (
        <Banner
          tone="bad"
          title={parts.failed}
          action={
            <Button size="small" onClick={again}>
              {parts.again}
            </Button>
          }
        >
          {error.message}
        </Banner>
      )}
      {!entries && !error && <Skeleton shape="rows" rows={6} />}
      {entries?.length === 0 && !hasMore && (
        <Nothing filters={filters} now={now} isFiltered={isFiltered} showLast={showLast} />
      )}
      {entries && entries.length > 0 && (
        <List key={JSON.stringify(filters)} entries={entries} filters={filters} hasMore={hasMore} now={now} />
      )}
      {hasMore && (
        <p className={styles.row}>
          {words.mayBeMore}
          <Button pending={isReadingMore} onClick={readMore}>
            {words.more}
          </Button>
        </p>
      )}
    </Page>
  );
}
