import { type ReactNode, useEffect } from 'react';
import { NumberText } from '../../kit/NumberText.tsx';
import { shell } from '../../words/en/shell.ts';
import styles from './parts.module.css';

export interface PageProps {
  /** Also the title of the window. */
  readonly name: string;
  /** Shown instead of the name. */
  readonly title?: ReactNode;
  readonly count?: number | undefined;
  readonly lead?: ReactNode;
  readonly actions?: ReactNode;
  readonly children: ReactNode;
}

/** The header and the space of a screen. */
export function Page({ name, title, count, lead, actions, children }: PageProps) {
  useEffect(() => {
    document.title = `${name} · ${shell.product}`;
  }, [name]);
  return (
    <div className={styles.page}>
      <header className={styles.header}>
        <h1 className={styles.title}>
          {title ?? name}
          {count !== undefined && (
            <span className={styles.count}>
              <NumberText value={count} />
            </span>
          )}
        </h1>
        {actions && <div className={styles.actions}>{actions}</div>}
      </header>
      {lead && <p className={styles.lead}>{lead}</p>}
      {children}
    </div>
  );
}
