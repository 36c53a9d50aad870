import { ChevronsUpDown } from 'lucide-react';
import { useId } from 'react';
import { classes } from '../classes.ts';
import { choices } from '../lazy-part.ts';
import { useStandIn } from '../use-stand-in.ts';
import { type FieldOfControl, useField } from './Field.tsx';
import styles from './Select.module.css';

export interface Option {
  readonly value: string;
  readonly label: string;
  readonly hint?: string;
  /** Why it cannot be chosen. */
  readonly reason?: string | undefined;
}

export interface SelectProps {
  readonly options: readonly Option[];
  readonly value: string | null;
  readonly onChange: (value: string) => void;
  readonly placeholder?: string;
  /** Needed outside of a Field. */
  readonly label?: string;
  readonly size?: 'small' | 'medium';
  readonly mono?: boolean;
}

export function selectClass({ size = 'medium', mono = false }: Pick<SelectProps, 'size' | 'mono'>): string {
  return classes(styles.trigger, size === 'small' && styles.small, mono && styles.mono);
}

/** One of up to some twenty. For more, or to search, use a Combobox. */
export function Select(props: SelectProps) {
  const parts = choices.useParts();
  const field: Partial<FieldOfControl> = useField();
  const id = useId();
  const { ref, wasOpened, events } = useStandIn<HTMLButtonElement>(parts !== undefined, choices.load);
  if (parts) return <parts.LoadedSelect {...props} field={field} triggerRef={ref} isOpenAtFirst={wasOpened} />;
  const { options, value, placeholder, label } = props;
  const chosen = options.find((option) => option.value === value);
  return (
    <button
      type="button"
      ref={ref}
      role="combobox"
      aria-haspopup="listbox"
      aria-expanded={false}
      aria-controls={`${id}-list`}
      aria-label={label}
      className={selectClass(props)}
      data-placeholder={chosen ? undefined : ''}
      {...field}
      {...events}
    >
      <span className={styles.value}>{chosen?.label ?? placeholder}</span>
      <ChevronsUpDown aria-hidden className={styles.icon} />
    </button>
  );
}
