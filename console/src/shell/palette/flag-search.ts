import type { Steps } from '../../domain/steps.ts';

/** Compares names with what is typed. Names are given and returned as their order numbers. */
export interface Matcher {
  readonly filter: (names: readonly string[], needle: string, among: readonly number[]) => readonly number[];
  /** Those that match, the best first. */
  readonly rank: (names: readonly string[], needle: string, matching: readonly number[]) => readonly number[];
}

/** What is searched of a flag. */
interface Searched {
  readonly name: string;
  /** Name, description and tags in lower case. */
  readonly text: string;
}

/** Words that people write before a name, and that no name has. */
const FILLERS = new Set(['a', 'an', 'the', 'of', 'for', 'to', 'in', 'on', 'and', 'our', 'my', 'flag']);
/** More words than people search for: a whole page can be pasted. */
const WORDS_MAX = 8;
const NAMES_A_STEP = 256;
/** A text can have 10,000 characters. */
const TEXTS_A_STEP = 32;

const wordsOf = (text: string) => text.toLowerCase().split(/\s+/).filter(Boolean).slice(0, WORDS_MAX);

const tellingOf = (words: readonly string[]) => {
  const telling = words.filter((word) => !FILLERS.has(word));
  return telling.length > 0 ? telling : words;
};

function countIn(text: string, words: readonly string[]): number {
  let count = 0;
  for (const word of words) if (text.includes(word)) count++;
  return count;
}

/** Each word is as before, or has grown: what has none of the new words had none of the old ones. */
const isGrown = (words: readonly string[], before: readonly string[]) =>
  words.length === before.length && words.every((word, at) => word.includes(before[at] as string));

/** Searches one list of flags. It keeps what the last text has found: while a text grows, only that is searched again. */
export class FlagSearch<Flag extends Searched> {
  readonly #rows: readonly Flag[];
  readonly #matcher: Matcher;
  readonly #names: readonly string[];
  readonly #all: readonly number[];
  readonly #named = new Map<'typed' | 'telling', { readonly needle: string; readonly matching: readonly number[] }>();
  #worded: { readonly words: readonly string[]; readonly rows: readonly number[] } | undefined;

  constructor(rows: readonly Flag[], matcher: Matcher) {
    this.#rows = rows;
    this.#matcher = matcher;
    this.#names = rows.map(({ name }) => name);
    this.#all = rows.map((_, at) => at);
  }

  /** The flags of a vague idea: by name, then by all its words in name, description and tags; then by half of its words. */
  *find(text: string, max: number): Steps<readonly Flag[]> {
    const words = wordsOf(text);
    const telling = tellingOf(words);
    const found = new Set<number>();
    const add = (rows: readonly number[]) => {
      for (const at of rows) {
        if (found.size >= max) return;
        found.add(at);
      }
    };
    if (words.length > 0) {
      add(yield* this.#byName('typed', words.join(' ')));
      if (found.size < max && telling.length < words.length) add(yield* this.#byName('telling', telling.join(' ')));
      if (found.size < max) {
        const byCount = yield* this.#byWords(telling, max);
        add(byCount[telling.length] ?? []);
        const half = Math.ceil(telling.length / 2);
        if (found.size === 0) for (let count = telling.length - 1; count >= half; count--) add(byCount[count] ?? []);
      }
    }
    return [...found].flatMap((at) => this.#rows[at] ?? []);
  }

  *#byName(kind: 'typed' | 'telling', needle: string): Steps<readonly number[]> {
    const last = this.#named.get(kind);
    const among = last && needle.startsWith(last.needle) ? last.matching : this.#all;
    const matching: number[] = [];
    for (let at = 0; at < among.length; at += NAMES_A_STEP) {
      const some = this.#matcher.filter(this.#names, needle, among.slice(at, at + NAMES_A_STEP));
      for (const index of some) matching.push(index);
      yield;
    }
    this.#named.set(kind, { needle, matching });
    return this.#matcher.rank(this.#names, needle, matching);
  }

  /** Order numbers of flags by how many of the words they have; at most `max` for each number. */
  *#byWords(words: readonly string[], max: number): Steps<readonly (readonly number[])[]> {
    const last = this.#worded;
    const among = last && isGrown(words, last.words) ? last.rows : this.#all;
    const rows: number[] = [];
    const byCount: number[][] = Array.from({ length: words.length + 1 }, () => []);
    for (const [position, at] of among.entries()) {
      if (position % TEXTS_A_STEP === 0) yield;
      const count = countIn((this.#rows[at] as Flag).text, words);
      if (count === 0) continue;
      rows.push(at);
      const same = byCount[count] as number[];
      if (same.length < max) same.push(at);
    }
    this.#worded = { words, rows };
    return byCount;
  }
}
