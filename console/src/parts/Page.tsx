import type { ReactNode } from 'react';
import { NumberText } from '../kit/texts/NumberText.tsx';
import { Page as ShellPage } from '../page/Page.tsx';
import styles from './parts.module.css';

export interface PageProps {
  /** Also the title of the window. */
  readonly name: string;
  /** Shown instead of the name. */
  readonly title?: ReactNode;
  readonly above?: ReactNode;
  readonly count?: number | undefined;
  readonly lead?: ReactNode;
  readonly actions?: ReactNode;
  readonly tabs?: ReactNode;
  readonly children: ReactNode;
}

/** A screen of settings: the title with a count, a sentence about the screen, and the content in a column. */
export function Page({ name, title, above, count, lead, actions, tabs, children }: PageProps) {
  const shown = (
    <>
      {title ?? name}
      {count !== undefined && (
        <span className={styles.count}>
          <NumberText value={count} />
        </span>
      )}
    </>
  );
  return (
    <ShellPage name={name} title={shown} above={above} actions={actions} tabs={tabs}>
      <div className={styles.body}>
        {lead && <p className={styles.lead}>{lead}</p>}
        {children}
      </div>
    </ShellPage>
  );
}
