import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { undo } from '../../data/save.ts';
import { useUrlState } from '../../data/url-state.ts';
import { same } from '../../domain/same.ts';
import { UndoConflict } from '../../history/UndoConflict.tsx';
import { type Change, Diff } from '../../kit/changes/Diff.tsx';
import { Button } from '../../kit/inputs/Button.tsx';
import { Field } from '../../kit/inputs/Field.tsx';
import { TextInput } from '../../kit/inputs/TextInput.tsx';
import { Inspector } from '../../kit/overlays/Inspector.tsx';
import { TimeText } from '../../kit/texts/TimeText.tsx';
import { CopySave } from '../../save/CopySave.tsx';
import { useWrite } from '../../save/use-write.ts';
import { Words } from '../../save/Words.tsx';
import { audit as words } from '../../words/en/audit.ts';
import { Loaded } from '../parts/Loaded.tsx';
import styles from '../parts/parts.module.css';
import { type AuditEvent, eventQuery } from './audit-data.ts';
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

/** Takes the commit of the event back; what conflicts is named. */
function Undo({ revision, onDone }: { readonly revision: number; readonly onDone: () => void }) {
  const [opened, setOpened] = useUrlState('undo');
  const [reason, setReason] = useState('');
  const { run, isPending, failure } = useWrite();
  const undoing = () => undo([revision], reason);
  if (opened !== String(revision)) {
    return (
      <div>
        <Button onClick={() => setOpened(String(revision))}>{words.undo}</Button>
      </div>
    );
  }
  return (
    <section className={styles.card}>
      <p className={styles.quiet}>{words.undoHint}</p>
      <Field label={words.why}>
        <TextInput autoFocus maxLength={500} value={reason} onChange={(event) => setReason(event.target.value)} />
      </Field>
      {failure && <UndoConflict failure={failure} />}
      <div className={styles.row}>
        <CopySave saving={undoing} />
        <Button
          kind="primary"
          pending={isPending}
          onClick={() =>
            void run(undoing, {
              text: words.undone(revision),
              canUndo: true,
              refresh: [[]],
              onDone,
            })
          }
        >
          {words.undo}
        </Button>
      </div>
    </section>
  );
}

/** Events whose objects have no recorded past, or secrets that are never restored: docs/history.md. */
const NEVER_UNDONE =
  /^(user|service-account|pat|api-token|public-signup-token|setting|application|change)-|-(un)?favorited$|^features-exported$|^feature-potentially-stale-on$/;
const OF_REQUEST_UNDONE = /^change-request-(configuration-updated|applied|scheduled-application-success)$/;

const isUndoable = ({ revision, type }: AuditEvent) =>
  revision !== null && revision !== undefined && (!NEVER_UNDONE.test(type) || OF_REQUEST_UNDONE.test(type));

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
      {isUndoable(event) ? (
        <Undo revision={event.revision as number} onDone={onDone} />
      ) : (
        <p className={styles.quiet}>{words.neverUndone}</p>
      )}
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
