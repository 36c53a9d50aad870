import { type ReactNode, useEffect } from 'react';
import { overlays } from '../lazy-part.ts';

export interface DialogProps {
  readonly open: boolean;
  /** Escape, the close button, or a press outside. */
  readonly onClose: () => void;
  readonly title: ReactNode;
  readonly description?: ReactNode;
  readonly children?: ReactNode;
  /** Where the focus goes afterwards, instead of to where it came from. Returns whether it took it. */
  readonly focusAfter?: (() => boolean) | undefined;
  /** Buttons; the one that does it is the last. */
  readonly footer?: ReactNode;
  readonly size?: 'small' | 'medium' | 'large';
  /** It changes production: has an edge. Its title has the word. */
  readonly production?: boolean;
  /** Something was typed: a press outside does not close it. */
  readonly hasDraft?: boolean;
}

/** For what must be decided now. What is edited beside other things is in an Inspector. */
export function Dialog(props: DialogProps) {
  const parts = overlays.useParts();
  useEffect(() => {
    if (props.open) overlays.load();
  }, [props.open]);
  return parts && <parts.LoadedDialog {...props} />;
}
