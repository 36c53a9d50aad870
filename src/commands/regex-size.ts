/** Most program steps that the expressions of one list may stand for together. Measured: as many compile in less than 10 ms once warm. */
export const REGEX_SIZE_MAX = 2_000;

/** A class such as `\pL` is a list of hundreds of ranges. */
const UNICODE_CLASS_SIZE = 8;

/** Expressions nested deeper than this are refused with the others: everything that reads them recurses. */
const GROUP_DEPTH_MAX = 50;

/**
 * About how many steps the RE2 program of a pattern has, repetitions written out: `(a{10}){10}` has 100. RE2 promises time linear in the
 * text for each step, so it is the steps that must be bounded: 13 characters can stand for a compilation of seconds. An estimate from
 * above; whether the pattern is an expression at all is not asked here.
 */
export function regexSize(pattern: string): number {
  /** Sizes of the open groups, the innermost last. */
  const open = [0];
  let atom = 0;
  let index = 0;
  while (index < pattern.length) {
    const char = pattern[index];
    if (char === '(') {
      if (open.length > GROUP_DEPTH_MAX) return Number.POSITIVE_INFINITY;
      open.push(0);
      index++;
      continue;
    }
    const repetition = char === '{' ? REPETITION.exec(pattern.slice(index, index + 14)) : null;
    if (repetition) {
      const times = Math.max(Number(repetition[1]), Number(repetition[2] || 0), 1);
      add(open, atom * (times - 1));
      atom *= times;
      index += repetition[0].length;
      continue;
    }
    if (char === ')' && open.length > 1) {
      atom = 1 + (open.pop() ?? 0);
      index++;
    } else {
      const end = atomEnd(pattern, index);
      atom = atomSize(pattern.slice(index, end));
      index = end;
    }
    add(open, atom);
  }
  return open.reduce((total, size) => total + size, 0);
}

const REPETITION = /^\{(\d{1,5})(?:,(\d{0,5}))?\}/;

function add(open: number[], size: number): void {
  open.push((open.pop() ?? 0) + size);
}

/** Where the atom that starts at `start` ends: a character, an escape with its braces, a quotation or a bracket class. */
function atomEnd(pattern: string, start: number): number {
  if (pattern[start] === '\\') return escapeEnd(pattern, start);
  return pattern[start] === '[' ? classEnd(pattern, start) : start + 1;
}

function escapeEnd(pattern: string, start: number): number {
  const kind = pattern[start + 1];
  if (kind === 'Q') return endOf(pattern, '\\E', start + 2);
  if (kind !== 'p' && kind !== 'P' && kind !== 'x') return start + 2;
  if (pattern[start + 2] === '{') return endOf(pattern, '}', start + 3);
  return start + (kind === 'x' ? 4 : 3);
}

/** A bracket class, with what is escaped or named in it. One that never ends is no expression, and its size does not matter. */
function classEnd(pattern: string, start: number): number {
  let index = start + 1;
  if (pattern[index] === '^') index++;
  if (pattern[index] === ']') index++;
  while (index < pattern.length && pattern[index] !== ']') {
    if (pattern[index] === '\\') index = escapeEnd(pattern, index);
    else if (pattern.startsWith('[:', index)) index = endOf(pattern, ':]', index + 2);
    else index++;
  }
  return index + 1;
}

function endOf(pattern: string, mark: string, from: number): number {
  const at = pattern.indexOf(mark, from);
  return at < 0 ? pattern.length : at + mark.length;
}

function atomSize(atom: string): number {
  if (atom.startsWith('\\Q')) return atom.length;
  return 1 + (atom.match(/\\[pP]/g)?.length ?? 0) * UNICODE_CLASS_SIZE;
}
