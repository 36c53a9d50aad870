import { RE2JS } from 're2js';
import { type Automaton, automatonOf } from './automaton.ts';
import { regexCompileCost } from './regex-size.ts';

/** A regular expression, ready to be asked; or why it cannot be used. */
type Expression =
  | { readonly automaton: Automaton; readonly compileCost: number }
  | { readonly automaton: null; readonly compileCost: number; readonly problem: string };

/** Most that compiling one expression may cost, before its table is made: 2 ms. In units of 0.1 µs. */
const EXPRESSION_COST_MAX = 20_000;

/** What one step of making a table costs, in the same unit. */
const TABLE_STEP_COST = 3;

/** Expressions that are kept. Beyond it the one that was made first is made again when it is asked for. */
const KEPT_MAX = 2_048;

const kept = new Map<string, Expression>();

/**
 * The expression of this pattern; made once for all that use it, so that whoever checks a definition has paid for those who evaluate it.
 * What it costs is known before it is spent: a pattern of a dozen characters can stand for seconds.
 */
export function expressionOf(pattern: string, foldsCase: boolean): Expression {
  const key = `${foldsCase ? 'i' : 'c'}${pattern}`;
  const known = kept.get(key);
  if (known !== undefined) return known;
  const made = make(pattern, foldsCase);
  const [oldest] = kept.keys();
  if (kept.size >= KEPT_MAX && oldest !== undefined) kept.delete(oldest);
  kept.set(key, made);
  return made;
}

function make(pattern: string, foldsCase: boolean): Expression {
  const compileCost = regexCompileCost(pattern, foldsCase);
  if (compileCost > EXPRESSION_COST_MAX) {
    return {
      automaton: null,
      compileCost,
      problem: `${TOO_LARGE}: its repetitions and classes, written out, are too many`,
    };
  }
  let expression: RE2JS;
  try {
    expression = RE2JS.compile(pattern, foldsCase ? RE2JS.CASE_INSENSITIVE : 0);
  } catch (error) {
    const problem = error instanceof Error ? error.message : `"${pattern}" is no RE2 expression`;
    return { automaton: null, compileCost, problem };
  }
  const { automaton, steps } = automatonOf(expression);
  const cost = compileCost + steps * TABLE_STEP_COST;
  if (automaton !== null) return { automaton, compileCost: cost };
  return { automaton, compileCost: cost, problem: `${TOO_LARGE}: it has too many states; anchor it, or repeat less` };
}

const TOO_LARGE = 'the regular expression is too large to be asked in bounded time';
