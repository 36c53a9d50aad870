const INTEGER = new Intl.NumberFormat();
const PERCENT = new Intl.NumberFormat(undefined, { style: 'percent', maximumFractionDigits: 1 });
const COMPACT = new Intl.NumberFormat(undefined, { notation: 'compact', maximumFractionDigits: 1 });

export type NumberForm = 'integer' | 'percent' | 'compact';

/** For texts. Percent takes a share: 0.97 is "97 %" in the language's own form. */
export function numberText(value: number, form: NumberForm = 'integer'): string {
  return { integer: INTEGER, percent: PERCENT, compact: COMPACT }[form].format(value);
}
