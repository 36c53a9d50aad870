import type { ReactNode } from 'react';
import type { MayNot } from '../data/may.ts';
import { Checkbox } from '../kit/inputs/Checkbox.tsx';

interface ChecksProps<V extends string | number> {
  readonly options: readonly { readonly value: V; readonly label: ReactNode; readonly hint?: ReactNode }[];
  readonly values: readonly V[];
  /** Why they cannot be changed. */
  readonly reason?: MayNot;
  readonly onChange: (values: readonly V[]) => void;
}

/** Some of few: a box for each. */
export const Checks = <V extends string | number>({ options, values, reason, onChange }: ChecksProps<V>) =>
  options.map(({ value, label, hint }) => (
    <Checkbox
      key={value}
      label={label}
      hint={hint}
      reason={reason}
      checked={values.includes(value)}
      onChange={(on) => onChange(on ? [...values, value] : values.filter((one) => one !== value))}
    />
  ));
