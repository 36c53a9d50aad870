import { useQuery } from '@tanstack/react-query';
import { Lock } from 'lucide-react';
import { useState } from 'react';
import { Link } from 'wouter';
import { type MayNot, useMay } from '../../data/may.ts';
import { EmptyState } from '../../kit/notices/EmptyState.tsx';
import { CodeBlock } from '../../kit/texts/CodeBlock.tsx';
import { TimeText } from '../../kit/texts/TimeText.tsx';
import { FirstFew } from '../../parts/FirstFew.tsx';
import { Loaded } from '../../parts/Loaded.tsx';
import styles from '../../parts/parts.module.css';
import { path } from '../../paths.ts';
import { signals as words } from '../../words/en/admin/signals.ts';
import { parts } from '../../words/en/parts.ts';
import { numberText } from '../../words/number-text.ts';
import { ExecutionBadge } from './actions/ExecutionBadge.tsx';
import own from './Signals.module.css';
import { type Signal, type SignalEndpoint, signalsQuery } from './signal-data.ts';

const SHOWN_FIRST = 10;

interface RowProps {
  readonly signal: Signal;
  readonly tokens: SignalEndpoint['tokens'];
}

function Row({ signal, tokens }: RowProps) {
  const { id, createdAt, createdByTokenId, bytes, payload, executions } = signal;
  const [isOpen, setOpen] = useState(false);
  const sender = tokens.find((token) => token.id === createdByTokenId);
  return (
    <li>
      <div className={`${styles.grow} ${styles.tight}`}>
        <div>{words.signal(id)}</div>
        <div className={styles.quiet}>
          <TimeText at={createdAt} /> · {sender ? words.byToken(sender.name) : words.byDeletedToken} ·{' '}
          {words.bytes(numberText(bytes))}
        </div>
        {executions.length === 0 && <div className={styles.quiet}>{words.startedNothing}</div>}
        {executions.map(({ id: execution, actionSetId, actionSetName, project, state }) => (
          <div key={execution} className={own.started}>
            <ExecutionBadge state={state} />
            <Link
              className={`${styles.inline} ${styles.wrap}`}
              href={path('actionSet', { projectId: project, id: actionSetId })}
            >
              {actionSetName}
            </Link>
          </div>
        ))}
      </div>
      {payload === null ? (
        <span className={styles.quiet}>{words.tooLarge}</span>
      ) : (
        <details className={own.content} onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
          <summary aria-label={words.contentOf(id)}>{words.content}</summary>
          {isOpen && <CodeBlock label={words.contentOf(id)} code={JSON.stringify(payload, undefined, 2)} />}
        </details>
      )}
    </li>
  );
}

function List({ endpoint: { id, tokens } }: { readonly endpoint: SignalEndpoint }) {
  return (
    <Loaded query={useQuery(signalsQuery(id))} rows={4}>
      {(all) =>
        all.length === 0 ? (
          <p className={styles.quiet}>{words.noSignals}</p>
        ) : (
          <FirstFew items={all} first={SHOWN_FIRST} more={words.more(all.length)}>
            {(signal) => <Row key={signal.id} signal={signal} tokens={tokens} />}
          </FirstFew>
        )
      }
    </Loaded>
  );
}

function Refused({ mayNot }: { readonly mayNot: MayNot }) {
  return <EmptyState icon={<Lock aria-hidden />} sentence={`${parts.noAccess} ${mayNot}. ${words.signalsOfAdmins}`} />;
}

/** The newest signals of an endpoint, with their content and what actions they started. */
export function RecentSignals({ endpoint }: { readonly endpoint: SignalEndpoint }) {
  const mayNot = useMay('ADMIN');
  return (
    <section className={styles.stack} aria-label={words.recent}>
      <h2 className={styles.heading}>{words.recent}</h2>
      {mayNot === undefined ? <List endpoint={endpoint} /> : <Refused mayNot={mayNot} />}
    </section>
  );
}
