import { Link } from 'wouter';
import { Badge } from '../../kit/Badge.tsx';
import { Inspector } from '../../kit/Inspector.tsx';
import { constraintText } from '../../kit/rule-words.ts';
import { path } from '../../paths.ts';
import { playground as words } from '../../words/en/playground.ts';
import styles from './Playground.module.css';
import type { Evaluated, Outcome } from './PlaygroundScreen.tsx';

type Strategy = Outcome['strategies']['data'][number];

const resultText = (enabled: boolean | 'unknown') =>
  enabled === 'unknown' ? words.unknown : enabled ? words.on : words.off;

function StrategyReasons({ strategy }: { readonly strategy: Strategy }) {
  const { enabled } = strategy.result;
  const allMet = strategy.constraints.every(({ result }) => result) && strategy.segments.every(({ result }) => result);
  return (
    <li>
      <p>
        {words.strategy(strategy.title || strategy.name, '')}{' '}
        <Badge tone={enabled === true ? 'good' : 'neutral'}>{resultText(enabled)}</Badge>
      </p>
      <ul className={styles.reasons}>
        {strategy.segments.map((segment) => (
          <li key={segment.id} data-met={segment.result || undefined}>
            {words.segment(segment.name, segment.result)}
          </li>
        ))}
        {strategy.constraints.map((constraint) => {
          const text = constraintText(constraint);
          return (
            <li key={text} data-met={constraint.result || undefined}>
              {constraint.result ? words.constraintOk(text) : words.constraintNot(text)}
            </li>
          );
        })}
        {enabled === false && allMet && !strategy.disabled && <li>{words.rolloutOnly}</li>}
      </ul>
    </li>
  );
}

function Reasons({ outcome, environment }: { readonly outcome: Outcome; readonly environment: string }) {
  return (
    <div className={styles.outcome}>
      <p>
        <Badge tone={outcome.isEnabled ? 'good' : 'neutral'} dot>
          {outcome.isEnabled ? words.on : words.off}
        </Badge>{' '}
        {outcome.variant?.enabled && words.variant(outcome.variant.name)}
      </p>
      <pre className={styles.context}>{JSON.stringify(outcome.context)}</pre>
      {!outcome.isEnabledInCurrentEnvironment && <p>{words.switchedOff(environment)}</p>}
      {outcome.hasUnsatisfiedDependency && <p>{words.dependency}</p>}
      <ul className={styles.strategies}>
        {outcome.strategies.data.map((strategy) => (
          <StrategyReasons key={strategy.id} strategy={strategy} />
        ))}
      </ul>
    </div>
  );
}

const SHOWN = 20;

/** Why a flag is on or off, in each environment and for each combination. */
export function Explanation({ flag, onClose }: { readonly flag: Evaluated; readonly onClose: () => void }) {
  return (
    <Inspector title={<code>{flag.name}</code>} onClose={onClose}>
      <p>
        <Link className={styles.link} href={path('feature', { projectId: flag.projectId, featureId: flag.name })}>
          {flag.projectId} / {flag.name}
        </Link>
      </p>
      {Object.entries(flag.environments).map(([environment, outcomes]) => (
        <section key={environment} className={styles.environment}>
          <h3>{environment}</h3>
          {outcomes.slice(0, SHOWN).map((outcome) => (
            <Reasons key={JSON.stringify(outcome.context)} outcome={outcome} environment={environment} />
          ))}
        </section>
      ))}
    </Inspector>
  );
}
