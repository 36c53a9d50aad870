import { type KeyboardEvent, type ReactNode, useEffect, useId, useRef } from 'react';
import { NumberText } from '../texts/NumberText.tsx';
import styles from './Tabs.module.css';

export interface TabsProps<Value extends string> {
  readonly label: string;
  readonly tabs: readonly { readonly value: Value; readonly label: ReactNode; readonly count?: number }[];
  /** The URL has it: the caller reads and writes it. */
  readonly value: Value;
  readonly onChange: (value: Value) => void;
  /** The panel of the chosen tab. */
  readonly children: ReactNode;
}

const tabIn = (list: HTMLElement | null, value: string) =>
  list?.querySelector<HTMLElement>(`[data-value="${CSS.escape(value)}"]`);

export function Tabs<Value extends string>({ label, tabs, value, onChange, children }: TabsProps<Value>) {
  const id = useId();
  const list = useRef<HTMLDivElement>(null);
  // A narrow window shows a part of the tabs.
  useEffect(() => {
    tabIn(list.current, value)?.scrollIntoView({ block: 'nearest', inline: 'nearest' });
  }, [value]);
  const move = (event: KeyboardEvent) => {
    const at = tabs.findIndex((tab) => tab.value === value);
    const next = { ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0, End: tabs.length - 1 }[event.key];
    const tab = next === undefined ? undefined : tabs.at(next % tabs.length);
    if (!tab) return;
    event.preventDefault();
    onChange(tab.value);
    tabIn(list.current, tab.value)?.focus();
  };
  return (
    <>
      <div ref={list} role="tablist" aria-label={label} className={styles.list}>
        {tabs.map((tab) => (
          <button
            key={tab.value}
            type="button"
            role="tab"
            id={`${id}-${tab.value}`}
            data-value={tab.value}
            className={styles.tab}
            aria-selected={tab.value === value}
            aria-controls={tab.value === value ? `${id}-panel` : undefined}
            tabIndex={tab.value === value ? 0 : -1}
            onClick={() => onChange(tab.value)}
            onKeyDown={move}
          >
            {tab.label}
            {tab.count !== undefined && (
              <span className={styles.count}>
                <NumberText value={tab.count} />
              </span>
            )}
          </button>
        ))}
      </div>
      <div role="tabpanel" id={`${id}-panel`} aria-labelledby={`${id}-${value}`} className={styles.panel}>
        {children}
      </div>
    </>
  );
}
