import { Pencil, Plus, Trash2 } from 'lucide-react';
import { useMay } from '../../data/may.ts';
import { Button } from '../../kit/inputs/Button.tsx';
import { IconButton } from '../../kit/inputs/IconButton.tsx';
import { numberText } from '../../kit/texts/number-text.ts';
import { TimeText } from '../../kit/texts/TimeText.tsx';
import { Words } from '../../save/Words.tsx';
import { feature as featureWords } from '../../words/en/flags/feature.ts';
import { plans as words } from '../../words/en/flags/release.ts';
import parts from '../parts/parts.module.css';
import type { Safeguard } from './plan-data.ts';
import styles from './Release.module.css';
import type { PlanProps } from './ReleasePlan.tsx';
import { usePlanAsk } from './use-plan-ask.ts';

/** The condition of a safeguard in words. */
export const guardText = ({ metricName, aggregation, operator, threshold, windowMinutes }: Safeguard) =>
  words.guardWords(
    metricName,
    words.aggregations[aggregation],
    words.operators[operator],
    numberText(threshold),
    windowMinutes,
  );

/** What stops the plan. */
export function Safeguards({ flag, environment, plan }: PlanProps) {
  const { ask } = usePlanAsk();
  const mayNotUpdate = useMay('UPDATE_FEATURE_STRATEGY', flag.project, environment);
  const reason = (flag.archived ? featureWords.archivedBanner : undefined) ?? mayNotUpdate;
  return (
    <div className={styles.guards}>
      <div className={parts.between}>
        <h4 className={parts.label}>{words.safeguards}</h4>
        <Button
          size="small"
          icon={<Plus aria-hidden />}
          reason={reason}
          aria-label={words.addGuard}
          onClick={() => ask(environment, 'guard')}
        >
          {words.addShort}
        </Button>
      </div>
      {plan.safeguards.length === 0 && <p className={parts.quiet}>{words.noGuards}</p>}
      {plan.safeguards.map((guard) => (
        <div key={guard.id} className={styles.guard}>
          <div className={styles.guardText}>
            <Words text={`${guardText(guard)}: ${words.guardActions[guard.action]}`} />
            {guard.triggeredAt !== null && (
              <p className={parts.quiet}>
                {words.tripped(numberText(guard.triggeredValue ?? 0))} <TimeText at={guard.triggeredAt} />
              </p>
            )}
          </div>
          <IconButton
            size="small"
            icon={<Pencil aria-hidden />}
            label={words.editGuard(guard.metricName)}
            reason={reason}
            onClick={() => ask(environment, 'guard', guard.id)}
          />
          <IconButton
            size="small"
            icon={<Trash2 aria-hidden />}
            label={words.removeGuard(guard.metricName)}
            reason={reason}
            onClick={() => ask(environment, 'unguard', guard.id)}
          />
        </div>
      ))}
    </div>
  );
}
