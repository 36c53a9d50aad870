import { same } from '../domain/same.ts';
import { parts as words } from '../words/en/parts.ts';

const code = (text: string) => `\`${text.replaceAll('`', "'")}\``;

const SHOWN_MAX = 6;

/** A value in a sentence. */
export function valueWords(value: unknown): string {
  if (value === null || value === undefined || value === '') return words.empty;
  if (typeof value === 'boolean') return value ? words.yes : words.no;
  if (Array.isArray(value)) {
    if (value.length === 0) return words.empty;
    const shown = value.slice(0, SHOWN_MAX).map((item) => code(typeof item === 'string' ? item : JSON.stringify(item)));
    return shown.join(', ') + (value.length > SHOWN_MAX ? ` ${words.more(value.length - SHOWN_MAX)}` : '');
  }
  return code(typeof value === 'string' ? value : JSON.stringify(value));
}

/** One sentence for each field that differs. `names` says which fields count, and what they are called. */
export function fieldSentences<T extends object>(
  before: T,
  after: T,
  names: Partial<Record<keyof T, string>>,
): string[] {
  return (Object.keys(names) as (keyof T)[]).flatMap((key) => {
    if (same(before[key], after[key])) return [];
    return [words.changed(names[key] ?? String(key), valueWords(before[key]), valueWords(after[key]))];
  });
}
