import { Link } from 'wouter';
import type { ActionSet } from '../../../data/action-sets.ts';
import { useProductionNames } from '../../../data/settings.ts';
import type { Constraint } from '../../../domain/model.ts';
import { EnvironmentMark } from '../../../kit/changes/EnvironmentMark.tsx';
import { RuleSentence } from '../../../kit/changes/RuleSentence.tsx';
import styles from '../../../parts/parts.module.css';
import { path } from '../../../paths.ts';
import { actions as words } from '../../../words/en/actions.ts';
import { filtersOf, type Step, stepOf, useNames, verbOf } from './action-data.ts';

/** All conditions in words: "status in firing and commonLabels.alertname in CheckoutErrors". */
export function FilterSentence({ filters }: { readonly filters: readonly Constraint[] }) {
  if (filters.length === 0) return words.every;
  return <RuleSentence strategy={{ name: 'default', constraints: filters }} />;
}

interface StepSentenceProps {
  readonly project: string;
  readonly step: Step;
}

/** What one step does, with a link to its flag. */
export function StepSentence({ project, step }: StepSentenceProps) {
  const { featureName, environment } = step;
  const production = useProductionNames();
  return (
    <span className={styles.wrap}>
      {verbOf(step)}{' '}
      <Link
        className={`${styles.mono} ${styles.inline}`}
        href={path('feature', { projectId: project, featureId: featureName })}
      >
        {featureName}
      </Link>{' '}
      {words.in} <EnvironmentMark name={environment} production={production.has(environment)} />
    </span>
  );
}

/** What an action set does, as sentences. */
export function Sentence({ set }: { readonly set: ActionSet }) {
  const names = useNames();
  const { project, actorId, match, actions } = set;
  const filters = filtersOf(set);
  return (
    <section className={styles.card} aria-label={words.rule}>
      <h2 className={styles.heading}>{words.rule}</h2>
      <p>
        {words.whenSignal}{' '}
        <Link className={`${styles.mono} ${styles.inline}`} href={path('signal', { id: match.sourceId })}>
          {names.source(match.sourceId)}
        </Link>{' '}
        {words.arrives}
        {filters.length > 0 && (
          <>
            {' '}
            {words.with} <FilterSentence filters={filters} />
          </>
        )}
        :
      </p>
      <ol className={styles.sentences}>
        {actions.map((action) => (
          <li key={action.id}>
            <StepSentence project={project} step={stepOf(action)} />
          </li>
        ))}
      </ol>
      <p className={styles.quiet}>
        {words.as} <strong>{names.actor(actorId)}</strong>.
      </p>
    </section>
  );
}
