import { Fragment } from 'react';
import { rules as words } from '../../words/en/rules.ts';
import { type RuleStrategy, ruleParts, ruleSign, ruleText } from '../../words/rule-words.ts';
import { classes } from '../classes.ts';
import { Badge } from '../texts/Badge.tsx';
import styles from './RuleSentence.module.css';

/** A strategy in words. */
export function RuleSentence({ strategy }: { readonly strategy: RuleStrategy }) {
  return (
    <span className={classes(styles.sentence, strategy.disabled && styles.disabled)}>
      {strategy.disabled && (
        <>
          <Badge>{words.disabled}</Badge>{' '}
        </>
      )}
      {ruleParts(strategy).map(({ text, isValue }, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: parts have no identity.
        <Fragment key={at}>
          {at > 0 && ' '}
          {isValue ? <span className={styles.value}>{text}</span> : text}
        </Fragment>
      ))}
    </span>
  );
}

export interface RuleListProps {
  readonly enabled: boolean;
  readonly strategies: readonly RuleStrategy[];
}

/** Sentences that name all contexts or none, instead of a condition. */
const ALL_OR_NONE: ReadonlySet<string> = new Set([words.everyone, words.none, words.noPercentage]);

/** A strategy that counts has the sign of its place among all, as on its card. */
const countedOf = (strategies: readonly RuleStrategy[]) =>
  strategies.flatMap((strategy, at) => (strategy.disabled ? [] : [{ strategy, sign: ruleSign(at) }]));

interface RuleLeadProps extends RuleListProps {
  /** The strategies follow as cards, not in the sentence. */
  readonly isAlone?: boolean;
}

/** What an environment does with its strategies, without them: "ON if any of:". */
export function RuleLead({ enabled, strategies, isAlone = false }: RuleLeadProps) {
  const counted = countedOf(strategies);
  const only = counted[0]?.strategy;
  const isOn = enabled && (strategies.length === 0 || counted.length > 0);
  const lead = () => {
    if (!enabled) return counted.length === 0 ? words.off : words.offWhenOn;
    if (strategies.length === 0) return words.onWithoutStrategies;
    if (counted.length === 0) return words.offAllDisabled;
    if (counted.length > 1) return words.onIfAny;
    return only && ALL_OR_NONE.has(ruleText(only)) ? words.onFor : words.onIf;
  };
  const text = lead();
  const ending = isAlone && enabled && counted.length === 1 ? ':' : '';
  return (
    <span className={isOn ? styles.on : styles.off}>
      {text}
      {ending}
    </span>
  );
}

/** All of an environment: "ON if any of: ① … ② …". */
export function RuleList({ enabled, strategies }: RuleListProps) {
  const counted = countedOf(strategies);
  const only = counted[0]?.strategy;
  return (
    <div>
      <RuleLead enabled={enabled} strategies={strategies} />{' '}
      {counted.length === 1 && only ? (
        <RuleSentence strategy={only} />
      ) : (
        <ol className={styles.list}>
          {counted.map(({ strategy, sign }) => (
            <li key={sign} className={styles.rule}>
              <span className={styles.sign} aria-hidden>
                {sign}
              </span>
              <RuleSentence strategy={strategy} />
            </li>
          ))}
        </ol>
      )}
    </div>
  );
}
