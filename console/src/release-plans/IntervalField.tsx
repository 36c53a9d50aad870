import { useState } from 'react';
import { Checkbox } from '../kit/inputs/Checkbox.tsx';
import { Field } from '../kit/inputs/Field.tsx';
import { Select } from '../kit/inputs/Select.tsx';
import { TextInput } from '../kit/inputs/TextInput.tsx';
import { interval as words } from '../words/en/flags/release.ts';
import styles from './Release.module.css';

const MINUTES_OF = { minutes: 1, hours: 60, days: 1440 } as const;
type Unit = keyof typeof MINUTES_OF;
const UNITS = ['days', 'hours', 'minutes'] as const;
const OPTIONS = (['minutes', 'hours', 'days'] as const).map((value) => ({ value, label: words.units[value] }));
/** A year, as the server allows. */
const MINUTES_MAX = 525_600;
const AT_FIRST = MINUTES_OF.days;

const unitOf = (minutes: number): Unit => UNITS.find((unit) => minutes % MINUTES_OF[unit] === 0) ?? 'minutes';

interface Time {
  readonly text: string;
  readonly unit: Unit;
}

function timeOf(minutes: number): Time {
  const unit = unitOf(minutes);
  return { text: String(minutes / MINUTES_OF[unit]), unit };
}

/** Whole minutes: half an hour may be typed as 0.5 hours. 0: it is no time. */
function minutesOf({ text, unit }: Time): number {
  const minutes = Number(text.replace(',', '.')) * MINUTES_OF[unit];
  return minutes >= 1 ? Math.round(minutes) : 0;
}

/** Whether the server accepts the interval; null is no interval. */
export const isInterval = (minutes: number | null) =>
  minutes === null || (Number.isInteger(minutes) && minutes >= 1 && minutes <= MINUTES_MAX);

export const intervalProblem = (minutes: number | null) => (isInterval(minutes) ? undefined : words.wrong);

interface IntervalFieldProps {
  /** Null: the next milestone does not start by itself. */
  readonly minutes: number | null;
  readonly reason?: string | undefined;
  readonly onChange: (minutes: number | null) => void;
}

/** How long a milestone stays before the next one starts by itself. */
export function IntervalField({ minutes, reason, onChange }: IntervalFieldProps) {
  const [typed, setTyped] = useState(() => timeOf(minutes ?? AT_FIRST));
  // What is typed stands for the minutes until they are others, such as after the draft was discarded.
  const { text, unit } = minutes === null || minutesOf(typed) === minutes ? typed : timeOf(minutes);
  const set = (time: Time) => {
    setTyped(time);
    onChange(minutesOf(time));
  };
  return (
    <div className={styles.interval}>
      <Checkbox
        label={words.automatic}
        checked={minutes !== null}
        reason={reason}
        onChange={(isOn) => onChange(isOn ? minutesOf({ text, unit }) : null)}
      />
      {minutes !== null && (
        <div className={styles.time}>
          <Field label={words.after} error={intervalProblem(minutes)}>
            <TextInput
              inputMode="decimal"
              maxLength={8}
              value={text}
              readOnly={reason !== undefined}
              onChange={(event) => set({ text: event.target.value, unit })}
            />
          </Field>
          <Field label={words.unit}>
            <Select options={OPTIONS} value={unit} onChange={(next) => set({ text, unit: next as Unit })} />
          </Field>
        </div>
      )}
    </div>
  );
}
