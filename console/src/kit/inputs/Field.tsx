import { CircleAlert } from 'lucide-react';
import { createContext, type ReactNode, useContext, useId } from 'react';
import { kit as words } from '../../words/en/kit.ts';
import { classes } from '../classes.ts';
import styles from './Field.module.css';

export interface FieldOfControl {
  readonly id: string;
  readonly 'aria-describedby': string | undefined;
  readonly 'aria-invalid': true | undefined;
  readonly 'aria-required': true | undefined;
}

const Context = createContext<FieldOfControl | undefined>(undefined);
const LabelContext = createContext<string | undefined>(undefined);

/** What a control inside of a Field takes from it: its identifier, its description, its validity. Empty outside of a Field. */
export function useField(): Partial<FieldOfControl> {
  return useContext(Context) ?? {};
}

/** The text of the Field's label, for controls that hide it while their list is open. */
export function useFieldLabel(): string | undefined {
  return useContext(LabelContext);
}

export interface FieldProps {
  readonly label: string;
  /** One sentence that helps before there is an error. */
  readonly hint?: ReactNode;
  /** What is wrong and how it is mended. */
  readonly error?: string | undefined;
  readonly required?: boolean;
  /** The label is read, but not shown. */
  readonly isLabelHidden?: boolean;
  readonly children: ReactNode;
  readonly className?: string;
}

export function Field({
  label,
  hint,
  error,
  required = false,
  isLabelHidden = false,
  children,
  className,
}: FieldProps) {
  const id = useId();
  const described = [hint && `${id}-hint`, error && `${id}-error`].filter(Boolean).join(' ');
  const control: FieldOfControl = {
    id,
    'aria-describedby': described || undefined,
    'aria-invalid': error ? true : undefined,
    'aria-required': required || undefined,
  };
  return (
    <div className={classes(styles.field, className)}>
      <label htmlFor={id} className={classes(styles.label, isLabelHidden && 'visually-hidden')}>
        {label}
        {required && <span className={styles.required}>{words.required}</span>}
      </label>
      <LabelContext value={label}>
        <Context value={control}>{children}</Context>
      </LabelContext>
      {error && (
        <p id={`${id}-error`} className={styles.error}>
          <CircleAlert size={14} aria-hidden />
          {error}
        </p>
      )}
      {hint && (
        <p id={`${id}-hint`} className={styles.hint}>
          {hint}
        </p>
      )}
    </div>
  );
}
