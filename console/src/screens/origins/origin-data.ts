import { valueWords } from '../../parts/differences.ts';
import { origins as words } from '../../words/en/admin/instance.ts';

export const ORIGINS_MAX = 100;
const EVERY = '*';

export type Mode = 'every' | 'some' | 'none';

export interface OriginValues {
  readonly mode: Mode;
  /** One origin in each line. */
  readonly text: string;
}

export const valuesOf = (origins: readonly string[]): OriginValues => ({
  mode: origins.includes(EVERY) ? 'every' : origins.length === 0 ? 'none' : 'some',
  text: origins.filter((origin) => origin !== EVERY).join('\n'),
});

/** The origin in the form that browsers send; undefined if the text is none. */
function originOf(text: string): string | undefined {
  if (!/^https?:\/\//i.test(text) || !URL.canParse(text)) return undefined;
  const { origin, username, password, pathname, search, hash } = new URL(text);
  const isBare = username + password + search + hash === '' && pathname === '/' && !/[?#*]/.test(text);
  return isBare ? origin : undefined;
}

const linesOf = (text: string) => text.split(/[\s,]+/).filter(Boolean);

/** The list to save, without repeated origins. */
export function listOf({ mode, text }: OriginValues): string[] {
  if (mode !== 'some') return mode === 'every' ? [EVERY] : [];
  return [...new Set(linesOf(text).flatMap((line) => originOf(line) ?? []))];
}

export function problemOf(values: OriginValues): string | undefined {
  if (values.mode !== 'some') return undefined;
  const wrong = linesOf(values.text).find((line) => originOf(line) === undefined);
  if (wrong !== undefined) return words.wrong(wrong);
  const { length } = listOf(values);
  if (length === 0) return words.missing;
  return length > ORIGINS_MAX ? words.tooMany(ORIGINS_MAX) : undefined;
}

export function sentencesOf(before: readonly string[], after: readonly string[]): string[] {
  const [wasEvery, isEvery] = [before.includes(EVERY), after.includes(EVERY)];
  if (isEvery) return wasEvery ? [] : [words.toEvery];
  const added = wasEvery ? [] : after.filter((origin) => !before.includes(origin));
  const removed = wasEvery ? [] : before.filter((origin) => !after.includes(origin));
  if (after.length === 0) return before.length === 0 ? [] : [words.toNone];
  return [
    ...(wasEvery ? [words.fromEvery(valueWords(after))] : []),
    ...(added.length > 0 ? [words.added(valueWords(added))] : []),
    ...(removed.length > 0 ? [words.removed(valueWords(removed))] : []),
  ];
}
