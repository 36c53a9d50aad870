import type { ReactNode } from 'react';
import { Checkbox } from '../kit/inputs/Checkbox.tsx';
import { Field } from '../kit/inputs/Field.tsx';
import { TextArea, TextInput } from '../kit/inputs/TextInput.tsx';
import { parts as words } from '../words/en/parts.ts';
import { fieldSentences } from './differences.ts';

interface ShownField<V> {
  readonly value: V;
  readonly onChange: (value: V) => void;
  /** The form begins here. */
  readonly isFirst: boolean;
}

/** A field of an object: how it is called, how it is edited, and what is wrong with a value. */
export interface FieldOf<V> {
  readonly label: string;
  /** The value of a new object. */
  readonly first: V;
  /** It can be chosen only for a new object. */
  readonly isFixed?: boolean;
  /** What is wrong with the value, also where it is missing. */
  readonly problem: (value: V) => string | undefined;
  readonly show: (shown: ShownField<V>) => ReactNode;
}

// biome-ignore lint/suspicious/noExplicitAny: each field has the type of its value.
export type Fields = Readonly<Record<string, FieldOf<any>>>;
export type ValuesOf<F extends Fields> = { readonly [K in keyof F]: F[K] extends FieldOf<infer V> ? V : never };

interface Texts {
  readonly max: number;
  readonly hint?: string;
  readonly mono?: boolean;
  readonly isRequired?: boolean;
  readonly isFixed?: boolean;
  /** Blanks around it are left out while it is typed. */
  readonly trims?: boolean;
  readonly problem?: (value: string) => string | undefined;
  /** Before the text, such as the color that it names. */
  readonly leading?: (value: string, problem: string | undefined) => ReactNode;
}

/** A text of one line. */
export function text(label: string, of: Texts): FieldOf<string> {
  const { max, hint, mono = false, isRequired = false, isFixed = false, trims = false, leading } = of;
  const problem = (value: string) => {
    if (value.trim() === '') return isRequired ? words.fieldMissing(label) : undefined;
    return of.problem?.(value);
  };
  return {
    label,
    first: '',
    isFixed,
    problem,
    show: ({ value, onChange, isFirst }) => (
      // What is missing is said by the button.
      <Field label={label} hint={hint} error={value.trim() === '' ? undefined : problem(value)} required={isRequired}>
        <TextInput
          mono={mono}
          autoFocus={isFirst}
          maxLength={max}
          leading={leading?.(value, problem(value))}
          value={value}
          onChange={({ target }) => onChange(trims ? target.value.trim() : target.value)}
        />
      </Field>
    ),
  };
}

/** A text of several lines. */
export const area = (label: string, max: number): FieldOf<string> => ({
  label,
  first: '',
  problem: () => undefined,
  show: ({ value, onChange }) => (
    <Field label={label}>
      <TextArea rows={2} maxLength={max} value={value} onChange={({ target }) => onChange(target.value)} />
    </Field>
  ),
});

export const check = (label: string, first = false): FieldOf<boolean> => ({
  label,
  first,
  problem: () => undefined,
  show: ({ value, onChange }) => <Checkbox label={label} checked={value} onChange={onChange} />,
});

const entriesOf = <F extends Fields>(fields: F) => Object.entries(fields) as [keyof F & string, F[keyof F]][];

export const firstOf = <F extends Fields>(fields: F) =>
  Object.fromEntries(entriesOf(fields).map(([name, { first }]) => [name, first])) as ValuesOf<F>;

/** The first thing that is wrong with the values. */
export const problemIn = <F extends Fields>(fields: F, values: ValuesOf<F>): string | undefined =>
  entriesOf(fields)
    .map(([name, { problem }]) => problem(values[name]))
    .find((one) => one !== undefined);

/** The difference, without what cannot be changed. */
export const sentencesOf = <F extends Fields>(fields: F, before: ValuesOf<F>, after: ValuesOf<F>): string[] => {
  const changing = entriesOf(fields).filter(([, { isFixed }]) => !isFixed);
  const names = Object.fromEntries(changing.map(([name, { label }]) => [name, label]));
  return fieldSentences(before, after, names as Partial<Record<keyof ValuesOf<F>, string>>);
};

interface FieldListProps<F extends Fields> {
  readonly fields: F;
  readonly values: ValuesOf<F>;
  readonly isNew?: boolean;
  readonly onChange: (values: ValuesOf<F>) => void;
}

/** The fields of an object, in their order. */
export function FieldList<F extends Fields>({ fields, values, isNew = false, onChange }: FieldListProps<F>) {
  const shown = entriesOf(fields).filter(([, { isFixed }]) => isNew || !isFixed);
  return shown.map(([name, field], index) => (
    <FieldShown
      key={name}
      field={field}
      value={values[name]}
      isFirst={isNew && index === 0}
      onChange={(value) => onChange({ ...values, [name]: value })}
    />
  ));
}

function FieldShown<V>({ field, ...shown }: ShownField<V> & { readonly field: FieldOf<V> }) {
  return field.show(shown);
}
