import { useId } from 'react';
import { choices } from '../lazy-part.ts';
import { Tag } from '../texts/Badge.tsx';
import { useStandIn } from '../use-stand-in.ts';
import { type FieldOfControl, useField } from './Field.tsx';
import type { Option } from './Select.tsx';
import { TextInput } from './TextInput.tsx';

interface Choosing {
  readonly options: readonly Option[];
  readonly placeholder?: string;
  /** Needed outside of a Field. */
  readonly label?: string;
  readonly mono?: boolean;
  /** Values that are not among the options can be typed: what choosing such a value does. */
  readonly newIs?: string;
  /** Where the options come from the server: called with what is typed, and the options are then shown unfiltered. */
  readonly onSearch?: (text: string) => void;
  readonly isSearching?: boolean;
}

export interface ComboboxProps extends Choosing {
  readonly value: string | null;
  readonly onChange: (value: string | null) => void;
}

export interface MultiSelectProps extends Choosing {
  readonly values: readonly string[];
  readonly onChange: (values: readonly string[]) => void;
}

/** One of many, found by typing. */
export function Combobox(props: ComboboxProps) {
  const parts = choices.useParts();
  const field: Partial<FieldOfControl> = useField();
  const id = useId();
  const { ref, wasOpened, events } = useStandIn<HTMLInputElement>(parts !== undefined, choices.load);
  if (parts) return <parts.LoadedCombobox {...props} field={field} inputRef={ref} isOpenAtFirst={wasOpened} />;
  const { options, value, placeholder, label, mono } = props;
  const shown = options.find((option) => option.value === value)?.label ?? value ?? '';
  return (
    <TextInput
      ref={ref}
      readOnly
      value={shown}
      placeholder={placeholder}
      aria-label={label}
      mono={mono}
      role="combobox"
      aria-expanded={false}
      aria-controls={`${id}-list`}
      {...events}
    />
  );
}

/** Some of many: chosen ones are tags before the text, and Backspace removes the last. */
export function MultiSelect(props: MultiSelectProps) {
  const parts = choices.useParts();
  const field: Partial<FieldOfControl> = useField();
  const id = useId();
  const { ref, wasOpened, events } = useStandIn<HTMLInputElement>(parts !== undefined, choices.load);
  if (parts) return <parts.LoadedMultiSelect {...props} field={field} inputRef={ref} isOpenAtFirst={wasOpened} />;
  const { options, values, placeholder, label } = props;
  return (
    <TextInput
      ref={ref}
      readOnly
      value=""
      placeholder={values.length === 0 ? placeholder : undefined}
      aria-label={label}
      role="combobox"
      aria-expanded={false}
      aria-controls={`${id}-list`}
      leading={values.map((value) => (
        <Tag key={value} value={options.find((option) => option.value === value)?.label ?? value} />
      ))}
      {...events}
    />
  );
}
