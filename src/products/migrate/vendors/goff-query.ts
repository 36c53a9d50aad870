import {
  both,
  type Comparison,
  type Condition,
  checkDepth,
  comparesWithNumber,
  comparesWithVersion,
  contextFieldOf,
  either,
  hasField,
  isOneOf,
  not,
  one,
  UnsupportedFlag,
} from './conditions.ts';

const TOKEN = /\s*(?:("(?:[^"\\]|\\.)*")|([()[\],])|(==|!=|<=|>=|<|>)|([^\s()[\],"<>=!]+))/y;

const COMPARISONS: Readonly<Record<string, Comparison>> = {
  eq: '=',
  '==': '=',
  ne: '!=',
  '!=': '!=',
  lt: '<',
  '<': '<',
  gt: '>',
  '>': '>',
  le: '<=',
  '<=': '<=',
  ge: '>=',
  '>=': '>=',
};

const TEXT_OPERATORS = { co: 'STR_CONTAINS', sw: 'STR_STARTS_WITH', ew: 'STR_ENDS_WITH' } as const;

const VERSION = /^\d+\.\d+\.\d+(?:-[0-9A-Za-z.-]+)?(?:\+[0-9A-Za-z.-]+)?$/;
const NUMBER = /^-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?$/;

/**
 * Converts a query of GO Feature Flag to a condition. GO Feature Flag ignores letter case when it compares texts, except in lists. A field that is
 * missing or has another type satisfies no comparison. `and` and `or` have the same precedence and are evaluated from left to right.
 * @throws UnsupportedFlag
 */
export function queryCondition(query: string): Condition {
  const reader = new QueryReader(tokensOf(query));
  const condition = reader.query();
  reader.end();
  return condition;
}

function tokensOf(query: string): string[] {
  const tokens: string[] = [];
  TOKEN.lastIndex = 0;
  const text = query.trimEnd();
  for (let at = 0; at < text.length; at = TOKEN.lastIndex) {
    const found = TOKEN.exec(text);
    if (found === null)
      throw new UnsupportedFlag(`its query cannot be parsed at ${JSON.stringify(text.slice(at, at + 20))}`);
    tokens.push(found[0].trim());
  }
  return tokens;
}

class QueryReader {
  readonly #tokens: readonly string[];
  #at = 0;
  /** Number of open brackets. */
  #depth = 0;

  constructor(tokens: readonly string[]) {
    this.#tokens = tokens;
  }

  query(): Condition {
    let condition = this.#part();
    for (;;) {
      const word = this.#tokens[this.#at]?.toLowerCase();
      if (word !== 'and' && word !== 'or') return condition;
      this.#at++;
      condition = word === 'and' ? both([condition, this.#part()]) : either([condition, this.#part()]);
    }
  }

  end(): void {
    if (this.#at < this.#tokens.length) throw syntaxProblem(this.#tokens[this.#at]);
  }

  #part(): Condition {
    const token = this.#next();
    if (token.toLowerCase() === 'not' && this.#tokens[this.#at] === '(') return not(this.#part());
    if (token === '(') {
      checkDepth(++this.#depth);
      const condition = this.query();
      this.#expect(')');
      this.#depth--;
      return condition;
    }
    if (!/^[A-Za-z][\w.:-]*$/.test(token)) throw syntaxProblem(token);
    return this.#comparison(contextFieldOf(token === 'key' ? 'targetingKey' : token));
  }

  #comparison(field: string): Condition {
    const operator = this.#next().toLowerCase();
    if (operator === 'pr') return hasField(field);
    if (operator === 'in') return this.#list(field);
    const value = this.#next();
    const comparison = Object.hasOwn(COMPARISONS, operator) ? COMPARISONS[operator] : undefined;
    const kind = Object.hasOwn(TEXT_OPERATORS, operator)
      ? TEXT_OPERATORS[operator as keyof typeof TEXT_OPERATORS]
      : undefined;
    if (kind !== undefined && value.startsWith('"'))
      return one({ contextName: field, operator: kind, values: [unquoted(value)], caseInsensitive: true });
    if (comparison === undefined) throw syntaxProblem(operator);
    if (value.startsWith('"')) return textCondition(field, comparison, unquoted(value));
    if (VERSION.test(value)) return comparesWithVersion(field, comparison, value);
    if (NUMBER.test(value)) return comparesWithNumber(field, comparison, Number(value));
    if ((value === 'true' || value === 'false') && (comparison === '=' || comparison === '!='))
      return isOneOf(field, [String((value === 'true') === (comparison === '='))]);
    throw syntaxProblem(value);
  }

  #list(field: string): Condition {
    this.#expect('[');
    const values: string[] = [];
    for (;;) {
      values.push(this.#next());
      const token = this.#next();
      if (token === ']') break;
      if (token !== ',') throw syntaxProblem(token);
    }
    if (values.every((value) => value.startsWith('"'))) return isOneOf(field, values.map(unquoted));
    if (values.every((value) => NUMBER.test(value)))
      return either(values.map((value) => comparesWithNumber(field, '=', Number(value))));
    throw syntaxProblem(values.join());
  }

  #next(): string {
    const token = this.#tokens[this.#at++];
    if (token === undefined) throw new UnsupportedFlag('its query is incomplete');
    return token;
  }

  #expect(token: string): void {
    const found = this.#next();
    if (found !== token) throw syntaxProblem(found);
  }
}

function textCondition(field: string, comparison: Comparison, value: string): Condition {
  const same = sameText(field, value);
  if (comparison === '=') return same;
  if (comparison === '!=') return both([not(same), hasField(field)]);
  throw new UnsupportedFlag(
    `its query compares the order of two texts (${field} ${comparison} ${JSON.stringify(value)})`,
  );
}

/** The condition that the field is equal to the text, ignoring letter case. It is a regular expression if the text contains letters. */
function sameText(contextName: string, value: string): Condition {
  if (value.toLowerCase() === value.toUpperCase()) return isOneOf(contextName, [value]);
  const pattern = `^${value.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&')}$`;
  return one({ contextName, operator: 'REGEX', value: pattern, caseInsensitive: true });
}

function unquoted(token: string): string {
  // GO Feature Flag does not interpret escapes in quoted texts.
  const text = token.slice(1, -1);
  if (text.includes('\\')) throw new UnsupportedFlag(`its query has an escape in ${token}`);
  return text;
}

function syntaxProblem(token: string | undefined): UnsupportedFlag {
  return new UnsupportedFlag(`its query cannot be parsed at ${JSON.stringify(token)}`);
}
