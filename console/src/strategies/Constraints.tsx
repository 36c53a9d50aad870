import { Plus } from 'lucide-react';
import { useUiConfig } from '../data/settings.ts';
import type { Constraint } from '../domain/model.ts';
import { Button } from '../kit/inputs/Button.tsx';
import { useFocusAt } from '../kit/use-focus-at.ts';
import { strategyEditor as words } from '../words/en/flags/feature.ts';
import { ConstraintEditor } from './ConstraintEditor.tsx';
import { isKept } from './condition.ts';
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

const NEW: Constraint = { contextName: '', operator: 'IN', values: [], inverted: false, caseInsensitive: false };

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
  const { group, focusAt } = useFocusAt<HTMLFieldSetElement>(':scope > fieldset');
  const set = (index: number, next: Constraint | null) => {
    if (next === null) focusAt(index);
    onChange(next === null ? constraints.toSpliced(index, 1) : constraints.with(index, next));
  };
  return (
    <fieldset ref={group} className={styles.group}>
      <legend className={styles.legend}>{words.constraints}</legend>
      <p className={styles.quiet}>{words.constraintsHint}</p>
      {constraints.map((constraint, index) => (
        <ConstraintEditor
          // biome-ignore lint/suspicious/noArrayIndexKey: a constraint has no identity.
          key={index}
          place={index}
          constraint={constraint}
          limit={limitOf(constraint)}
          isKept={isKept(constraint, saved)}
          onChange={(next) => set(index, next)}
        />
      ))}
      <div>
        <Button
          size="small"
          icon={<Plus aria-hidden />}
          data-adds
          onClick={() => {
            focusAt(constraints.length);
            onChange([...constraints, NEW]);
          }}
        >
          {words.addConstraint}
        </Button>
      </div>
    </fieldset>
  );
}
