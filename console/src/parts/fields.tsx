import { type ReactNode, useState } from 'react';
import type { MayNot } from '../data/may.ts';
import { Checkbox } from '../kit/inputs/Checkbox.tsx';
import { Field } from '../kit/inputs/Field.tsx';
import { Segmented } from '../kit/inputs/Segmented.tsx';
import { type Option, Select } from '../kit/inputs/Select.tsx';
import { TextArea, TextInput, type TextInputProps } from '../kit/inputs/TextInput.tsx';
import { parts as words } from '../words/en/parts.ts';
import { fieldSentences } from './differences.ts';
import styles from './parts.module.css';

type Values = Readonly<Record<string, unknown>>;

interface ShownField<V> {
  readonly value: V;
  readonly onChange: (value: V) => void;
  /** The form begins here. */
  readonly isFirst: boolean;
  /** Of all fields. */
  readonly values: Values;
  /** Why it is only shown. */
  readonly mayNot?: MayNot;
}

/** A field of an object: how it is called, how it is edited, and what is wrong with a value. */
export interface FieldOf<V> {
  readonly label: string;
  /** The value of a new object. */
  readonly first: V;
  /** It can be chosen only for a new object. */
  readonly isFixed?: boolean;
  /** What is wrong with the value, also where it is missing. */
  readonly problem?: (value: V) => string | undefined;
  /** The value in the difference, such as a name in place of an id. */
  readonly shown?: (value: V) => unknown;
  /** The difference, where it is more than the value before and after. */
  readonly sentences?: (before: V, after: V) => readonly string[];
  /** Shown only with these values of other fields. */
  readonly when?: (values: Values) => boolean;
  readonly show: (shown: ShownField<V>) => ReactNode;
}

// biome-ignore lint/suspicious/noExplicitAny: each field has the type of its value.
export type Fields = Readonly<Record<string, FieldOf<any>>>;
export type ValuesOf<F extends Fields> = { readonly [K in keyof F]: F[K] extends FieldOf<infer V> ? V : never };

