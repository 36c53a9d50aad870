import { useMemo, useRef } from 'react';
import { useEnvironments } from '../../data/settings.ts';
import type { Feature } from '../../domain/model.ts';
import { useShortcut } from '../../keys/registry.ts';
import { feature as words } from '../../words/en/flags/feature.ts';
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
  const columns = useRef<HTMLDivElement>(null);
  /** Moves the focus to the switch of the environment beside the one that has the focus. */
  const move = (by: 1 | -1) => {
    const all = [...(columns.current?.children ?? [])];
    const at = all.findIndex((column) => column.contains(document.activeElement));
    const to = at < 0 ? all.at(by > 0 ? 0 : -1) : all[at + by];
    to?.querySelector<HTMLElement>('[role=switch]')?.focus();
  };
  const group = words.tabs.environments;
  useShortcut({ keys: ']', label: words.nextEnvironment, group, run: () => move(1) });
  useShortcut({ keys: '[', label: words.previousEnvironment, group, run: () => move(-1) });
  return (
    <div ref={columns} className={styles.columns}>
      {names.map((name) => (
        <EnvironmentColumn key={name} flag={flag} environment={name} all={names} />
      ))}
    </div>
  );
}
