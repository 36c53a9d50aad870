import { useQuery } from '@tanstack/react-query';
import { useProductionNames } from '../../data/settings.ts';
import type { HistoryEntry } from '../../domain/model.ts';
import { same } from '../../domain/same.ts';
import { AppliedRequestText, useAppliedRequests } from '../../history/applied-requests.tsx';
import { changeGroups } from '../../history/change-groups.tsx';
import { Summary } from '../../history/Summary.tsx';
import { Undo } from '../../history/Undo.tsx';
import { UndoneMark, useUndone } from '../../history/undone.tsx';
import { type Change, Diff } from '../../kit/changes/Diff.tsx';
import { Skeleton } from '../../kit/notices/Skeleton.tsx';
import { Inspector } from '../../kit/overlays/Inspector.tsx';
import { TimeText } from '../../kit/texts/TimeText.tsx';
import { Loaded } from '../../parts/Loaded.tsx';
import styles from '../../parts/parts.module.css';
import { useSegmentNames } from '../../save/SettingsRule.tsx';
import { Words } from '../../save/Words.tsx';
import { audit as words } from '../../words/en/audit.ts';
import { type AuditEvent, commitQuery, eventQuery } from './audit-data.ts';

type State = Record<string, unknown>;
const stateOf = (value: unknown): State =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as State) : {};
const text = (value: unknown) => (typeof value === 'string' ? value : JSON.stringify(value));

function changesOf(event: AuditEvent): Change[] {
  const [before, after] = [stateOf(event.preData), stateOf(event.data)];
  return [...new Set([...Object.keys(before), ...Object.keys(after)])]
    .filter((name) => !same(before[name], after[name]))
    .map((name) => ({
      kind: before[name] === undefined ? 'added' : after[name] === undefined ? 'removed' : 'changed',
      text: <Words text={words.field(name)} />,
      ...(before[name] !== undefined && { before: text(before[name]) }),
      ...(after[name] !== undefined && { after: text(after[name]) }),
    }));
}

/** What the commit did to the flag of the event, which histories say in sentences. */
const ofFlag = ({ featureName, environment }: AuditEvent, commit: HistoryEntry | null) =>
  (commit?.changes ?? []).filter(
    (change) =>
      change.type === 'feature' &&
      change.id === featureName &&
      (environment === null || change.environment === null || change.environment === environment),
  );

interface OfEventProps {
  readonly event: AuditEvent;
  /** Null if histories do not have it. */
  readonly commit: HistoryEntry | null;
}

/** Its undo, or why there is none. */
function UndoOf({ event, commit, onDone }: OfEventProps & { readonly onDone: () => void }) {
  const { revision, neverUndone } = event;
  const undoOf = useUndone(event.createdAt);
  const undone = commit && undoOf(commit);
  if (revision == null) return <p className={styles.quiet}>{words.noRevision}</p>;
  if (neverUndone) return <p className={styles.quiet}>{words.neverUndone(neverUndone)}</p>;
  if (undone) return <UndoneMark undone={undone} />;
  return (
    <div>
      <Undo revision={revision} entry={commit ?? undefined} onDone={onDone} />
    </div>
  );
}

/** In sentences, where histories have them. Not every event has its states. */
function Changes({ event, commit }: OfEventProps) {
  const segments = useSegmentNames();
  const production = useProductionNames();
  const changes = changesOf(event);
  const said = changeGroups(ofFlag(event, commit), segments, { production, hasValues: false }).filter(
    (group) => group.changes.length > 0,
  );
  if (said.length === 0 && changes.length === 0) return <p className={styles.quiet}>{words.noDifference}</p>;
  const json = { before: event.preData ?? null, after: event.data ?? null };
  const groups = said.length > 0 ? said : [{ key: 'event', title: words.difference, changes }];
  return <Diff groups={groups} {...(changes.length > 0 && { json })} />;
}

function Details({ event, onDone }: { readonly event: AuditEvent; readonly onDone: () => void }) {
  const { revision } = event;
  const commit = useQuery({ ...commitQuery(revision ?? 0), enabled: revision != null });
  const entry = commit.data ?? null;
  const request = useAppliedRequests([revision == null ? [] : [revision]]).get(revision ?? 0);
  return (
    <>
      <p>{event.summary ? <Summary text={event.summary} /> : event.type}</p>
      <dl className={styles.facts}>
        <dt>{words.who}</dt>
        <dd>{event.createdBy}</dd>
        <dt>{words.when}</dt>
        <dd>
          <TimeText at={event.createdAt} exact />
        </dd>
        {revision != null && (
          <>
            <dt>{words.revision}</dt>
            <dd>
              <code>r{revision}</code>
            </dd>
          </>
        )}
        {request && (
          <>
            <dt>{words.request}</dt>
            <dd>
              <AppliedRequestText request={request} />
            </dd>
          </>
        )}
        <dt>{words.reason}</dt>
        <dd>
          {event.reason || <span className={styles.quiet}>{request ? words.reasonInRequest : words.noReason}</span>}
        </dd>
        {event.ip && (
          <>
            <dt>{words.address}</dt>
            <dd>
              <code>{event.ip}</code>
            </dd>
          </>
        )}
      </dl>
      {commit.isLoading ? <Skeleton rows={2} /> : <Changes event={event} commit={entry} />}
      <UndoOf event={event} commit={entry} onDone={onDone} />
    </>
  );
}

export function EventPanel({ id, onClose }: { readonly id: number; readonly onClose: () => void }) {
  const query = useQuery(eventQuery(id));
  return (
    <Inspector title={query.data?.label ?? words.event} onClose={onClose}>
      <Loaded query={query} shape="text">
        {(event) => (event ? <Details event={event} onDone={onClose} /> : <p className={styles.quiet}>{words.none}</p>)}
      </Loaded>
    </Inspector>
  );
}
