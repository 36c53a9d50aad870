import type { FlagRow } from '../../data/flag-rows.ts';

/** Order numbers of the texts that match a needle, the best first. */
export type Find = (texts: readonly string[], needle: string) => readonly number[];

/** Words that people write before a name, and that no name has. */
const FILLERS = new Set(['a', 'an', 'the', 'of', 'for', 'to', 'in', 'on', 'and', 'our', 'my', 'flag']);

const wordsOf = (text: string) => {
  const all = text.toLowerCase().split(/\s+/).filter(Boolean);
  const telling = all.filter((word) => !FILLERS.has(word));
  return telling.length > 0 ? telling : all;
};

interface Flags {
  readonly rows: readonly FlagRow[];
  readonly names: readonly string[];
}

/** Order numbers of the flags, the ones with the most of the words first. */
function withWords({ rows }: Flags, words: readonly string[], needed: number): readonly number[] {
  const counted: { at: number; count: number }[] = [];
  for (const [at, { text }] of rows.entries()) {
    const count = words.filter((word) => text.includes(word)).length;
    if (count >= needed) counted.push({ at, count });
  }
  return counted.sort((one, other) => other.count - one.count).map(({ at }) => at);
}

/** The flags of a vague idea: by name, then by all its words in name, description and tags; then by half of its words. */
export function findFlags(flags: Flags, text: string, find: Find, max: number): readonly FlagRow[] {
  const found = new Set(find(flags.names, text).slice(0, max));
  const words = wordsOf(text);
  const steps = [
    () => find(flags.names, words.join(' ')),
    () => withWords(flags, words, words.length),
    () => (found.size === 0 ? withWords(flags, words, Math.ceil(words.length / 2)) : []),
  ];
  for (const step of steps) {
    if (found.size >= max) break;
    for (const at of step().slice(0, max - found.size)) found.add(at);
  }
  return [...found].flatMap((at) => flags.rows[at] ?? []);
}
