import { Pencil, Plus, Trash2 } from 'lucide-react';
import { Link } from 'wouter';
import { useMay } from '../data/may.ts';
import type { Feature } from '../domain/model.ts';
import { Button } from '../kit/inputs/Button.tsx';
import { IconButton } from '../kit/inputs/IconButton.tsx';
import { TimeText } from '../kit/texts/TimeText.tsx';
import parts from '../parts/parts.module.css';
import { path } from '../paths.ts';
import { Words } from '../save/Words.tsx';
import { feature as featureWords } from '../words/en/flags/feature.ts';
import { guards as words } from '../words/en/flags/safeguards.ts';
import { numberText } from '../words/number-text.ts';
import type { Plan, Safeguard, SafeguardCheck } from './plan-data.ts';
import styles from './Release.module.css';
import { usePlanAsk } from './use-plan-ask.ts';

/** What a safeguard compares: its metric, or its query. */
export const measureOf = ({ query, metricName }: Pick<Safeguard, 'query' | 'metricName'>) => query ?? metricName;

/** The condition of a safeguard in words. */
function guardText({ metricName, query, aggregation, operator, threshold, windowMinutes }: Safeguard): string {
  const limit = [words.operators[operator], numberText(threshold)] as const;
  return query === null
    ? words.guardWords(metricName, words.aggregations[aggregation], ...limit, windowMinutes)
    : words.queryWords(query, ...limit);
}

interface GuardProps {
  readonly flag: Feature;
  readonly guard: Safeguard;
  readonly check: SafeguardCheck | undefined;
}

/** What a safeguard last measured, and what it did. */
function Outcome({ flag, guard, check }: GuardProps) {
  const { triggeredAt, triggeredValue, changeRequest } = guard;
  return (
    <>
      {check && (
        <p className={parts.quiet}>
          {check.problem ?? words.compared(numberText(check.value ?? 0))} <TimeText at={check.checkedAt} />
        </p>
      )}
      {triggeredAt !== null && (
        <p className={parts.quiet}>
          {words.tripped(numberText(triggeredValue ?? 0))} <TimeText at={triggeredAt} />
        </p>
      )}
      {changeRequest !== null && (
        <Link className={parts.inline} href={path('changeRequest', { projectId: flag.project, id: changeRequest })}>
          {words.opened(changeRequest)}
        </Link>
      )}
    </>
  );
}

interface SafeguardsProps {
  readonly flag: Feature;
  readonly environment: string;
  /** Undefined: those of the flag itself. */
  readonly plan: Plan | undefined;
  readonly guards: readonly Safeguard[];
  readonly checks: readonly SafeguardCheck[];
}

/** What stops the plan, or switches the flag off. */
export function Safeguards({ flag, environment, plan, guards, checks }: SafeguardsProps) {
  const { ask } = usePlanAsk();
  const mayNotUpdate = useMay('UPDATE_FEATURE_STRATEGY', flag.project, environment);
  const reason = (flag.archived ? featureWords.archivedBanner : undefined) ?? mayNotUpdate;
  const acts = plan
    ? ({ set: 'guard', remove: 'unguard' } as const)
    : ({ set: 'flagguard', remove: 'flagunguard' } as const);
  // Below the heading of the plan, or of the environment.
  const Heading = plan ? 'h4' : 'h3';
  return (
    <section className={styles.guards} aria-label={plan ? words.safeguards : words.ofFlag}>
      <div className={parts.between}>
        <Heading className={parts.label}>{plan ? words.safeguards : words.ofFlag}</Heading>
        <Button
          size="small"
          icon={<Plus aria-hidden />}
          reason={reason}
          aria-label={words.addGuard}
          onClick={() => ask(environment, acts.set)}
        >
          {words.addShort}
        </Button>
      </div>
      {guards.length === 0 && <p className={parts.quiet}>{words.noGuards}</p>}
      {guards.map((guard) => (
        <div key={guard.id} className={styles.guard}>
          <div className={styles.guardText}>
            <Words text={`${guardText(guard)}: ${plan ? words.guardActions[guard.action] : words.switchesOff}`} />
            <Outcome flag={flag} guard={guard} check={checks.find(({ safeguardId }) => safeguardId === guard.id)} />
          </div>
          <IconButton
            size="small"
            icon={<Pencil aria-hidden />}
            label={words.editGuard(measureOf(guard))}
            reason={reason}
            onClick={() => ask(environment, acts.set, guard.id)}
          />
          <IconButton
            size="small"
            icon={<Trash2 aria-hidden />}
            label={words.removeGuard(measureOf(guard))}
            reason={reason}
            onClick={() => ask(environment, acts.remove, guard.id)}
          />
        </div>
      ))}
    </section>
  );
}
