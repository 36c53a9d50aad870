import type { ReactNode } from 'react';
import { CodeBlock } from '../texts/CodeBlock.tsx';
import styles from './EmptyState.module.css';

export interface EmptyStateProps {
  readonly icon?: ReactNode;
  /** One sentence. */
  readonly sentence: string;
  /** One button. */
  readonly action?: ReactNode;
  /** One command that works when it is pasted. */
  readonly command?: string;
  readonly commandLabel?: string;
}

export function EmptyState({ icon, sentence, action, command, commandLabel }: EmptyStateProps) {
  return (
    <div className={styles.empty} data-empty>
      {icon && <span className={styles.icon}>{icon}</span>}
      <p className={styles.sentence}>{sentence}</p>
      {action}
      {command && (
        <div className={styles.command}>
          <CodeBlock code={command} label={commandLabel ?? command} />
        </div>
      )}
    </div>
  );
}
