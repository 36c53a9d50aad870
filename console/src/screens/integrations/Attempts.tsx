import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { Lock } from 'lucide-react';
import { useState } from 'react';
import { type MayNot, useMay } from '../../data/may.ts';
import { Summary } from '../../history/Summary.tsx';
import { Button } from '../../kit/inputs/Button.tsx';
import { EmptyState } from '../../kit/notices/EmptyState.tsx';
import { Badge, type Tone } from '../../kit/texts/Badge.tsx';
import { TimeText } from '../../kit/texts/TimeText.tsx';
import { Loaded } from '../../parts/Loaded.tsx';
import styles from '../../parts/parts.module.css';
import { integrations as words } from '../../words/en/admin/integrations.ts';
import { parts } from '../../words/en/parts.ts';
import { ATTEMPTS_FIRST, ATTEMPTS_MAX, type Attempt, attemptsQuery, type Integration } from './integration-data.ts';

const TONES: Readonly<Record<Attempt['state'], Tone>> = {
  success: 'good',
  failed: 'bad',
  successWithErrors: 'warn',
};

function EventText({ event, details }: Pick<Attempt, 'event' | 'details'>) {
  if (!event) return words.eventGone(details.eventId);
  return event.summary ? <Summary text={event.summary} /> : (event.label ?? event.type);
}

function Row({ attempt }: { readonly attempt: Attempt }) {
  const { state, stateDetails, createdAt, event, details } = attempt;
  return (
    <li>
      <Badge dot tone={TONES[state]}>
        {words.attemptStates[state]}
      </Badge>
      <div className={`${styles.grow} ${styles.wrap}`}>
        <div>
          <EventText event={event} details={details} />
        </div>
        {state !== 'success' && <div className={styles.quiet}>{stateDetails}</div>}
      </div>
      <span className={styles.quiet}>
        {state === 'success' && details.status !== null && `${words.status(details.status)} · `}
        <TimeText at={createdAt} />
      </span>
    </li>
  );
}

function List({ integration: { id, delivery } }: { readonly integration: Integration }) {
  const [limit, setLimit] = useState(ATTEMPTS_FIRST);
  const query = useQuery({ ...attemptsQuery(id, limit, delivery), placeholderData: keepPreviousData });
  return (
    <Loaded query={query} rows={4}>
      {(attempts) =>
        attempts.length === 0 ? (
          <p className={styles.quiet}>{words.noAttempts}</p>
        ) : (
          <>
            <div className={styles.list}>
              <ul className={styles.items}>
                {attempts.map((attempt) => (
                  <Row key={attempt.id} attempt={attempt} />
                ))}
              </ul>
            </div>
            {attempts.length >= limit && limit < ATTEMPTS_MAX && (
              <div>
                <Button pending={query.isPlaceholderData} onClick={() => setLimit(ATTEMPTS_MAX)}>
                  {words.more(ATTEMPTS_MAX)}
                </Button>
              </div>
            )}
          </>
        )
      }
    </Loaded>
  );
}

function Refused({ mayNot }: { readonly mayNot: MayNot }) {
  return <EmptyState icon={<Lock aria-hidden />} sentence={`${parts.noAccess} ${mayNot}. ${words.attemptsOfAdmins}`} />;
}

/** The newest attempts to send an event. */
export function Attempts({ integration }: { readonly integration: Integration }) {
  const mayNot = useMay('ADMIN');
  return (
    <section className={styles.stack} aria-label={words.attempts}>
      <h2 className={styles.heading}>{words.attempts}</h2>
      {mayNot === undefined ? <List integration={integration} /> : <Refused mayNot={mayNot} />}
    </section>
  );
}
