import { ShieldCheck } from 'lucide-react';
import { kit as words } from '../../words/en/kit.ts';
import { classes } from '../classes.ts';
import styles from './EnvironmentMark.module.css';

export interface EnvironmentMarkProps {
  readonly name: string;
  readonly production: boolean;
  /** Changes need a change request. */
  readonly protected?: boolean;
}

/** The name of an environment. Production has a word beside it, unless its name is that word. */
export function EnvironmentMark({ name, production, protected: isProtected = false }: EnvironmentMarkProps) {
  return (
    <span className={classes(styles.mark, production && styles.production)}>
      <span className={styles.sign} />
      <span className={styles.name}>{name}</span>
      {production && name !== 'production' && <span className={styles.word}>{words.production}</span>}
      {isProtected && <ShieldCheck role="img" aria-label={words.protected} className={styles.shield} />}
    </span>
  );
}

/** For a card, a column or a dialog that changes production: an edge. Use it with an EnvironmentMark, which has the word. */
export function productionEdge(production: boolean): string | undefined {
  return production ? styles.edge : undefined;
}
