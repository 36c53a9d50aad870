import type { ComponentPropsWithRef, ReactNode } from 'react';
import { classes } from '../classes.ts';
import { useField } from './Field.tsx';
import styles from './TextInput.module.css';

export interface TextInputProps extends Omit<ComponentPropsWithRef<'input'>, 'size'> {
  /** Names, identifiers and values are in monospace. */
  readonly mono?: boolean;
  readonly size?: 'small' | 'medium';
  readonly leading?: ReactNode;
  readonly trailing?: ReactNode;
}

export function TextInput({ mono = false, size = 'medium', leading, trailing, className, ...rest }: TextInputProps) {
  return (
    <span className={classes(styles.box, size === 'small' && styles.small, className)}>
      {leading}
      <input
        type="text"
        autoComplete="off"
        spellCheck={mono ? false : undefined}
        {...useField()}
        {...rest}
        className={classes(styles.input, mono && styles.mono)}
      />
      {trailing}
    </span>
  );
}

export interface TextAreaProps extends ComponentPropsWithRef<'textarea'> {
  readonly mono?: boolean;
}

/** Grows with its text. */
export function TextArea({ mono = false, className, ...rest }: TextAreaProps) {
  return (
    <textarea
      rows={3}
      spellCheck={mono ? false : undefined}
      {...useField()}
      {...rest}
      className={classes(styles.box, styles.area, mono && styles.mono, className)}
    />
  );
}
