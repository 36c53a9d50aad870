import { type Filter, parse } from 'scim2-parse-filter';
import type { Rejection } from '../../../base/rejection.ts';
import { SCIM_LIMITS } from '../limits.ts';
import { invalidScim } from './protocol.ts';

/** A filter that was checked: all its values are set, and it contains only the operations that are listed here. */
export type Condition =
  | { readonly op: 'and' | 'or'; readonly parts: readonly Condition[] }
  | { readonly op: 'not'; readonly part: Condition }
  | { readonly op: 'any'; readonly path: string; readonly part: Condition }
  | { readonly op: 'pr'; readonly path: string }
  | { readonly op: Comparison; readonly path: string; readonly value: Value };

type Value = string | number | boolean | null;

const COMPARISONS = ['eq', 'ne', 'co', 'sw', 'ew', 'gt', 'ge', 'lt', 'le'] as const;
export type Comparison = (typeof COMPARISONS)[number];

/** A text in quotes, as JSON writes it. */
const QUOTED = /"(?:[^"\\]|\\.)*"/g;
const NUMBERED = /"\d+"/g;

/**
 * Parses a filter (RFC 7644, 3.4.2.2) within bounds. The parser does not read all escapes of JSON texts and calls itself for each bracket. So texts
 * are replaced by their numbers before it runs, and the depth is checked first.
 */
export function parseFilter(text: string): Condition | Rejection {
  if (text.length > SCIM_LIMITS.scimFilterLength.max)
    return invalidScim('invalidFilter', `A filter has at most ${SCIM_LIMITS.scimFilterLength.max} characters.`);
  const values: string[] = [];
  let parsed: Filter;
  try {
    const numbered = text.replace(QUOTED, (quoted) => {
      values.push(JSON.parse(quoted) as string);
      return `"${values.length - 1}"`;
    });
    // The parser's pattern of a text takes exponential time for one that does not end. All texts that end were replaced.
    if (numbered.replace(NUMBERED, '').includes('"'))
      return invalidScim('invalidFilter', `The filter ${shown(text)} cannot be read.`);
    if (depthOf(numbered) > SCIM_LIMITS.scimFilterDepth.max)
      return invalidScim('invalidFilter', `A filter has at most ${SCIM_LIMITS.scimFilterDepth.max} brackets.`);
    parsed = parse(numbered);
  } catch {
    return invalidScim('invalidFilter', `The filter ${shown(text)} cannot be read.`);
  }
  const budget = { tests: 0 };
  const condition = checked(parsed, values, budget, false);
  if (condition === undefined) return invalidScim('invalidFilter', `The filter ${shown(text)} cannot be read.`);
  if (budget.tests > SCIM_LIMITS.scimFilterTests.max)
    return invalidScim('invalidFilter', `A filter has at most ${SCIM_LIMITS.scimFilterTests.max} comparisons.`);
  return condition;
}

export function shown(text: string): string {
  return JSON.stringify(text.slice(0, 100));
}

function depthOf(text: string): number {
  return text.match(/[([]|\bnot\b/gi)?.length ?? 0;
}

/** Undefined: the filter contains something that is no operation. */
function checked(
  filter: Filter,
  values: readonly string[],
  budget: { tests: number },
  isInBrackets: boolean,
): Condition | undefined {
  switch (filter.op) {
    case 'and':
    case 'or': {
      const parts = filter.filters.map((part) => checked(part, values, budget, isInBrackets));
      return parts.includes(undefined) ? undefined : { op: filter.op, parts: parts as Condition[] };
    }
    case 'not': {
      const part = checked(filter.filter, values, budget, isInBrackets);
      return part && { op: 'not', part };
    }
    case '[]': {
      const part = isInBrackets ? undefined : checked(filter.valFilter, values, budget, true);
      return part && { op: 'any', path: filter.attrPath, part };
    }
    case 'pr':
      budget.tests++;
      return { op: 'pr', path: filter.attrPath };
    default: {
      budget.tests++;
      const { op, attrPath, compValue } = filter;
      if (!COMPARISONS.includes(op as Comparison)) return undefined;
      const value = typeof compValue === 'string' ? values[Number(compValue)] : compValue;
      return value === undefined ? undefined : { op: op as Comparison, path: attrPath, value: value as Value };
    }
  }
}
