import { type ReactNode, useEffect, useState } from 'react';
import { classes } from '../kit/classes.ts';
import { shell } from '../words/en/shell.ts';
import styles from './Page.module.css';
import { ActionSlot } from './PageAction.tsx';

interface PageProps {
  readonly title: ReactNode;
  /** For the title of the window, where `title` is not a text. */
  readonly name?: string;
  /** Above the title: where it belongs. */
  readonly above?: ReactNode;
  readonly actions?: ReactNode;
  /** Below the title, from edge to edge: links to the screens that belong together. */
  readonly tabs?: ReactNode;
  readonly children: ReactNode;
  /** The panel at the right. */
  readonly inspector?: ReactNode;
  /** The screen is as high as the window, and its list scrolls. */
  readonly isFull?: boolean;
}

/** The title, the actions and the content of a screen, with the inspector beside it. */
export function Page({ title, name, above, actions, tabs, children, inspector, isFull = false }: PageProps) {
  const [slot, setSlot] = useState<HTMLElement | null>(null);
  const text = name ?? (typeof title === 'string' ? title : '');
  useEffect(() => {
    document.title = text ? `${text} · ${shell.product}` : shell.product;
  }, [text]);
  return (
    <div className={classes(styles.page, isFull && styles.full)}>
      <div className={styles.main}>
        <header className={styles.header}>
          <div className={styles.titles}>
            {above && <div className={styles.above}>{above}</div>}
            <h1 className={styles.title}>{title}</h1>
          </div>
          <div className={styles.actions}>
            {actions}
            <span ref={setSlot} className={styles.slot} />
          </div>
        </header>
        {tabs}
        <ActionSlot value={slot}>{children}</ActionSlot>
      </div>
      {inspector}
    </div>
  );
}

/** The content of a screen that is not a list over the whole width. */
export function PageBody({ children }: { readonly children: ReactNode }) {
  return <div className={styles.body}>{children}</div>;
}
