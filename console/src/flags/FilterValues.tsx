import { type ReactNode, useState } from 'react';
import { TextInput } from '../kit/inputs/TextInput.tsx';
import { Popover } from '../kit/overlays/Popover.tsx';
import { Checks } from '../parts/Checks.tsx';
import parts from '../parts/parts.module.css';
import { features as words } from '../words/en/flags/features.ts';
import styles from './Filters.module.css';

export interface FilterOption {
  readonly value: string;
  readonly label: string;
}

interface ChosenProps {
  readonly values: readonly string[];
  readonly onChange: (values: readonly string[]) => void;
}

interface OptionsProps extends ChosenProps {
  readonly options: readonly FilterOption[];
}

interface FilterProps extends Pick<ChosenProps, 'values'> {
  readonly label: string;
  /** Rendered when it is opened. */
  readonly children: ReactNode;
}

const SEARCHED_FROM = 9;
const SHOWN_MAX = 200;

/** The button of a filter, and what it opens. */
export function Filter({ label, values, children }: FilterProps) {
  return (
    <Popover
      size="small"
      kind={values.length > 0 ? 'secondary' : 'quiet'}
      label={words.chosen(label, values.length)}
      title={words.filterValues(label)}
      align="start"
    >
      {children}
    </Popover>
  );
}

/** Values of one filter: any of them matches. */
export function FilterValues({ label, ...rest }: OptionsProps & { readonly label: string }) {
  return (
    <Filter label={label} values={rest.values}>
      <Options {...rest} />
    </Filter>
  );
}

export function Options({ options, values, onChange }: OptionsProps) {
  const [text, setText] = useState('');
  const shown = options.filter((option) => option.label.toLowerCase().includes(text.toLowerCase())).slice(0, SHOWN_MAX);
  return (
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
      {options.length === 0 && <p className={parts.quiet}>{words.noValues}</p>}
      <Checks options={shown} values={values} onChange={onChange} />
    </div>
  );
}
