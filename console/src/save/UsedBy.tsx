import { Link } from 'wouter';
import { path } from '../paths.ts';
import styles from './UsedBy.module.css';

export interface Use {
  readonly id: string;
  readonly featureName: string;
  readonly projectId: string;
  readonly environment: string;
}

/** The strategies that use something, with links to their flags. */
export function UsedBy({ uses, none }: { readonly uses: readonly Use[]; readonly none: string }) {
  if (uses.length === 0) return <p className={styles.none}>{none}</p>;
  return (
    <ul className={styles.uses}>
      {uses.map(({ id, featureName, projectId, environment }) => (
        <li key={id}>
          <Link className={styles.link} href={path('feature', { projectId, featureId: featureName })}>
            <code>{featureName}</code>
          </Link>{' '}
          <span className={styles.none}>
            {projectId} · {environment}
          </span>
        </li>
      ))}
    </ul>
  );
}
