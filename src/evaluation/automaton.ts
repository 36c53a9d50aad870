import type { RE2JS } from 're2js';

/**
 * A regular expression as a precomputed DFA table: one look-up for each character, for every expression. RE2's own machines are linear in the text as
 * well, but a character may cost one step for each part of the expression. The table costs these steps only once, when it is built.
 */
export interface Automaton {
  /** Whether the expression is found anywhere in the text. */
  readonly test: (text: string) => boolean;
  /** Number of character ranges after Latin-1. The search for the range of a character goes through them. */
  readonly ranges: number;
}

/** Maximum number of cells in a table: 32 kB. A typical expression has a few hundred. */
const TABLE_CELLS_MAX = 16_384;

/**
 * Maximum number of steps to build a table; one step follows one part of the expression with one kind of character. Expressions such as
 * `a.{20}$` would have a million states: this limit stops them.
 */
const TABLE_STEPS_MAX = 20_000;

const DEAD = 0;
const FOUND = 1;
const FIRST_STATE = 2;

/** RE2's flag for a search that may begin anywhere. */
const UNANCHORED = 0;
/** Passed as the character at the end of the text. */
const END_OF_TEXT = -1;
/** Context of the first character of a text: -1, all assertion flags are set. */
const BEGINNING = { context: () => -1 };

type Machine = ReturnType<RE2JS['re2']>;

/** The part of RE2's machine that this module uses; the package has no types for it. */
interface Program {
  readonly inst: readonly Instruction[];
}

interface Instruction {
  readonly arg: number;
  readonly runes: Int32Array;
  matchRune(rune: number): boolean;
}

interface DfaState {
  readonly nfaStates: readonly number[];
  readonly isMatch: boolean;
}

interface Dfa {
  /** The expression cannot run as a DFA: it depends on earlier characters. */
  readonly failed: boolean;
  /** First character of each class. The first class begins at 0 and is not listed. */
  readonly classBounds: Int32Array;
  readonly numClasses: number;
  start(input: { context(): number }, position: number): DfaState | null;
  step(state: DfaState, column: number, rune: number, anchor: number): DfaState | null;
}

/**
 * The expression's table, and the number of steps that were used for it. Null instead of a table: RE2 has no DFA for it, or it would be too large.
 */
export function automatonOf(expression: RE2JS): { readonly automaton: Automaton | null; readonly steps: number } {
  const machine: Machine = expression.re2();
  const program: Program = machine.prog;
  // RE2 keeps this DFA with its machine; this code shares it.
  const dfa: Dfa = (machine as unknown as { dfa: Dfa }).dfa;
  const budget = new StepBudget();
  if (dfa.failed) return { automaton: null, steps: 0 };
  const alphabet = alphabetOf(program, dfa, budget);
  const table = alphabet && tableOf(dfa, alphabet, budget);
  if (!alphabet || !table) return { automaton: null, steps: budget.steps };
  const automaton = { test: search(table, alphabet), ranges: alphabet.starts.length - alphabet.beyondLatin1 };
  return { automaton, steps: budget.steps };
}

/** The steps that building one table may still use. */
class StepBudget {
  steps = 0;

  /** Counts the steps. Returns false, and counts nothing, if they would exceed the limit. */
  add(steps: number): boolean {
    if (this.steps + steps > TABLE_STEPS_MAX) return false;
    this.steps += steps;
    return true;
  }
}

/** Characters that no part of the expression distinguishes use the same column. */
interface Alphabet {
  /** For each column one of its characters, and RE2's class of that character. */
  readonly samples: readonly { readonly rune: number; readonly dfaClass: number }[];
  /** Column of each Latin-1 character. */
  readonly latin1: Uint16Array;
  /** First character of each range, ascending from 0. `columns`: the column of each range. */
  readonly starts: Int32Array;
  readonly columns: Uint16Array;
  /** Index of the range that contains the first character after Latin-1. */
  readonly beyondLatin1: number;
}

const LATIN1_SIZE = 256;

