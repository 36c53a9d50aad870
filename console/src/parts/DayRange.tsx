import { parts as words } from '../words/en/parts.ts';
import { DayInput } from './DayInput.tsx';
import styles from './parts.module.css';

interface DayRangeProps {
  /** As 2026-11-27. Empty: any, as in `to`. */
  readonly from: string;
  readonly to: string;
  readonly onFrom: (day: string) => void;
  readonly onTo: (day: string) => void;
}

/** The days of the browser's time zone from which and up to which a list is filtered. Both are included. */
export function DayRange({ from, to, onFrom, onTo }: DayRangeProps) {
  return (
    <>
      <DayInput label={words.from} value={from} onChange={onFrom} />
      <DayInput label={words.to} value={to} onChange={onTo} />
      <span className={styles.quiet}>{words.timeZone(Intl.DateTimeFormat().resolvedOptions().timeZone)}</span>
    </>
  );
}
