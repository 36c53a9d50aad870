import { Lock } from 'lucide-react';
import { kit as words } from '../../words/en/kit.ts';
import { classes } from '../classes.ts';
import { Tooltip } from '../overlays/Tooltip.tsx';
import styles from './Switch.module.css';

export interface SwitchProps {
  readonly checked: boolean;
  /** Said before it is pressed: it saves at once and offers an undo, it joins the draft, or it opens the review. */
  readonly does: keyof typeof words.switches;
  readonly onChange: (checked: boolean) => void;
  /** What it switches, such as "new-checkout in production". Read, not shown. */
  readonly label: string;
  /** Production, or an environment with change requests: has an edge. */
  readonly guarded?: boolean;
  readonly pending?: boolean;
  readonly reason?: string | undefined;
  readonly tabIndex?: number;
}

export function Switch({
  checked,
  does,
  onChange,
  label,
  guarded = false,
  pending = false,
  reason,
  tabIndex,
}: SwitchProps) {
  const isBlocked = pending || reason !== undefined;
  const text = reason ?? words.switches[does];
  const input = (
    <input
      type="checkbox"
      role="switch"
      aria-checked={checked}
      className={styles.input}
      checked={checked}
      aria-label={label}
      aria-disabled={isBlocked || undefined}
      aria-busy={pending || undefined}
      tabIndex={tabIndex}
      onClick={isBlocked ? (event) => event.preventDefault() : undefined}
      onChange={(event) => !isBlocked && onChange(event.target.checked)}
    />
  );
  return (
    <span className={classes(styles.switch, guarded && styles.guarded)}>
      <Tooltip text={text}>{input}</Tooltip>
      {reason !== undefined && <Lock aria-hidden className={styles.lock} />}
    </span>
  );
}
