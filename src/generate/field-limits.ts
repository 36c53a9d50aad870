import type { TSchema } from 'typebox';
import { endpoints } from '../features/registry.ts';
import { withTable } from './tables.ts';

/** The keywords of schemas that state a maximum, and what they count. */
const KEYWORDS = {
  maxLength: 'characters',
  maxItems: 'values',
  maxProperties: 'properties',
  maximum: 'as a number',
} as const;
type Keyword = keyof typeof KEYWORDS;

type Schema = TSchema & Readonly<Record<string, unknown>>;

/** Keywords of schemas that contain other schemas: lists of schemas, and single ones. */
const LISTS = ['anyOf', 'allOf', 'oneOf'];
const SINGLE = ['items', 'additionalProperties', 'not'];

/** For each keyword and number: the names of the fields of requests for which a schema states it. */
function fieldLimits(): ReadonlyMap<Keyword, ReadonlyMap<number, ReadonlySet<string>>> {
  const found = new Map<Keyword, Map<number, Set<string>>>();
  const add = (keyword: Keyword, number: number, name: string) => {
    const numbers = found.get(keyword) ?? new Map<number, Set<string>>();
    found.set(keyword, numbers);
    numbers.set(number, (numbers.get(number) ?? new Set()).add(name));
  };
  const visited = new Set<unknown>();
  const visit = (schema: unknown, name: string): void => {
    if (typeof schema !== 'object' || schema === null || visited.has(schema)) return;
    const keywords = schema as Schema;
    for (const keyword of Object.keys(KEYWORDS) as Keyword[]) {
      const number = keywords[keyword];
      if (typeof number === 'number') add(keyword, number, name);
    }
    for (const key of SINGLE) visit(keywords[key], name);
    for (const key of LISTS) for (const part of (keywords[key] as unknown[] | undefined) ?? []) visit(part, name);
    // Schemas of fields are shared: only a schema with names of its own need not be visited again.
    if (keywords.properties === undefined && keywords.patternProperties === undefined) return;
    visited.add(schema);
    for (const part of Object.values(keywords.patternProperties ?? {})) visit(part, name);
    for (const [field, part] of Object.entries(keywords.properties ?? {})) visit(part, field);
  };
  for (const { params, query, body, operationId } of endpoints)
    for (const schema of [params, query, body]) visit(schema, operationId);
  return found;
}

/** The table of docs/reference/limits.md, generated from the schemas of all requests. */
function fieldsTable(): string {
  const limits = fieldLimits();
  const rows = (Object.keys(KEYWORDS) as Keyword[]).flatMap((keyword) => {
    const numbers = [...(limits.get(keyword) ?? [])].sort(([left], [right]) => left - right);
    return numbers.map(([number, names]) => {
      const fields = [...names].sort().map((name) => `\`${name}\``);
      return `| ${KEYWORDS[keyword]} | ${number.toLocaleString('en-US')} | ${fields.join(', ')} |`;
    });
  });
  return ['| at most … | number | in the fields |', '|---|---:|---|', ...rows].join('\n');
}

/** Returns the text with the current table of the limits of fields. */
export function withFieldsTable(text: string): string {
  return withTable(text, 'fields', fieldsTable());
}
