import { onFirstUse } from './on-first-use.ts';

const FORMATS = {
  integer: onFirstUse(() => new Intl.NumberFormat()),
  percent: onFirstUse(() => new Intl.NumberFormat(undefined, { style: 'percent', maximumFractionDigits: 1 })),
  compact: onFirstUse(() => new Intl.NumberFormat(undefined, { notation: 'compact', maximumFractionDigits: 1 })),
} as const;

export type NumberForm = keyof typeof FORMATS;

/** For texts. Percent takes a share: 0.97 is "97 %" in the language's own form. */
export function numberText(value: number, form: NumberForm = 'integer'): string {
  return FORMATS[form]().format(value);
}
