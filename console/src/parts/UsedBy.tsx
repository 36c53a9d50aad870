import { useMemo } from 'react';
import { Link } from 'wouter';
import { useProductionNames } from '../data/settings.ts';
import { EnvironmentMark } from '../kit/changes/EnvironmentMark.tsx';
import { path } from '../paths.ts';
import { usedBy as words } from '../words/en/segments.ts';
import styles from './parts.module.css';

interface UsingStrategy {
  readonly id?: string | undefined;
  readonly featureName: string;
  readonly projectId: string;
  readonly environment: string;
  readonly strategyName: string;
}

interface UsingRequest extends UsingStrategy {
  readonly changeRequest: { readonly id: number; readonly title: string };
}

interface UsedByProps {
  readonly title: string;
  readonly strategies: readonly UsingStrategy[];
  readonly requests?: readonly UsingRequest[];
  /** Said where nothing uses it. */
  readonly none?: string;
}

const SHOWN_MAX = 50;

/** The strategies that use an object, by flag, with links to them. */
export function UsedBy({ title, strategies, requests = [], none = words.none }: UsedByProps) {
  const production = useProductionNames();
  const flags = useMemo(() => {
    const found = new Map<string, { project: string; name: string; environments: Set<string> }>();
    for (const { projectId, featureName, environment } of strategies) {
      const flag = found.get(featureName) ?? { project: projectId, name: featureName, environments: new Set<string>() };
      flag.environments.add(environment);
      found.set(featureName, flag);
    }
    return [...found.values()].sort((a, b) => a.name.localeCompare(b.name));
  }, [strategies]);
  const open = new Map(requests.map((one) => [one.changeRequest.id, one]));
  return (
    <section className={styles.stack}>
      <h3 className={styles.heading}>{title}</h3>
      {flags.length === 0 ? (
        <p className={styles.quiet}>{none}</p>
      ) : (
        <div className={styles.list}>
          <ul className={styles.items}>
            {flags.slice(0, SHOWN_MAX).map((flag) => (
              <li key={flag.name}>
                <Link
                  className={`${styles.grow} ${styles.mono} ${styles.link}`}
                  href={path('feature', { projectId: flag.project, featureId: flag.name })}
                >
                  {flag.name}
                </Link>
                {[...flag.environments].map((name) => (
                  <EnvironmentMark key={name} name={name} production={production.has(name)} />
                ))}
              </li>
            ))}
          </ul>
        </div>
      )}
      {flags.length > SHOWN_MAX && <p className={styles.quiet}>{words.more(flags.length - SHOWN_MAX)}</p>}
      {open.size > 0 && (
        <>
          <h3 className={styles.heading}>{words.change}</h3>
          <ul className={styles.stack}>
            {[...open.values()].map(({ changeRequest: { id, title: text }, projectId }) => (
              <li key={id}>
                <Link className={styles.inline} href={path('changeRequest', { projectId, id })}>
                  {text}
                </Link>
              </li>
            ))}
          </ul>
        </>
      )}
    </section>
  );
}
