import type { ReactNode } from 'react';
import { kit as words } from '../../words/en/kit.ts';
import { classes } from '../classes.ts';
import { Button } from '../inputs/Button.tsx';
import { Kbd } from '../texts/Kbd.tsx';
import styles from './DraftBar.module.css';

export interface DraftBarProps {
  /** How many changes are not saved. With none, nothing is shown. */
  readonly count: number;
  /** Shows the difference, who changes, and asks for a reason. */
  readonly onReview: () => void;
  readonly onDiscard: () => void;
  /** Some of the changes are for production. */
  readonly production?: boolean;
  readonly pending?: boolean;
  /** Why it cannot be saved. */
  readonly reason?: string | undefined;
  /** Such as who else edits it. */
  readonly children?: ReactNode;
}

/** "3 unsaved changes · Review · Discard", at the bottom of whatever is edited. */
export function DraftBar({ count, onReview, onDiscard, production, pending, reason, children }: DraftBarProps) {
  if (count === 0) return null;
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset is for fields, and a section would be a landmark.
    <div role="group" aria-label={words.draft} className={classes(styles.bar, production && styles.production)}>
      <span className={styles.text}>
        <span className={styles.dot} />
        {words.unsaved(count)}
        {production && <span className={styles.word}>{words.inProduction}</span>}
        {children}
      </span>
      <div className={styles.actions}>
        <Button kind="quiet" size="small" onClick={onDiscard}>
          {words.discard}
        </Button>
        <Button kind="primary" size="small" pending={pending} reason={reason} onClick={onReview}>
          {words.review}
          <Kbd keys="mod+enter" />
        </Button>
      </div>
    </div>
  );
}
