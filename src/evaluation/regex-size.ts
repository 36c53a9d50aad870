/** Number of steps that a class such as `\pL` counts as: it is one instruction, but with a list of hundreds of ranges. */
const UNICODE_CLASS_SIZE = 8;

/** Expressions nested deeper than this are refused as too large: the code that processes them is recursive. */
const GROUP_DEPTH_MAX = 50;

/**
 * Estimates the number of steps of a pattern's RE2 program, with expanded repetitions: `(a{10}){10}` has 100. RE2 takes time linear in the
 * text for each step, so the number of steps must be bounded: a pattern of 13 characters can take seconds to compile. The estimate is an upper
 * bound; this function does not check the syntax of the pattern.
 */
export function regexSize(pattern: string): number {
  /** Sizes of the open groups, the innermost last. */
  const openGroups = [0];
  let atom = 0;
  let index = 0;
  while (index < pattern.length) {
    const char = pattern[index];
    if (char === '(') {
      if (openGroups.length > GROUP_DEPTH_MAX) return Number.POSITIVE_INFINITY;
      openGroups.push(0);
      index++;
      continue;
    }
    const repetition = char === '{' ? REPETITION.exec(pattern.slice(index, index + 14)) : null;
    if (repetition) {
      const times = Math.max(Number(repetition[1]), Number(repetition[2] || 0), 1);
      addToInnermost(openGroups, atom * (times - 1));
      atom *= times;
      index += repetition[0].length;
      continue;
    }
    if (char === ')' && openGroups.length > 1) {
      atom = 1 + (openGroups.pop() ?? 0);
      index++;
    } else {
      const end = atomEnd(pattern, index);
      atom = atomSize(pattern.slice(index, end));
      index = end;
    }
    addToInnermost(openGroups, atom);
  }
  return openGroups.reduce((total, size) => total + size, 0);
}

const REPETITION = /^\{(\d{1,5})(?:,(\d{0,5}))?\}/;

function addToInnermost(openGroups: number[], size: number): void {
  openGroups.push((openGroups.pop() ?? 0) + size);
}

/** The end of the atom that starts at `start`: a character, an escape with its braces, a quotation or a bracket class. */
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

/** The end of a bracket class, with its escapes and named classes. A class without an end is a syntax error, so its size does not matter. */
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

/**
 * Costs of compiling, in units of about 0.1 µs (docs/decisions/expressions.md): a step, a named class, a character of a class, a folded character.
 */
const STEP_COST = 40;
const UNICODE_CLASS_COST = 1_000;
const CLASS_CHARACTER_COST = 5;
const FOLDED_RUNE_COST = 0.3;

/**
 * Estimates the time to compile the pattern, in units of 0.1 µs, without compiling it: from the length of its program, the named classes, and
 * the number of folded characters if letter case is ignored.
 */
export function regexCompileCost(pattern: string, foldsCase: boolean): number {
  const folds = foldsCase || /\(\?[A-Za-z-]*i/.test(pattern);
  let cost = regexSize(pattern) * STEP_COST + (pattern.match(/\\[pP]|\[:/g)?.length ?? 0) * UNICODE_CLASS_COST;
  for (let index = 0; index < pattern.length; ) {
    const end = atomEnd(pattern, index);
    if (pattern[index] === '[') {
      const members = pattern.slice(index, end);
      cost += members.length * CLASS_CHARACTER_COST;
      if (folds) cost += foldedRunes(members) * FOLDED_RUNE_COST;
    }
    index = end;
  }
  return cost;
}

const RANGE = /(\\x\{[0-9A-Fa-f]{1,6}\}|\\x[0-9A-Fa-f]{2}|\\?.)-(\\x\{[0-9A-Fa-f]{1,6}\}|\\x[0-9A-Fa-f]{2}|\\?.)/gsu;

/** Characters in the ranges of a class. */
function foldedRunes(members: string): number {
  let runes = 0;
  for (const [, from = '', to = ''] of members.matchAll(RANGE)) runes += Math.max(runeOf(to) - runeOf(from), 0);
  return runes;
}

function runeOf(text: string): number {
  const digits = /^\\x\{?([0-9A-Fa-f]+)/.exec(text)?.[1];
  return digits === undefined ? (text.codePointAt(text.startsWith('\\') ? 1 : 0) ?? 0) : Number.parseInt(digits, 16);
}
