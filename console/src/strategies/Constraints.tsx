import { useUiConfig } from '../data/settings.ts';
import type { Constraint } from '../domain/model.ts';
import { Rows } from '../parts/Rows.tsx';
import { strategyEditor as words } from '../words/en/flags/feature.ts';
import { ConstraintEditor } from './ConstraintEditor.tsx';
import { isKept, NEW_CONDITION } from './condition.ts';
import styles from './Editor.module.css';
import type { ValuesLimit } from './ValuesEditor.tsx';

interface ConstraintsProps {
  readonly constraints: readonly Constraint[];
  /** Those that are saved. */
  readonly saved?: readonly Constraint[] | undefined;
  readonly onChange: (constraints: readonly Constraint[]) => void;
  /** The values of a segment are counted together, those of a strategy by constraint. */
  readonly isSegment?: boolean;
}

const countOf = (constraints: readonly Constraint[]) =>
  constraints.reduce((sum, { values = [] }) => sum + values.length, 0);

/** The limit of values for each of the constraints. */
function useValuesLimit(constraints: readonly Constraint[], isSegment: boolean) {
  const limits = useUiConfig()?.resourceLimits;
  const total = countOf(constraints);
  return ({ values = [] }: Constraint): ValuesLimit | undefined => {
    if (limits === undefined) return undefined;
    const max = isSegment ? limits.segmentValues : limits.constraintValues;
    const exceeded = isSegment ? words.overSegmentLimit(max) : words.overLimit(max);
    return { max, exceeded, others: isSegment ? total - values.length : 0 };
  };
}

/** All constraints of a strategy or of a segment. */
export function Constraints({ constraints, saved, onChange, isSegment = false }: ConstraintsProps) {
  const limitOf = useValuesLimit(constraints, isSegment);
  return (
    <fieldset className={styles.group}>
      <legend className={styles.legend}>{words.constraints}</legend>
      <p className={styles.quiet}>{words.constraintsHint}</p>
      <Rows
        items={constraints}
        nameOf={({ contextName }, index) => words.constraint(contextName || String(index + 1))}
        addLabel={words.addConstraint}
        make={() => NEW_CONDITION}
        onChange={onChange}
      >
        {({ item, remove, onChange: set }) => (
          <ConstraintEditor
            constraint={item}
            limit={limitOf(item)}
            isKept={isKept(item, saved)}
            remove={remove}
            onChange={set}
          />
        )}
      </Rows>
    </fieldset>
  );
}