interface Texts extends Pick<FieldOf<string>, 'when'>, Pick<TextInputProps, 'inputMode' | 'type'> {
  readonly max?: number;
  readonly hint?: string | undefined;
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
  const {
    max,
    hint,
    mono = false,
    isRequired = false,
    isFixed = false,
    trims = false,
    leading,
    when,
    inputMode,
    type,
  } = of;
  const problem = (value: string) => {
    if (value.trim() === '') return isRequired ? words.fieldMissing(label) : undefined;
    return of.problem?.(value);
  };
  return {
    label,
    first: '',
    isFixed,
    problem,
    ...(when && { when }),
    show: ({ value, onChange, isFirst, mayNot }) => (
      // What is missing is said by the button.
      <Field label={label} hint={hint} error={value.trim() === '' ? undefined : problem(value)} required={isRequired}>
        <TextInput
          mono={mono}
          {...(type && { type })}
          inputMode={inputMode}
          readOnly={mayNot !== undefined}
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

interface Areas extends Pick<Texts, 'hint' | 'isRequired' | 'when'> {
  readonly max?: number;
  readonly rows?: number;
  /** Also for a saved object. */
  readonly takesFocus?: boolean;
}

/** A text of several lines. */
export const area = (label: string, of: Areas = {}): FieldOf<string> => {
  const { max, hint, rows = 2, isRequired = false, takesFocus = false, when } = of;
  return {
    label,
    first: '',
    ...(when && { when }),
    problem: (value) => (isRequired && value.trim() === '' ? words.fieldMissing(label) : undefined),
    show: ({ value, onChange, mayNot }) => (
      <Field label={label} hint={hint} required={isRequired}>
        <TextArea
          readOnly={mayNot !== undefined}
          autoFocus={takesFocus}
          rows={rows}
          maxLength={max}
          value={value}
          onChange={({ target }) => onChange(target.value)}
        />
      </Field>
    ),
  };
};

export const check = (label: string, first = false, hint?: string): FieldOf<boolean> => ({
  label,
  first,
  show: ({ value, onChange, mayNot }) => (
    <Checkbox label={label} hint={hint} checked={value} reason={mayNot} onChange={onChange} />
  ),
});

const optionsOf = <V extends string>(labels: Readonly<Record<V, string>>) =>
  (Object.keys(labels) as V[]).map((value) => ({ value, label: labels[value] }));

/** One of several that are known later. */
export const select = (
  label: string,
  options: readonly Option[],
  { hint, mono = false }: Pick<Texts, 'hint' | 'mono'> = {},
): FieldOf<string> => ({
  label,
  first: '',
  show: ({ value, onChange, mayNot }) => (
    <Field label={label} hint={hint}>
      <Select
        mono={mono}
        value={value}
        onChange={onChange}
        options={mayNot === undefined ? options : options.map((one) => ({ ...one, reason: mayNot }))}
      />
    </Field>
  ),
});

/** One of several. */
export const choice = <V extends string>(label: string, labels: Readonly<Record<V, string>>, first: V): FieldOf<V> => ({
  ...(select(label, optionsOf(labels)) as unknown as FieldOf<V>),
  first,
  shown: (value) => labels[value],
});

interface Read<V> {
  /** What the field shows while it has the focus. */
  readonly text: string;
  readonly value: V;
}

interface NumberTextProps<V> extends Pick<ShownField<V>, 'value' | 'onChange'>, Pick<TextInputProps, 'inputMode'> {
  readonly mayNot?: MayNot;
  /** Undefined: the text cannot be typed. */
  readonly read: (text: string) => Read<V> | undefined;
}

/** A percentage, as it is typed: a separator without a decimal, or nothing, stays until the field is left. */
function PercentText<V extends string | number>({ value, inputMode, mayNot, read, onChange }: NumberTextProps<V>) {
  const [typed, setTyped] = useState<Read<V>>();
  return (
    <TextInput
      inputMode={inputMode}
      className={styles.number}
      readOnly={mayNot !== undefined}
      trailing="%"
      value={typed?.value === value ? typed.text : String(value)}
      onBlur={() => setTyped(undefined)}
      onChange={({ target }) => {
        const next = read(target.value);
        if (next === undefined) return;
        setTyped(next);
        onChange(next.value);
      }}
    />
  );
}

/** The separator is shown, so that the decimals after it, which are left out, are not read as further digits. */
function readWhole(typed: string): Read<string> | undefined {
  if (typed.trim() === '') return { text: '', value: '' };
  const [text, value] = /^0*(100|\d{1,2})[.,]?/.exec(typed.trim()) ?? [];
  return text === undefined || value === undefined ? undefined : { text, value };
}

function readDecimal(text: string): Read<number> | undefined {
  const value = Number(text.replace(',', '.'));
  if (!(value >= 0 && value <= 100)) return undefined;
  const rounded = Math.round(value * 10) / 10;
  return { text: rounded === value ? text : String(rounded), value: rounded };
}

/** A percentage without decimals, or nothing. */
export const percentage = (label: string, hint?: string): FieldOf<string> => ({
  label,
  first: '',
  show: ({ value, onChange }) => (
    <Field label={label} hint={hint}>
      <span className={styles.percentage}>
        <input
          type="range"
          min={0}
          max={100}
          aria-label={label}
          value={Number(value) || 0}
          onChange={({ target }) => onChange(target.value)}
        />
        <PercentText inputMode="numeric" value={value} read={readWhole} onChange={onChange} />
      </span>
    </Field>
  ),
});

/** A percentage with one decimal. */
export const share = (label: string): FieldOf<number> => ({
  label,
  first: 0,
  show: ({ value, onChange, mayNot }) => (
    <Field label={label}>
      <PercentText inputMode="decimal" value={value} mayNot={mayNot} read={readDecimal} onChange={onChange} />
    </Field>
  ),
});

/** A field whose value is kept as a text. */
export const asText = <V,>(
  field: FieldOf<V>,
  of: (text: string) => V,
  textOf: (value: V) => string,
): FieldOf<string> => ({
  label: field.label,
  first: '',
  show: ({ value, onChange, ...shown }) =>
    field.show({ ...shown, value: of(value), onChange: (next) => onChange(textOf(next)) }),
});

/** One of few, all of which are shown. */
export const segmented = <V extends string>(
  label: string,
  labels: Readonly<Record<V, string>>,
  first: V,
): FieldOf<V> => ({
  label,
  first,
  shown: (value) => labels[value],
  show: ({ value, onChange }) => (
    <div className={styles.tight}>
      <span className={styles.label}>{label}</span>
      <Segmented label={label} value={value} onChange={onChange} options={optionsOf(labels)} />
    </div>
  ),
});

const entriesOf = <F extends Fields>(fields: F) => Object.entries(fields) as [keyof F & string, F[keyof F]][];

export const firstOf = <F extends Fields>(fields: F) =>
  Object.fromEntries(entriesOf(fields).map(([name, { first }]) => [name, first])) as ValuesOf<F>;

const shownOf = <F extends Fields>(fields: F, values: ValuesOf<F>, isNew: boolean) =>
  entriesOf(fields).filter(([, { isFixed, when }]) => (isNew || !isFixed) && (when?.(values) ?? true));

/** The first thing that is wrong with the values. */
export const problemIn = <F extends Fields>(fields: F, values: ValuesOf<F>, isNew: boolean): string | undefined =>
  shownOf(fields, values, isNew)
    .map(([name, { problem }]) => problem?.(values[name]))
    .find((one) => one !== undefined);

/** The difference, without what cannot be changed. */
export const sentencesOf = <F extends Fields>(fields: F, before: ValuesOf<F>, after: ValuesOf<F>): string[] =>
  entriesOf(fields).flatMap(([name, { label, isFixed, sentences, shown = (value: unknown) => value }]) => {
    if (isFixed) return [];
    if (sentences) return [...sentences(before[name], after[name])];
    return fieldSentences({ [name]: shown(before[name]) }, { [name]: shown(after[name]) }, { [name]: label });
  });

interface FieldListProps<F extends Fields> {
  readonly fields: F;
  readonly values: ValuesOf<F>;
  readonly isNew?: boolean;
  /** Why they are only shown. */
  readonly mayNot?: MayNot;
  readonly onChange: (values: ValuesOf<F>, changed: Partial<ValuesOf<F>>) => void;
}

/** The fields of an object, in their order. */
export function FieldList<F extends Fields>({ fields, values, isNew = false, mayNot, onChange }: FieldListProps<F>) {
  return shownOf(fields, values, isNew).map(([name, field], index) => (
    <FieldShown
      key={name}
      field={field}
      value={values[name]}
      isFirst={isNew && index === 0}
      values={values}
      mayNot={mayNot}
      onChange={(value) => {
        const changed = { [name]: value } as Partial<ValuesOf<F>>;
        onChange({ ...values, ...changed }, changed);
      }}
    />
  ));
}

function FieldShown<V>({ field, ...shown }: ShownField<V> & { readonly field: FieldOf<V> }) {
  return field.show(shown);
}
