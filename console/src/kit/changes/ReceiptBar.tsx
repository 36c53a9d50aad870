import { CircleAlert, CircleCheck, Undo2, X } from 'lucide-react';
import { Fragment } from 'react';
import { kit as words } from '../../words/en/kit.ts';
import { classes } from '../classes.ts';
import { Button } from '../inputs/Button.tsx';
import { IconButton } from '../inputs/IconButton.tsx';
import bar from '../notices/Bar.module.css';
import styles from './ReceiptBar.module.css';

export interface Receipt {
  readonly revision: number;
  /** SDKs that follow the flag's environments, and how many of them were given the revision. */
  readonly followed: number;
  readonly given: number;
  /** SDKs of which Burgee does not know what they have. */
  readonly unknown: number;
  /** Half of them were given it within so long. */
  readonly medianMs?: number;
  readonly slowest?: { readonly name: string; readonly environment: string };
  /** Some have not asked for much longer than they do otherwise. */
  readonly isStalled?: boolean;
}

export interface ReceiptBarProps {
  /** Undefined until the first report. */
  readonly receipt: Receipt | undefined;
  readonly onUndo?: (() => void) | undefined;
  /** The button for it gets the focus when it appears. */
  readonly isUndoFocused?: boolean;
  readonly onDetails?: (() => void) | undefined;
  readonly onDismiss?: (() => void) | undefined;
}

/** How far a save has come: "r48213 · given to 97 % of 412 SDKs · half of them within 0.2 s · slowest: billing (staging)". */
export function ReceiptBar({ receipt, onUndo, isUndoFocused = false, onDetails, onDismiss }: ReceiptBarProps) {
  const isDone = receipt !== undefined && receipt.given >= receipt.followed;
  const isStalled = receipt?.isStalled === true && !isDone;
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset is for fields, and a section would be a landmark.
    <div
      role="group"
      aria-label={words.receipt}
      className={classes(bar.bar, styles.receipt, isStalled && styles.stalled)}
    >
      <div className={styles.said}>
        <span className={classes(styles.sign, isDone && styles.done)}>
          {isStalled ? (
            <CircleAlert aria-hidden />
          ) : isDone ? (
            <CircleCheck aria-hidden />
          ) : (
            <span className={styles.pulse} />
          )}
        </span>
        <p className={bar.text}>{receipt ? factsOf(receipt) : words.saved}</p>
      </div>
      <div className={bar.actions}>
        {onDetails && (
          <Button kind="quiet" size="small" onClick={onDetails}>
            {words.details}
          </Button>
        )}
        {onUndo && (
          <Button size="small" icon={<Undo2 aria-hidden />} autoFocus={isUndoFocused} onClick={onUndo}>
            {words.undo}
          </Button>
        )}
        {onDismiss && <IconButton size="small" icon={<X aria-hidden />} label={words.dismiss} onClick={onDismiss} />}
      </div>
      {receipt && receipt.followed > 0 && !isDone && (
        <progress className={styles.progress} max={receipt.followed} value={receipt.given} aria-label={words.receipt} />
      )}
    </div>
  );
}

function factsOf({ revision, followed, given, unknown, medianMs, slowest }: Receipt) {
  const facts = [
    followed === 0 ? words.noSdks : given >= followed ? words.givenToAll(followed) : words.givenTo(given, followed),
    medianMs !== undefined && given > 0 ? words.halfWithin(medianMs, followed) : '',
    slowest && given < followed ? words.slowest(slowest.name, slowest.environment) : '',
    unknown > 0 ? words.unknown(unknown) : '',
  ].filter(Boolean);
  return (
    <>
      <span className={styles.revision}>r{revision}</span>
      {facts.map((fact) => (
        <Fragment key={fact}>
          <span className={styles.dot}> · </span>
          {fact}
        </Fragment>
      ))}
    </>
  );
}
