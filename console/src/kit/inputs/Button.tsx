import type { ComponentPropsWithRef, ReactNode } from 'react';
import { classes } from '../classes.ts';
import { Tooltip } from '../overlays/Tooltip.tsx';
import styles from './Button.module.css';

export type ButtonKind = 'primary' | 'secondary' | 'quiet' | 'danger' | 'production';
export type ButtonSize = 'small' | 'medium';

interface ButtonLook {
  readonly kind?: ButtonKind;
  readonly size?: ButtonSize;
  /** Only an icon: as wide as high. */
  readonly square?: boolean;
}

/** For a link that looks like a button. */
export function buttonClass({ kind = 'secondary', size = 'medium', square = false }: ButtonLook = {}): string {
  return classes(styles.button, styles[kind], styles[size], square && styles.square);
}

export interface ButtonProps extends ButtonLook, Omit<ComponentPropsWithRef<'button'>, 'disabled'> {
  readonly icon?: ReactNode;
  /** The request runs: the button keeps its width and its focus, and ignores clicks. */
  readonly pending?: boolean;
  /** Why the button cannot be used. It stays focusable, and the reason is its description. */
  readonly reason?: string | undefined;
}

/** The button without the tooltip that shows its reason. */
export function PlainButton({
  kind,
  size,
  square,
  icon,
  pending = false,
  reason,
  onClick,
  className,
  children,
  ...rest
}: ButtonProps) {
  const isBlocked = pending || reason !== undefined;
  return (
    <button
      type="button"
      {...rest}
      className={classes(buttonClass({ kind, size, square }), className)}
      aria-disabled={isBlocked || undefined}
      aria-busy={pending || undefined}
      onClick={isBlocked ? (event) => event.preventDefault() : onClick}
    >
      {icon}
      {children}
      {pending && <span className={styles.spinner} />}
    </button>
  );
}

export function Button(props: ButtonProps) {
  return (
    <Tooltip text={props.reason}>
      <PlainButton {...props} />
    </Tooltip>
  );
}
