import { X } from 'lucide-react';
import type { ReactNode } from 'react';
import { kit as words } from '../../words/en/kit.ts';
import { classes } from '../classes.ts';
import styles from './Badge.module.css';

export type Tone = 'neutral' | 'good' | 'warn' | 'bad' | 'accent' | 'production';

export interface BadgeProps {
  readonly tone?: Tone;
  /** A state is a word with an icon or a dot, never a colour alone. */
  readonly icon?: ReactNode;
  readonly dot?: boolean;
  readonly children: ReactNode;
}

/** A state in a word. */
export function Badge({ tone = 'neutral', icon, dot = false, children }: BadgeProps) {
  return (
    <span data-tone={tone} className={styles.badge}>
      {dot && <span className={styles.dot} />}
      {icon}
      {children}
    </span>
  );
}

export interface TagProps {
  readonly type?: string;
  readonly value: string;
  readonly onRemove?: () => void;
  /** It takes more lines where its value is long. Otherwise the value is cut. */
  readonly wraps?: boolean;
}

/** A tag of a flag, `team:payments`, or a chosen value that can be removed. */
export function Tag({ type, value, onRemove, wraps = false }: TagProps) {
  return (
    <span className={classes(styles.tag, wraps && styles.wraps)} title={value}>
      {type && <span className={styles.type}>{type}:</span>}
      <span className={styles.value}>{value}</span>
      {onRemove && (
        <button type="button" className={styles.remove} aria-label={words.remove(value)} onClick={onRemove}>
          <X size={12} aria-hidden />
        </button>
      )}
    </span>
  );
}
