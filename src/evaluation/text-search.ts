/** Values that are looked for one by one: few, and short enough for the engine's own search to be linear. */
const SEPARATE_MAX = 2;
const SEPARATE_LENGTH_MAX = 250;

/** Units of work for a character, where values are not looked for one by one. */
export const TRIE_COST_PER_CHAR = 2;

/**
 * Whether any of the values occurs in a text, in one pass over it however many there are. A few short ones are looked for by the engine
 * itself. An empty value occurs in every text.
 */
export function containsAny(values: readonly string[]): (text: string) => boolean {
  if (looksSeparately(values)) {
    return (text) => {
      for (let index = 0; index < values.length; index++) if (text.includes(values[index] as string)) return true;
      return false;
    };
  }
  if (values.includes('')) return () => true;
  return searchTrie(trieOf([...new Set(values)].sort()));
}

/** Whether `containsAny` asks for each value by itself. */
export function looksSeparately(values: readonly string[]): boolean {
  return values.length <= SEPARATE_MAX && values.every((value) => value.length <= SEPARATE_LENGTH_MAX);
}

/**
 * Beginnings of the values, as Aho and Corasick have them. Nodes are numbered level by level, so that the children of one stand side by side in
 * the order of their letters. Nothing follows where a value has been found.
 */
interface Trie {
  /** The last letter of each node. */
  readonly letters: ArrayLike<number>;
  /** Where the children of each node begin; they end where the next node's begin. */
  readonly children: ArrayLike<number>;
  /** For each node the longest beginning of a value that the node's text ends with. */
  readonly shorter: ArrayLike<number>;
  readonly isFound: readonly boolean[];
}

const ROOT = 0;
const NONE = -1;

/** `values`: sorted, each once, none empty. */
function trieOf(values: readonly string[]): Trie {
  const letters = [0];
  const children: number[] = [];
  const shorter = [ROOT];
  const isFound = [false];
  const trie: Trie = { letters, children, shorter, isFound };
  /** Values below each node, first and behind the last, and how long the node's text is. */
  const ranges = [{ first: 0, end: values.length, length: 0 }];
  for (let node = 0; node < ranges.length; node++) {
    const { first, end, length } = ranges[node] as (typeof ranges)[number];
    children.push(letters.length);
    if (isFound[node]) continue;
    for (let index = first; index < end; ) {
      const letter = (values[index] as string).charCodeAt(length);
      const begin = index;
      while (index < end && (values[index] as string).charCodeAt(length) === letter) index++;
      const back = node === ROOT ? ROOT : follow(trie, shorter[node] as number, letter);
      letters.push(letter);
      shorter.push(back);
      isFound.push(isFound[back] === true || (values[begin] as string).length === length + 1);
      ranges.push({ first: begin, end: index, length: length + 1 });
    }
  }
  children.push(letters.length);
  return {
    letters: Uint16Array.from(letters),
    children: Int32Array.from(children),
    shorter: Int32Array.from(shorter),
    isFound,
  };
}

/** The longest beginning that the node's text ends with once the letter is added. */
function follow(trie: Trie, from: number, letter: number): number {
  for (let node = from; ; node = trie.shorter[node] as number) {
    const child = childOf(trie, node, letter);
    if (child !== NONE) return child;
    if (node === ROOT) return ROOT;
  }
}

function childOf({ letters, children }: Trie, node: number, letter: number): number {
  let low = children[node] as number;
  let high = children[node + 1] as number;
  while (low < high) {
    const middle = (low + high) >> 1;
    const found = letters[middle] as number;
    if (found === letter) return middle;
    if (found < letter) low = middle + 1;
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
      if (isFound[node]) return true;
    }
    return false;
  };
}
