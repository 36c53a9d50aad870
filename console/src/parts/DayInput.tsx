import { TextInput } from '../kit/inputs/TextInput.tsx';
import styles from './parts.module.css';
import { useTyped } from './use-typed.ts';

/** Each digit of a year that is typed makes another day of the control. */
const PAUSE_MS = 1000;

interface DayInputProps {
  readonly label: string;
  /** As 2026-11-27. Empty: any. */
  readonly value: string;
  /** Called when the control is left, or after a pause. */
  readonly onChange: (day: string) => void;
}

/** One end of a time, as a filter of a list. */
export function DayInput({ label, value, onChange }: DayInputProps) {
  const { text, setText, setNow } = useTyped(value, onChange, PAUSE_MS);
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
      value={text}
      onChange={(event) => setText(event.target.value)}
      onBlur={setNow}
    />
  );
}
