import { type ReactNode, useEffect } from 'react';
import type { Chosen } from '../domain/tried-contexts.ts';
import styles from './Save.module.css';
import { whoParts } from './who-parts.ts';

interface ContextsRowProps {
  readonly onChange: (chosen: Chosen) => void;
  /** What else is chosen, of made-up contexts. */
  readonly children?: ReactNode;
}

/** The choice of contexts. Until it is loaded, contexts are made up. */
export function ContextsRow({ onChange, children }: ContextsRowProps) {
  const parts = whoParts.useParts();
  useEffect(() => whoParts.load(), []);
  const chosen = parts && <parts.ContextsChoice onChange={onChange}>{children}</parts.ContextsChoice>;
  return chosen ?? <div className={styles.line}>{children}</div>;
}
