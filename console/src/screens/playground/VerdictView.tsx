import { Check, Minus, X } from 'lucide-react';
import type { ReactNode } from 'react';
import { type Context, fieldsOf } from '../../domain/contexts.ts';
import { RuleSentence } from '../../kit/changes/RuleSentence.tsx';
import { Badge } from '../../kit/texts/Badge.tsx';
import partStyles from '../../parts/parts.module.css';
import { playground } from '../../words/en/playground.ts';
import { numberText } from '../../words/number-text.ts';
import { constraintText, type RuleConstraint } from '../../words/rule-words.ts';
import type { Verdict } from './evaluate.ts';
import styles from './Playground.module.css';

const words = playground.explain;

/** Null: not asked, because something before it decided. */
type Answer = boolean | null;

function Condition({ answer, children }: { readonly answer: Answer; readonly children: ReactNode }) {
  const Icon = answer === null ? Minus : answer ? Check : X;
  return (
    <li className={styles.condition}>
      <Icon
        size={16}
        role="img"
        aria-label={answer === null ? words.notReached : answer ? words.isTrue : words.isFalse}
        className={answer === null ? styles.skipped : answer ? styles.yes : styles.no}
      />
      <div>{children}</div>
    </li>
  );
}

interface ConstraintProps {
  readonly constraint: RuleConstraint & { readonly result: boolean };
  readonly context: Context;
}

function Constraint({ constraint, context }: ConstraintProps) {
  const given = fieldsOf(context).find(({ name }) => name === constraint.contextName)?.value;
  return (
    <Condition answer={constraint.result}>
      {constraintText(constraint)}{' '}
      <span className={partStyles.quiet}>({given === undefined ? words.notGiven : words.given(given)})</span>
    </Condition>
  );
}

interface VerdictViewProps {
  readonly verdict: Verdict;
  /** Its number among several. */
  readonly sign: string;
  readonly context: Context;
}

/** A strategy, and what each of its conditions answers for the context. */
export function VerdictView({ verdict, sign, context }: VerdictViewProps) {
  const { name, title, parameters, rollout, constraints, segments, result } = verdict;
  const isDisabled = verdict.disabled === true;
  const areConditionsTrue = constraints.every((one) => one.result) && segments.every((one) => one.result);
  // The parameters are true or false by what remains: with a false condition, the result says nothing of them.
  const own: Answer = areConditionsTrue && typeof result.enabled === 'boolean' ? result.enabled : null;
  return (
    <li className={styles.verdict} data-skipped={isDisabled || undefined}>
      <div className={partStyles.between}>
        <strong className={partStyles.strong}>{words.strategy(sign, title ?? '')}</strong>
        {isDisabled ? (
          <Badge>{words.isDisabled}</Badge>
        ) : typeof result.enabled === 'boolean' ? (
          <Badge tone={result.enabled ? 'good' : 'neutral'}>{result.enabled ? words.isTrue : words.isFalse}</Badge>
        ) : (
          <Badge tone="warn">{words.isUnknown}</Badge>
        )}
      </div>
      <ul className={styles.conditions}>
        {constraints.map((constraint, at) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: constraints have no identity.
          <Constraint key={at} constraint={constraint} context={context} />
        ))}
        {segments.map((segment) => (
          <Condition key={segment.id} answer={segment.result}>
            {words.segment(segment.name)}
            <ul className={styles.conditions}>
              {segment.constraints.map((constraint, at) => (
                // biome-ignore lint/suspicious/noArrayIndexKey: constraints have no identity.
                <Constraint key={at} constraint={constraint} context={context} />
              ))}
            </ul>
          </Condition>
        ))}
        <Condition answer={own}>
          <RuleSentence strategy={{ name, parameters }} />
          {rollout && own !== null && rollout.percentage < 100 && (
            <p className={partStyles.quiet}>{words.position(rollout.position, numberText(rollout.percentage))}</p>
          )}
        </Condition>
      </ul>
    </li>
  );
}
