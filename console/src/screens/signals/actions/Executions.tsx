import { useQuery } from '@tanstack/react-query';
import type { ActionSet } from '../../../data/action-sets.ts';
import { TimeText } from '../../../kit/texts/TimeText.tsx';
import { FirstFew } from '../../../parts/FirstFew.tsx';
import { Loaded } from '../../../parts/Loaded.tsx';
import styles from '../../../parts/parts.module.css';
import { actions as words } from '../../../words/en/actions.ts';
import { type Execution, executionsQuery, stepOf, stepText } from './action-data.ts';
import { ExecutionBadge } from './ExecutionBadge.tsx';

const SHOWN_FIRST = 10;

function Row({ execution }: { readonly execution: Execution }) {
  const { state, details, createdAt, signalId, repeated, actions } = execution;
  return (
    <li>
      <div className={`${styles.grow} ${styles.wrap}`}>
        <div className={styles.row}>
          <ExecutionBadge state={state} />
          <span className={styles.quiet}>
            {words.signal(signalId)} · <TimeText at={createdAt} />
          </span>
        </div>
        {details !== null && <div>{details}</div>}
        {actions.map(({ id, action, executionParams, state: stepState, details: outcome }) => (
          <div key={id}>
            {stepText(stepOf({ action, executionParams }))}:{' '}
            <span className={styles.quiet}>{outcome ?? words.stepStates[stepState]}</span>
          </div>
        ))}
        {repeated > 0 && <div className={styles.quiet}>{words.repeated(repeated)}</div>}
      </div>
    </li>
  );
}

/** The newest executions, with the outcome of each step and its reason. */
export function Executions({ set: { project, id } }: { readonly set: ActionSet }) {
  return (
    <section className={styles.stack} aria-label={words.executions}>
      <h2 className={styles.heading}>{words.executions}</h2>
      <Loaded query={useQuery(executionsQuery(project, id))} rows={4}>
        {(all) =>
          all.length === 0 ? (
            <p className={styles.quiet}>{words.noExecutions}</p>
          ) : (
            <FirstFew items={all} first={SHOWN_FIRST} more={words.more(all.length)}>
              {(execution) => <Row key={execution.id} execution={execution} />}
            </FirstFew>
          )
        }
      </Loaded>
    </section>
  );
}
