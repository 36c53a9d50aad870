import { type NumberForm, numberText } from '../../words/number-text.ts';

export function NumberText({ value, form = 'integer' }: { readonly value: number; readonly form?: NumberForm }) {
  const text = numberText(value, form);
  return form === 'compact' ? <data value={value}>{text}</data> : text;
}
