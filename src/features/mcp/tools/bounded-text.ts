/** Maximum size of the text of one result, in bytes. A result is read by a model, for which more text costs more and helps less. */
export const RESULT_BYTES_MAX = 24_000;

interface Bounds {
  /** Maximum number of items of a list, and of properties of an object. */
  readonly items: number;
  /** Maximum number of characters of a text. */
  readonly chars: number;
}

/** A result that is too long is shortened with the first of these bounds that is sufficient. */
const BOUNDS: readonly Bounds[] = [
  { items: 100, chars: 2_000 },
  { items: 40, chars: 500 },
  { items: 15, chars: 200 },
  { items: 6, chars: 100 },
  { items: 2, chars: 40 },
];

/**
 * The result as JSON of at most `RESULT_BYTES_MAX` bytes. If lists and texts in it were shortened, `shortened` says so, with `hint`: how to request
 * less.
 */
export function boundedText(result: Readonly<Record<string, unknown>>, hint: string): string {
  const whole = JSON.stringify(result);
  if (Buffer.byteLength(whole) <= RESULT_BYTES_MAX) return whole;
  const shortened = `Long lists and texts in this result are shortened. ${hint}`;
  for (const bounds of BOUNDS) {
    const text = JSON.stringify({ shortened, ...(cut(result, bounds) as object) });
    if (Buffer.byteLength(text) <= RESULT_BYTES_MAX) return text;
  }
  return JSON.stringify({ shortened: `The result is too long to be shown. ${hint}` });
}

function cut(value: unknown, bounds: Bounds): unknown {
  if (typeof value === 'string') return cutText(value, bounds.chars);
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) {
    const items: unknown[] = value.slice(0, bounds.items).map((item) => cut(item, bounds));
    if (value.length > bounds.items) items.push(`(${value.length - bounds.items} more)`);
    return items;
  }
  const entries = Object.entries(value);
  const kept = entries
    .slice(0, Math.max(20, bounds.items))
    .map(([name, each]) => [cutText(name, 100), cut(each, bounds)]);
  if (entries.length > kept.length) kept.push(['(more)', entries.length - kept.length]);
  return Object.fromEntries(kept);
}

/** The beginning of a text. */
export function cutText(text: string, chars: number): string {
  if (text.length <= chars) return text;
  return `${text.slice(0, chars).replace(/[\ud800-\udbff]$/, '')}… (${text.length} characters)`;
}
