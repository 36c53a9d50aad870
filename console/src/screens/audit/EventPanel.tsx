import { useQuery } from '@tanstack/react-query';
import { same } from '../../domain/same.ts';
import { Undo } from '../../history/Undo.tsx';
import { type Change, Diff } from '../../kit/changes/Diff.tsx';
import { Inspector } from '../../kit/overlays/Inspector.tsx';
import { TimeText } from '../../kit/texts/TimeText.tsx';
import { Words } from '../../save/Words.tsx';
import { audit as words } from '../../words/en/audit.ts';
import { Loaded } from '../parts/Loaded.tsx';
import styles from '../parts/parts.module.css';
import { type AuditEvent, commitQuery, eventQuery } from './audit-data.ts';
import { Summary } from './Summary.tsx';

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

/** Undoes the commit of the event. */
function UndoEvent({ revision, onDone }: { readonly revision: number; readonly onDone: () => void }) {
  const { data } = useQuery(commitQuery(revision));
  return (
    <div>
      <Undo revision={revision} entry={data ?? undefined} onDone={onDone} />
    </div>
  );
}

/** Its undo, or why there is none. */
function UndoOf({ event, onDone }: { readonly event: AuditEvent; readonly onDone: () => void }) {
  const { revision, neverUndone } = event;
  if (revision == null) return <p className={styles.quiet}>{words.noRevision}</p>;
  if (neverUndone) return <p className={styles.quiet}>{words.neverUndone(neverUndone)}</p>;
  return <UndoEvent revision={revision} onDone={onDone} />;
}

function Details({ event, onDone }: { readonly event: AuditEvent; readonly onDone: () => void }) {
  const changes = changesOf(event);
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
        {event.revision != null && (
          <>
            <dt>{words.revision}</dt>
            <dd>
              <code>r{event.revision}</code>
            </dd>
          </>
        )}
        <dt>{words.reason}</dt>
        <dd>{event.reason || <span className={styles.quiet}>{words.noReason}</span>}</dd>
        {event.ip && (
          <>
            <dt>{words.address}</dt>
            <dd>
              <code>{event.ip}</code>
            </dd>
          </>
        )}
      </dl>
      {changes.length === 0 ? (
        <p className={styles.quiet}>{words.noDifference}</p>
      ) : (
        <Diff
          groups={[{ key: 'event', title: words.difference, changes }]}
          json={{ before: event.preData ?? null, after: event.data ?? null }}
        />
      )}
      <UndoOf event={event} onDone={onDone} />
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
