import { kit as words } from '../../words/en/kit.ts';
import { classes } from '../classes.ts';
import styles from './Skeleton.module.css';

export interface SkeletonProps {
  readonly rows?: number;
  readonly shape?: 'rows' | 'text' | 'card';
}

/** Appears after 200 ms: what loads faster shows nothing in between. */
export function Skeleton({ rows = 3, shape = 'text' }: SkeletonProps) {
  return (
    <div role="status" aria-label={words.loading} className={classes(styles.skeleton, styles[shape])}>
      {Array.from({ length: shape === 'card' ? 1 : rows }, (_, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: all are the same.
        <span key={index} className={styles.bar} />
      ))}
    </div>
  );
}
