import { Check, Minus } from 'lucide-react';
import type { ReactNode } from 'react';
import { classes } from '../classes.ts';
import { Tooltip } from '../overlays/Tooltip.tsx';
import styles from './Checkbox.module.css';

export interface CheckboxProps {
  readonly checked: boolean;
  readonly onChange: (checked: boolean) => void;
  readonly label: ReactNode;
  readonly hint?: ReactNode;
  /** Some of what it stands for is chosen. */
  readonly mixed?: boolean;
  readonly isLabelHidden?: boolean;
  readonly reason?: string | undefined;
  readonly tabIndex?: number;
}

export function Checkbox(props: CheckboxProps) {
  const { checked, onChange, label, hint, mixed = false, isLabelHidden = false, reason, tabIndex } = props;
  const isBlocked = reason !== undefined;
  // A list has a box in each row: a hidden text would cost the browser more to paint than all that is seen of the row.
  const name = isLabelHidden && typeof label === 'string' ? label : undefined;
  const box = (
    <input
      type="checkbox"
      className={styles.input}
      checked={checked}
      ref={(input) => {
        if (input && input.indeterminate !== mixed) input.indeterminate = mixed;
      }}
      tabIndex={tabIndex}
      aria-label={name}
      aria-disabled={isBlocked || undefined}
      onClick={isBlocked ? (event) => event.preventDefault() : undefined}
      onChange={(event) => !isBlocked && onChange(event.target.checked)}
    />
  );
  return (
    // biome-ignore lint/a11y/noLabelWithoutControl: the control is in the variable.
    <label className={classes(styles.label, isBlocked && styles.blocked)}>
      <span className={styles.box}>
        {reason === undefined ? box : <Tooltip text={reason}>{box}</Tooltip>}
        {mixed ? <Minus aria-hidden /> : checked && <Check aria-hidden />}
      </span>
      {name === undefined && (
        <span className={classes(isLabelHidden && 'visually-hidden')}>
          {label}
          {hint && <span className={styles.hint}>{hint}</span>}
        </span>
      )}
    </label>
  );
}