function alphabetOf({ inst }: Program, { classBounds }: Dfa, budget: StepBudget): Alphabet | null {
  const parts = distinctParts(inst);
  // Matching one character with one part costs about a quarter of a step.
  if (!budget.add((parts.length * (classBounds.length + 1)) / 4)) return null;
  const samples: { rune: number; dfaClass: number }[] = [];
  const columnOf = new Map<string, number>();
  const starts: number[] = [];
  const columns: number[] = [];
  for (let dfaClass = 0; dfaClass <= classBounds.length; dfaClass++) {
    const rune = dfaClass === 0 ? 0 : (classBounds[dfaClass - 1] as number);
    let key = rune === NEWLINE ? 'n' : isWord(rune) ? 'w' : '-';
    for (const part of parts) key += part.matchRune(rune) ? '1' : '0';
    let column = columnOf.get(key);
    if (column === undefined) {
      column = samples.length;
      columnOf.set(key, column);
      samples.push({ rune, dfaClass });
    }
    if (columns.at(-1) === column) continue;
    starts.push(rune);
    columns.push(column);
  }
  const ranges = { starts: Int32Array.from(starts), columns: Uint16Array.from(columns) };
  const latin1 = Uint16Array.from({ length: LATIN1_SIZE }, (_, rune) => ranges.columns[rangeAt(starts, 0, rune)] ?? 0);
  return { samples, latin1, ...ranges, beyondLatin1: rangeAt(starts, 0, LATIN1_SIZE) };
}

const NEWLINE = 10;

/** Whether `\b` treats the character as part of a word. */
function isWord(rune: number): boolean {
  return rune < 128 && /\w/.test(String.fromCharCode(rune));
}

/**
 * Instructions that match a character, without duplicates. Long lists of characters are compared by identity, because the instructions of an expanded
 * repetition share one list.
 */
function distinctParts(instructions: readonly Instruction[]): Instruction[] {
  const kinds = new Set<unknown>();
  return instructions.filter((instruction) => {
    const { runes, arg } = instruction;
    if (runes.length === 0) return false;
    const kind = runes.length <= 8 ? `${arg}:${runes.join()}` : runes;
    return !kinds.has(kind) && kinds.add(kind);
  });
}

/** Index of the range that contains the character; it is `first` or a later one. */
function rangeAt(starts: ArrayLike<number>, first: number, rune: number): number {
  let low = first;
  let high = starts.length;
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if ((starts[middle] as number) <= rune) low = middle;
    else high = middle;
  }
  return low;
}

interface Table {
  readonly start: number;
  /** One row for each state: the next state for each column, then the state at the end of the text. */
  readonly cells: Uint16Array;
}

function tableOf(dfa: Dfa, { samples }: Alphabet, budget: StepBudget): Table | null {
  const first = dfa.start(BEGINNING, 0);
  if (first === null) return null;
  const states: DfaState[] = [first];
  const numbers = new Map<DfaState, number>([[first, FIRST_STATE]]);
  const numberOf = (state: DfaState): number => {
    if (state.isMatch) return FOUND;
    let number = numbers.get(state);
    if (number === undefined) {
      number = FIRST_STATE + states.length;
      numbers.set(state, number);
      states.push(state);
    }
    return number;
  };
  const width = samples.length + 1;
  const cells: number[] = new Array(FIRST_STATE * width).fill(DEAD);
  for (let index = 0; index < states.length; index++) {
    const state = states[index] as DfaState;
    if (!budget.add(width * (state.nfaStates.length + 1)) || cells.length + width > TABLE_CELLS_MAX) return null;
    for (const { rune, dfaClass } of samples) {
      const next = dfa.step(state, dfaClass, rune, UNANCHORED);
      if (next === null) return null;
      cells.push(numberOf(next));
    }
    const last = dfa.step(state, dfa.numClasses, END_OF_TEXT, UNANCHORED);
    if (last === null) return null;
    cells.push(last.isMatch ? FOUND : DEAD);
  }
  removeDeadEnds(cells, width);
  return { start: FIRST_STATE, cells: Uint16Array.from(cells) };
}

/** Replaces each state that is not a match and leads only to itself by `DEAD`, so that the search ends there. */
function removeDeadEnds(cells: number[], width: number): void {
  const deadEnds = new Set<number>();
  for (let state = FIRST_STATE; state * width < cells.length; state++) {
    const row = cells.slice(state * width, (state + 1) * width);
    if (row.pop() === DEAD && row.every((next) => next === state || next === DEAD)) deadEnds.add(state);
  }
  if (deadEnds.size === 0) return;
  for (const [index, next] of cells.entries()) if (deadEnds.has(next)) cells[index] = DEAD;
}

function search({ start, cells }: Table, alphabet: Alphabet): (text: string) => boolean {
  const { latin1, samples, starts, columns, beyondLatin1 } = alphabet;
  const width = samples.length + 1;
  return (text) => {
    let state = start;
    for (let index = 0; index < text.length; index++) {
      let rune = text.charCodeAt(index);
      let column: number;
      if (rune < LATIN1_SIZE) column = latin1[rune] as number;
      else {
        rune = text.codePointAt(index) as number;
        if (rune > 0xffff) index++;
        column = columns[rangeAt(starts, beyondLatin1, rune)] as number;
      }
      state = cells[state * width + column] as number;
      if (state <= FOUND) return state === FOUND;
    }
    return cells[state * width + width - 1] === FOUND;
  };
}
