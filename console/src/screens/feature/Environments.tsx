import { useMemo } from 'react';
import { useEnvironments } from '../../data/settings.ts';
import type { Feature } from '../../domain/model.ts';
import { EnvironmentColumn } from './EnvironmentColumn.tsx';
import styles from './Environments.module.css';

/** The environments of the flag beside each other, in the order of the instance. */
export function Environments({ flag }: { readonly flag: Feature }) {
  const { data } = useEnvironments();
  const names = useMemo(() => {
    const order = new Map((data ?? []).map(({ name, sortOrder }) => [name, sortOrder]));
    return [...flag.environments]
      .sort((a, b) => (order.get(a.name) ?? a.sortOrder) - (order.get(b.name) ?? b.sortOrder))
      .map(({ name }) => name);
  }, [flag.environments, data]);
  return (
    <div className={styles.columns}>
      {names.map((name) => (
        <EnvironmentColumn key={name} flag={flag} environment={name} all={names} />
      ))}
    </div>
  );
}
