import { X } from 'lucide-react';
import { type ReactNode, useEffect, useId, useRef } from 'react';
import { kit as words } from '../../words/en/kit.ts';
import { productionEdge } from '../changes/EnvironmentMark.tsx';
import { classes } from '../classes.ts';
import { IconButton } from '../inputs/IconButton.tsx';
import { focusReturn } from './focus-return.ts';
import styles from './Inspector.module.css';
import { type Submit, SubmitPlace, submitByKey } from './submit.tsx';

export interface InspectorProps {
  readonly title: ReactNode;
  readonly onClose: () => void;
  readonly children: ReactNode;
  readonly footer?: ReactNode;
  readonly production?: boolean;
}

/**
 * The panel at the right, where one thing is edited while the page stays usable. The URL says what is open. It takes the focus, Escape
 * closes it, and the focus goes back to where it came from. On a narrow window it covers the page.
 */
export function Inspector(props: InspectorProps) {
  const { title, onClose, children, footer, production = false } = props;
  const id = useId();
  const panel = useRef<HTMLElement>(null);
  const submit = useRef<Submit>(null);
  useEffect(() => {
    const giveBack = focusReturn();
    // A field inside may have taken the focus already.
    if (!panel.current?.contains(document.activeElement)) panel.current?.focus();
    return () => giveBack();
  }, []);
  return (
    <aside
      ref={panel}
      tabIndex={-1}
      aria-labelledby={id}
      data-inspector
      className={classes(styles.inspector, productionEdge(production))}
      onKeyDown={(event) => {
        submitByKey(event, submit);
        if (event.key !== 'Escape' || event.defaultPrevented) return;
        event.preventDefault();
        onClose();
      }}
    >
      <header className={styles.header}>
        <h2 id={id} className={styles.title}>
          {title}
        </h2>
        <IconButton size="small" icon={<X aria-hidden />} label={words.close} keys="escape" onClick={onClose} />
      </header>
      <SubmitPlace value={submit}>
        <div className={styles.body}>{children}</div>
        {footer && <footer className={styles.footer}>{footer}</footer>}
      </SubmitPlace>
    </aside>
  );
}
