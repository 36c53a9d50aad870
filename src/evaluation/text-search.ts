import type { Work } from '../base/work.ts';

/** Limits for searching each value separately: few values, and so short that V8's search is linear. */
const SEPARATE_MAX = 2;
const SEPARATE_LENGTH_MAX = 250;

/** Units of work for each character, if values are not searched separately. */
export const TRIE_COST_PER_CHAR = 2;

/**
 * Returns a function that checks whether any of the values occurs in a text, in one pass for any number of values. Very few short values are searched
 * separately, with `String.includes`. An empty value occurs in every text.
 */
export function* containsAny(values: readonly string[]): Work<(text: string) => boolean> {
  if (searchesSeparately(values)) {
    return (text) => {
      for (let index = 0; index < values.length; index++) if (text.includes(values[index] as string)) return true;
      return false;
    };
  }
  if (values.includes('')) return () => true;
  return searchTrie(yield* trieOf(values));
}

/** Whether `containsAny` searches each value separately. */
export function searchesSeparately(values: readonly string[]): boolean {
  return values.length <= SEPARATE_MAX && values.every((value) => value.length <= SEPARATE_LENGTH_MAX);
}

/**
 * Prefixes of the values, as in the Aho-Corasick algorithm. Nodes are numbered level by level, so the children of a node are adjacent and sorted by
 * their characters. A node where a value ends has no children.
 */
interface Trie {
  /** The last character of each node. */
  readonly characters: Uint16Array;
  /** For each node the index of its first child. Its children end where the children of the next node begin. */
  readonly children: Int32Array;
  /** For each node the longest prefix of a value that is a proper suffix of the node's text. */
  readonly shorter: Int32Array;
  /** For each node: 1 if a value is a suffix of the node's text, otherwise 0. */
  readonly isFound: Uint8Array;
}

const ROOT = 0;
const NONE = -1;

/** Units of work for a node, and for one step. */
const NODE_COST = 4;
const STEP_COST = 2_000;

/** No value may be empty. Runs in steps: the values may have a quarter of a million characters. */
function* trieOf(values: readonly string[]): Work<Trie> {
  const nodes = values.reduce((sum, { length }) => sum + length, 1);
  const characters = new Uint16Array(nodes);
  const children = new Int32Array(nodes + 1);
  const shorter = new Int32Array(nodes);
  const isFound = new Uint8Array(nodes);
  const trie: Trie = { characters, children, shorter, isFound };
  /** Indexes of the values; sorted below. The values under a node are the range from `firsts` to `ends`. */
  const order = Uint32Array.from(values, (_value, index) => index);
  const firsts = new Uint32Array(nodes);
  const ends = new Uint32Array(nodes);
  ends[ROOT] = values.length;
  let count = 1;
  let work = 0;
  let levelEnd = 1;
  /** Length of the node's text. */
  let length = 0;
  for (let node = 0; node < count; node++) {
    if (node === levelEnd) {
      levelEnd = count;
      length++;
    }
    children[node] = count;
    if (isFound[node] === 1) continue;
    const first = firsts[node] as number;
    const end = ends[node] as number;
    sortByCharacter(order, first, end, values, length);
    for (let index = first; index < end; ) {
      const character = characterOf(values, order, index, length);
      const back = node === ROOT ? ROOT : follow(trie, shorter[node] as number, character);
      let isValueEnd = isFound[back] === 1;
      firsts[count] = index;
      for (; index < end && characterOf(values, order, index, length) === character; index++) {
        if ((values[order[index] as number] as string).length === length + 1) isValueEnd = true;
      }
      characters[count] = character;
      shorter[count] = back;
      isFound[count] = isValueEnd ? 1 : 0;
      ends[count++] = index;
    }
    work += NODE_COST + end - first;
    if (work < STEP_COST) continue;
    yield work;
    work = 0;
  }
  children[count] = count;
  return {
    characters: characters.slice(0, count),
    children: children.slice(0, count + 1),
    shorter: shorter.slice(0, count),
    isFound: isFound.slice(0, count),
  };
}

function characterOf(values: readonly string[], order: Uint32Array, index: number, position: number): number {
  return (values[order[index] as number] as string).charCodeAt(position);
}

const CHARACTER_FACTOR = 2 ** 32;

/** Sorts the part of `order` from `first` to `end` by the character that the values have at the position. */
function sortByCharacter(
  order: Uint32Array,
  first: number,
  end: number,
  values: readonly string[],
  position: number,
): void {
  const character = characterOf(values, order, first, position);
  let next = first + 1;
  while (next < end && characterOf(values, order, next, position) === character) next++;
  if (next >= end) return;
  const keys = new Float64Array(end - first);
  for (let index = first; index < end; index++) {
    keys[index - first] = characterOf(values, order, index, position) * CHARACTER_FACTOR + (order[index] as number);
  }
  keys.sort();
  for (let index = first; index < end; index++) order[index] = (keys[index - first] as number) % CHARACTER_FACTOR;
}

/** The node of the longest prefix that is a suffix of the text of `from` plus the character. */
function follow(trie: Trie, from: number, character: number): number {
  for (let node = from; ; node = trie.shorter[node] as number) {
    const child = childOf(trie, node, character);
    if (child !== NONE) return child;
    if (node === ROOT) return ROOT;
  }
}

function childOf({ characters, children }: Trie, node: number, character: number): number {
  let low = children[node] as number;
  let high = children[node + 1] as number;
  while (low < high) {
    const middle = (low + high) >> 1;
    const found = characters[middle] as number;
    if (found === character) return middle;
    if (found < character) low = middle + 1;
    else high = middle;
  }
  return NONE;
}

function searchTrie(trie: Trie): (text: string) => boolean {
  const { isFound } = trie;
  return (text) => {
    let node = ROOT;
    for (let index = 0; index < text.length; index++) {
      node = follow(trie, node, text.charCodeAt(index));
      if (isFound[node] === 1) return true;
    }
    return false;
  };
}
