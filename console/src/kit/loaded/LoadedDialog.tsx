import { Dialog } from '@base-ui/react/dialog';
import { X } from 'lucide-react';
import { type ReactNode, type RefObject, useEffect, useMemo, useRef } from 'react';
import { KeyScope, useKeyScope } from '../../keys/registry.ts';
import { kit as words } from '../../words/en/kit.ts';
import { productionEdge } from '../changes/EnvironmentMark.tsx';
import { classes } from '../classes.ts';
import { IconButton } from '../inputs/IconButton.tsx';
import type { DialogProps } from '../overlays/Dialog.tsx';
import { focusReturn } from '../overlays/focus-return.ts';
import { type Submit, SubmitPlace, submitByKey } from '../overlays/submit.tsx';
import styles from './LoadedDialog.module.css';

/** Where the library finds nothing to give the focus back to, it takes what had it before an earlier dialog. So it is given back here. */
function useFocusReturn({ open, focusAfter }: DialogProps, popup: RefObject<HTMLElement | null>) {
  // Before a field in the dialog takes it.
  const giveBack = useMemo(() => (open ? focusReturn() : undefined), [open]);
  const after = useRef(focusAfter);
  useEffect(() => {
    after.current = focusAfter;
  });
  useEffect(() => {
    if (!giveBack) return;
    // What is outside cannot have the focus before the library has opened it again.
    return () => queueMicrotask(() => after.current?.() || giveBack(popup.current));
  }, [giveBack, popup]);
}

export function LoadedDialog(props: DialogProps) {
  const { open, onClose, title, description, children, footer, size = 'medium', production = false, hasDraft } = props;
  const popup = useRef<HTMLDivElement>(null);
  const submit = useRef<Submit>(null);
  useFocusReturn(props, popup);
  return (
    <Dialog.Root open={open} onOpenChange={(next) => !next && onClose()} disablePointerDismissal={hasDraft}>
      <Dialog.Portal>
        <Dialog.Backdrop className={styles.backdrop} />
        <Dialog.Viewport className={styles.viewport}>
          <Dialog.Popup
            ref={popup}
            initialFocus={() => firstOf(popup.current)}
            finalFocus={false}
            onKeyDown={(event) => submitByKey(event, submit)}
            className={classes(styles.popup, styles[size], productionEdge(production))}
          >
            <Scope>
              <SubmitPlace value={submit}>
                <header className={styles.header}>
                  <Dialog.Title className={styles.title}>{title}</Dialog.Title>
                  <Dialog.Close render={<IconButton size="small" icon={<X aria-hidden />} label={words.close} />} />
                </header>
                <div className={styles.body}>
                  {description && <Dialog.Description className={styles.description}>{description}</Dialog.Description>}
                  {children}
                </div>
                {footer && <footer className={styles.footer}>{footer}</footer>}
              </SubmitPlace>
            </Scope>
          </Dialog.Popup>
        </Dialog.Viewport>
      </Dialog.Portal>
    </Dialog.Root>
  );
}

/** The first control that is filled in; where there is none, the dialog itself, so that Enter does nothing unread. */
function firstOf(popup: HTMLElement | null): HTMLElement | false | null {
  const named = popup?.querySelector<HTMLElement>('[data-autofocus]');
  if (!named) return popup?.querySelector<HTMLElement>('input, textarea, [role="combobox"]') ?? popup;
  // What is above it is read first.
  named.focus({ preventScroll: true });
  return false;
}

/** Only shortcuts that are registered inside of the dialog are heard. */
function Scope({ children }: { readonly children: ReactNode }) {
  return <KeyScope value={useKeyScope()}>{children}</KeyScope>;
}
