import { Check, CircleHelp, X } from 'lucide-react';
import { Badge } from '../../kit/Badge.tsx';
import { RuleSentence } from '../../kit/RuleSentence.tsx';
import { constraintText } from '../../kit/rule-words.ts';
import { playground as words } from '../../words/en/playground.ts';
import styles from '../parts/parts.module.css';
import own from './Playground.module.css';
import type { Result, Strategy } from './playground-data.ts';

export function OnOff({ isOn, text }: { readonly isOn: boolean; readonly text?: string }) {
  return (
    <Badge tone={isOn ? 'good' : 'neutral'} icon={isOn ? <Check aria-hidden /> : <X aria-hidden />}>
      {text ?? (isOn ? words.on : words.off)}
    </Badge>
  );
}

function Mark({ isMet }: { readonly isMet: boolean }) {
  const Icon = isMet ? Check : X;
  return (
    <Icon
      size={14}
      role="img"
      aria-label={isMet ? words.reasons.constraintMet : words.reasons.constraintNotMet}
      className={isMet ? own.met : own.notMet}
    />
  );
}

function leadOf({ disabled, result }: Strategy): string {
  if (disabled) return words.reasons.disabled;
  if (result.enabled === 'unknown') return words.reasons.unknown;
  return result.enabled ? words.reasons.met : words.reasons.notMet;
}

/** Why one strategy is met or not: each constraint and segment with its result. */
function StrategyReason({ strategy }: { readonly strategy: Strategy }) {
  const { name, title, constraints, segments, parameters, disabled, result } = strategy;
  const allMet = [...constraints, ...segments].every((one) => one.result);
  return (
    <li className={own.reason}>
      <p className={styles.row}>
        {result.enabled === 'unknown' ? <CircleHelp size={14} aria-hidden /> : <Mark isMet={result.enabled === true} />}
        <span className={styles.quiet}>{leadOf(strategy)}</span>
      </p>
      <p>
        {title && <strong>{title}: </strong>}
        <RuleSentence strategy={{ name, parameters, constraints, segments: segments.map((one) => one.name) }} />
      </p>
      {!disabled && constraints.length + segments.length > 0 && (
        <ul className={own.checks}>
          {constraints.map((one) => (
            <li key={JSON.stringify(one)}>
              <Mark isMet={one.result} /> <span>{constraintText(one)}</span>
            </li>
          ))}
          {segments.map((one) => (
            <li key={one.id}>
              <Mark isMet={one.result} /> <span>{words.reasons.segment(one.name)}</span>
            </li>
          ))}
        </ul>
      )}
      {!disabled && result.enabled === false && allMet && name === 'flexibleRollout' && (
        <p className={styles.quiet}>{words.reasons.rollout}</p>
      )}
    </li>
  );
}

/** One result with its reasons, from the environment down to each constraint. */
export function ResultReasons({ result }: { readonly result: Result }) {
  const { strategies, hasUnsatisfiedDependency, isEnabledInCurrentEnvironment, isEnabled, variant } = result;
  return (
    <div className={styles.stack}>
      <p className={styles.row}>
        <OnOff isOn={isEnabled} />
        {isEnabled && variant && variant.name !== 'disabled' && (
          <Badge tone="accent">{words.variant(variant.name)}</Badge>
        )}
      </p>
      <ul className={own.reasons}>
        {!isEnabledInCurrentEnvironment && <li className={own.reason}>{words.reasons.environmentOff}</li>}
        {hasUnsatisfiedDependency && <li className={own.reason}>{words.reasons.parent}</li>}
        {strategies.data.length === 0 && isEnabledInCurrentEnvironment && (
          <li className={own.reason}>{words.reasons.noStrategies}</li>
        )}
        {strategies.data.map((strategy) => (
          <StrategyReason key={strategy.id} strategy={strategy} />
        ))}
      </ul>
    </div>
  );
}
