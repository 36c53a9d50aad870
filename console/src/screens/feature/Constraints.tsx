import { Plus } from 'lucide-react';
import type { Constraint } from '../../domain/model.ts';
import { Button } from '../../kit/inputs/Button.tsx';
import { strategyEditor as words } from '../../words/en/feature.ts';
import { ConstraintEditor } from './ConstraintEditor.tsx';
import styles from './Editor.module.css';

interface ConstraintsProps {
  readonly constraints: readonly Constraint[];
  readonly onChange: (constraints: readonly Constraint[]) => void;
  readonly project?: string;
}

/** All constraints of a strategy or of a segment. */
export function Constraints({ constraints, onChange }: ConstraintsProps) {
  const set = (index: number, next: Constraint | null) =>
    onChange(next === null ? constraints.toSpliced(index, 1) : constraints.with(index, next));
  return (
    <fieldset className={styles.group}>
      <legend className={styles.legend}>{words.constraints}</legend>
      <p className={styles.quiet}>{words.constraintsHint}</p>
      {constraints.map((constraint, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a constraint has no identity.
        <ConstraintEditor key={index} constraint={constraint} onChange={(next) => set(index, next)} />
      ))}
      <div>
        <Button
          size="small"
          icon={<Plus aria-hidden />}
          onClick={() =>
            onChange([
              ...constraints,
              { contextName: 'userId', operator: 'IN', values: [], inverted: false, caseInsensitive: false },
            ])
          }
        >
          {words.addConstraint}
        </Button>
      </div>
    </fieldset>
  );
}
