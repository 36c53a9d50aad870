import { type Conflict, decide } from '../domain/merge.ts';
import type { Constraint, EnvironmentSettings } from '../domain/model.ts';
import { Button } from '../kit/inputs/Button.tsx';
import { Banner } from '../kit/notices/Banner.tsx';
import { constraintWords } from '../words/en/rule-sentences.ts';
import { save as words } from '../words/en/save.ts';
import styles from './Save.module.css';
import { Words } from './Words.tsx';

function shown(field: string, value: unknown): string {
  if (value === null || value === undefined) return '—';
  if (field === 'constraints') return (value as Constraint[]).map(constraintWords).join(' and ') || '—';
  return typeof value === 'object' ? JSON.stringify(value) : `\`${String(value)}\``;
}

interface ConflictsProps {
  readonly settings: EnvironmentSettings;
  readonly conflicts: readonly Conflict[];
  readonly onDecide: (settings: EnvironmentSettings, left: readonly Conflict[]) => void;
}

/** Fields that two people changed: each is decided, so that nothing is lost by accident. */
export function Conflicts({ settings, conflicts, onDecide }: ConflictsProps) {
  const choose = (conflict: Conflict, side: 'mine' | 'theirs') =>
    onDecide(
      decide(settings, conflict, side),
      conflicts.filter((one) => one !== conflict),
    );
  return (
    <div className={styles.conflicts}>
      <Banner tone="warn">{words.changedMeanwhile}</Banner>
      {conflicts.map((conflict) => (
        <fieldset key={`${conflict.strategy} ${conflict.field}`} className={styles.conflict}>
          <legend>
            {words.conflicts}: {words.fields[conflict.field] ?? conflict.field}
          </legend>
          <p>
            <span className={styles.quiet}>{words.yours}:</span> <Words text={shown(conflict.field, conflict.mine)} />
          </p>
          <p>
            <span className={styles.quiet}>{words.nowSaved}:</span>{' '}
            <Words text={shown(conflict.field, conflict.theirs)} />
          </p>
          <div className={styles.buttons}>
            <Button size="small" onClick={() => choose(conflict, 'mine')}>
              {words.mine}
            </Button>
            <Button size="small" onClick={() => choose(conflict, 'theirs')}>
              {words.theirs}
            </Button>
          </div>
        </fieldset>
      ))}
    </div>
  );
}
