import { useState } from 'react';
import { Checkbox } from '../../kit/inputs/Checkbox.tsx';
import { TextInput } from '../../kit/inputs/TextInput.tsx';
import { Popover } from '../../kit/overlays/Popover.tsx';
import { features as words } from '../../words/en/features.ts';
import styles from './Filters.module.css';

export interface FilterOption {
  readonly value: string;
  readonly label: string;
}

interface FilterValuesProps {
  readonly label: string;
  readonly options: readonly FilterOption[];
  readonly values: readonly string[];
  readonly onChange: (values: readonly string[]) => void;
}

const SEARCHED_FROM = 9;
const SHOWN_MAX = 200;

/** Values of one filter: any of them matches. */
export function FilterValues({ label, options, values, onChange }: FilterValuesProps) {
  const [text, setText] = useState('');
  const shown = options.filter((option) => option.label.toLowerCase().includes(text.toLowerCase())).slice(0, SHOWN_MAX);
  const toggle = (value: string, on: boolean) =>
    onChange(on ? [...values, value] : values.filter((one) => one !== value));
  return (
    <Popover
      size="small"
      kind={values.length > 0 ? 'secondary' : 'quiet'}
      label={words.chosen(label, values.length)}
      title={words.filterValues(label)}
      align="start"
    >
      <div className={styles.values}>
        {options.length >= SEARCHED_FROM && (
          <TextInput
            size="small"
            aria-label={words.findValue}
            placeholder={words.findValue}
            value={text}
            onChange={(event) => setText(event.target.value)}
          />
        )}
        {options.length === 0 && <p className={styles.none}>{words.noValues}</p>}
        {shown.map((option) => (
          <Checkbox
            key={option.value}
            label={option.label}
            checked={values.includes(option.value)}
            onChange={(on) => toggle(option.value, on)}
          />
        ))}
      </div>
    </Popover>
  );
}
