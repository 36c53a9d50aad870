import { RE2JS } from 're2js';
import { type Automaton, automatonOf } from './automaton.ts';
import { regexCompileCost } from './regex-size.ts';

/** A compiled regular expression, or the reason why it cannot be used. */
type Expression =
  | { readonly automaton: Automaton; readonly compileCost: number }
  | { readonly automaton: null; readonly compileCost: number; readonly problem: string };

/** Maximum cost of compiling one expression, without its table: 2 ms. In units of 0.1 µs. */
const EXPRESSION_COST_MAX = 20_000;

/** Cost of one step of building a table, in the same unit. */
const TABLE_STEP_COST = 3;

/** Maximum number of cached expressions. Above it, the oldest one is evicted, and compiled again when it is needed. */
const CACHED_MAX = 2_048;

const cache = new Map<string, Expression>();

/**
 * The compiled expression of this pattern. It is cached: after a definition is validated, its evaluation does not compile the expression again.
 * The cost is estimated before compiling: a pattern of a dozen characters can take seconds to compile.
 */
export function expressionOf(pattern: string, foldsCase: boolean): Expression {
  const key = `${foldsCase ? 'i' : 'c'}${pattern}`;
  const cached = cache.get(key);
  if (cached !== undefined) return cached;
  const compiled = compile(pattern, foldsCase);
  const [oldest] = cache.keys();
  if (cache.size >= CACHED_MAX && oldest !== undefined) cache.delete(oldest);
  cache.set(key, compiled);
  return compiled;
}

function compile(pattern: string, foldsCase: boolean): Expression {
  const compileCost = regexCompileCost(pattern, foldsCase);
  if (compileCost > EXPRESSION_COST_MAX) {
    return {
      automaton: null,
      compileCost,
      problem: `${TOO_LARGE}: its expanded repetitions and classes exceed the limit`,
    };
  }
  let expression: RE2JS;
  try {
    expression = RE2JS.compile(pattern, foldsCase ? RE2JS.CASE_INSENSITIVE : 0);
  } catch (error) {
    const problem = error instanceof Error ? error.message : `"${pattern}" is not an RE2 expression`;
    return { automaton: null, compileCost, problem };
  }
  const { automaton, steps } = automatonOf(expression);
  const cost = compileCost + steps * TABLE_STEP_COST;
  if (automaton !== null) return { automaton, compileCost: cost };
  return {
    automaton,
    compileCost: cost,
    problem: `${TOO_LARGE}: it has too many states. Anchor it with ^, or use smaller repetition counts`,
  };
}

/** The beginning of both messages. */
const TOO_LARGE = 'the regular expression is too large to be evaluated in bounded time';
