import { Badge } from '../../kit/texts/Badge.tsx';
import { NumberText } from '../../kit/texts/NumberText.tsx';
import { TimeText } from '../../kit/texts/TimeText.tsx';
import styles from '../../parts/parts.module.css';
import { instance as words } from '../../words/en/admin/instance.ts';
import { parts } from '../../words/en/parts.ts';
import { numberText } from '../../words/number-text.ts';
import { type Ready, sizeText } from './instance-data.ts';

function Current({ stale, lag }: Pick<Ready, 'stale' | 'lag'>) {
  if (stale) return <Badge tone="bad">{stale}</Badge>;
  return lag && lag.commits > 0 ? words.behind(lag.commits) : words.isCurrent;
}

function Writes({ refused }: { readonly refused: Ready['writesRefused'] }) {
  if (!refused) {
    return (
      <Badge tone="good" dot>
        {words.accepted}
      </Badge>
    );
  }
  return (
    <>
      <Badge tone="bad" dot>
        {words.refused}
      </Badge>{' '}
      {refused.message} <span className={styles.quiet}>{refused.advice}</span>
    </>
  );
}

function AuditLog({ events }: { readonly events: NonNullable<Ready['events']> }) {
  const { kept, since, bytes, bytesPerYear } = events;
  return (
    <>
      <dt>{words.audit}</dt>
      <dd>
        {words.auditText(numberText(kept))}
        {bytes !== null && `, ${sizeText(bytes)}`}
        {bytesPerYear !== null && `, ${words.aYear(sizeText(bytesPerYear))}`}
      </dd>
      <dt>{words.auditSince}</dt>
      <dd>{since === null ? parts.empty : <TimeText at={since} />}</dd>
    </>
  );
}

/** The state of the process that answered. */
export function Replica({ ready }: { readonly ready: Ready }) {
  const { revision, store, stale, lag, writesRefused, losses, events } = ready;
  return (
    <section className={styles.card}>
      <h2 className={styles.heading}>{words.state}</h2>
      <p className={styles.quiet}>{words.replicaHint}</p>
      <dl className={styles.facts}>
        <dt>{words.revision}</dt>
        <dd>
          <NumberText value={revision} />
        </dd>
        <dt>{words.store}</dt>
        <dd>{store}</dd>
        <dt>{words.current}</dt>
        <dd>
          <Current stale={stale} lag={lag} />
        </dd>
        <dt>{words.writes}</dt>
        <dd>
          <Writes refused={writesRefused} />
        </dd>
        {losses && (
          <>
            <dt>{words.losses}</dt>
            <dd>{losses.current ?? words.lossesText(losses.found, losses.refilled)}</dd>
          </>
        )}
        {events && <AuditLog events={events} />}
      </dl>
    </section>
  );
}
