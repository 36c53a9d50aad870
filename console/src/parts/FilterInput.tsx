import { Search } from 'lucide-react';
import { TextInput } from '../kit/inputs/TextInput.tsx';
import { Kbd } from '../kit/texts/Kbd.tsx';
import { parts as words } from '../words/en/parts.ts';
import styles from './parts.module.css';

interface FilterInputProps {
  readonly value: string;
  readonly onChange: (value: string) => void;
  readonly label?: string;
}

/** The text filter of a list; its value is in the address. */
export function FilterInput({ value, onChange, label = words.filter }: FilterInputProps) {
  return (
    <TextInput
      type="search"
      className={styles.filter}
      aria-label={label}
      placeholder={label}
      data-shortcut-target="filter"
      leading={<Search aria-hidden />}
      trailing={value === '' ? <Kbd keys="/" /> : undefined}
      value={value}
      onChange={(event) => onChange(event.target.value)}
      onKeyDown={(event) => {
        if (event.key === 'Escape' && value !== '') {
          event.preventDefault();
          onChange('');
        }
      }}
    />
  );
}

/** All words must occur in one of the texts. */
export function matches(filter: string, ...texts: readonly (string | null | undefined)[]): boolean {
  const text = texts.filter(Boolean).join(' ').toLowerCase();
  return filter
    .toLowerCase()
    .split(/\s+/)
    .every((word) => text.includes(word));
}
