import { useEffect, useRef } from 'react';
import { Link } from 'wouter';
import styles from './Tabs.module.css';

export interface TabLinksProps<Value extends string> {
  readonly label: string;
  readonly tabs: readonly { readonly value: Value; readonly label: string; readonly href: string }[];
  readonly value: Value;
}

/** Tabs that are screens of their own: links, which look like tabs. */
export function TabLinks<Value extends string>({ label, tabs, value }: TabLinksProps<Value>) {
  const list = useRef<HTMLElement>(null);
  // A narrow window shows a part of the tabs.
  // biome-ignore lint/correctness/useExhaustiveDependencies: the value decides which tab is the current one.
  useEffect(() => {
    list.current?.querySelector('[aria-current=page]')?.scrollIntoView({ block: 'nearest', inline: 'nearest' });
  }, [value]);
  return (
    <nav ref={list} aria-label={label} className={styles.list} data-tabs>
      {tabs.map((tab) => (
        <Link
          key={tab.value}
          href={tab.href}
          className={styles.tab}
          aria-current={tab.value === value ? 'page' : undefined}
        >
          {tab.label}
        </Link>
      ))}
    </nav>
  );
}
