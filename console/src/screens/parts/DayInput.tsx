import { TextInput } from '../../kit/inputs/TextInput.tsx';
import styles from './parts.module.css';

interface DayInputProps {
  readonly label: string;
  /** As 2026-11-27. Empty: any. */
  readonly value: string;
  readonly onChange: (day: string) => void;
}

/** One end of a time, as a filter of a list. */
export function DayInput({ label, value, onChange }: DayInputProps) {
  return (
    <TextInput
      className={styles.day}
      type="date"
      aria-label={label}
      leading={
        <span className={styles.quiet} aria-hidden>
          {label}
        </span>
      }
      value={value}
      onChange={(event) => onChange(event.target.value)}
    />
  );
}
