import { type ReactNode, useLayoutEffect, useRef } from 'react';
import { useShortcut } from '../../keys/registry.ts';
import { kit as words } from '../../words/en/kit.ts';
import { classes } from '../classes.ts';
import { Button } from '../inputs/Button.tsx';
import { focusNear } from '../overlays/focus-return.ts';
import { Kbd } from '../texts/Kbd.tsx';
import styles from './DraftBar.module.css';

const KEYS = 'mod+enter';

export interface DraftBarProps {
  /** How many changes are not saved. With none, nothing is shown. */
  readonly count: number;
  /** Shows the difference, who changes, and asks for a reason. */
  readonly onReview: () => void;
  /** Instead of "Review", where it saves. */
  readonly label?: string;
  readonly onDiscard: () => void;
  /** Some of the changes are for production. */
  readonly production?: boolean;
  readonly pending?: boolean;
  /** Why it cannot be saved. */
  readonly reason?: string | undefined;
  /** Another bar of the page has the key. */
  readonly hasNoKey?: boolean;
  /** Such as who else edits it. */
  readonly children?: ReactNode;
}

/** "3 unsaved changes · Review · Discard", at the bottom of whatever is edited. */
export function DraftBar(props: DraftBarProps) {
  return props.count === 0 ? null : <Bar {...props} />;
}

function Bar({
  count,
  onReview,
  label = words.review,
  onDiscard,
  production,
  pending,
  reason,
  hasNoKey,
  children,
}: DraftBarProps) {
  const bar = useRef<HTMLDivElement>(null);
  const button = useRef<HTMLButtonElement>(null);
  // A button that cannot be used says why when it has the focus.
  const review = () => (pending || reason !== undefined ? button.current?.focus() : onReview());
  const group = words.unsavedChanges;
  useShortcut(hasNoKey ? undefined : { keys: KEYS, label, group, run: review });
  useLayoutEffect(() => {
    const shown = bar.current;
    return () => {
      if (shown?.contains(document.activeElement)) focusNear(shown);
    };
  }, []);
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset is for fields, and a section would be a landmark.
    <div
      ref={bar}
      role="group"
      aria-label={words.draft}
      className={classes(styles.bar, production && styles.production)}
    >
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
        <Button ref={button} kind="primary" size="small" pending={pending} reason={reason} onClick={onReview}>
          {label}
          {!hasNoKey && <Kbd keys={KEYS} />}
        </Button>
      </div>
    </div>
  );
}
