import type { TObject, TSchema } from 'typebox';
import { isUtf8Encoded } from '../base/percent-encoding.ts';
import { invalid, Rejection } from '../base/rejection.ts';
import { validate } from '../base/validation.ts';

/** Maximum number of query parameters of a request. */
const PARAMETERS_MAX = 200;

/** The answer to a query whose percent-encoded bytes are not text. */
const NOT_UTF8 = invalid('The query is not UTF-8.');
const TOO_MANY = invalid(`The query has more than ${PARAMETERS_MAX} parameters.`);

/** The parameters of a query text, without "?", in order. */
export function parametersOf(text: string): URLSearchParams | Rejection {
  if (!isUtf8Encoded(text)) return NOT_UTF8;
  const parameters = new URLSearchParams(text);
  return parameters.size > PARAMETERS_MAX ? TOO_MANY : parameters;
}

/** The query text, parsed with `parseQuery` and validated with the schema. */
export function checkedQuery(text: string, schema: TObject | undefined): Record<string, unknown> | Rejection {
  const query = parseQuery(text, schema);
  if (query instanceof Rejection || schema === undefined) return query;
  return validate(schema, query, 'query') ?? query;
}

/**
 * Reads a query text by a schema: numbers and booleans are converted if the schema requires it, and both `name` and `name[]` add to a
 * list. Parameters that are not in the schema are left out. A value that cannot be converted stays text, so that the validator refuses it.
 */
function parseQuery(text: string, schema: TObject | undefined): Record<string, unknown> | Rejection {
  if (schema === undefined || text === '') return {};
  const parameters = parametersOf(text);
  if (parameters instanceof Rejection) return parameters;
  const result: Record<string, unknown> = Object.create(null);
  for (const [name, value] of parameters) {
    const key = name.endsWith('[]') ? name.slice(0, -2) : name;
    if (!Object.hasOwn(schema.properties, key)) continue;
    const property = schema.properties[key] as TSchema & { type?: string; items?: TSchema & { type?: string } };
    if (property.type === 'array') {
      const list = (result[key] as unknown[] | undefined) ?? [];
      list.push(convert(value, property.items?.type));
      result[key] = list;
    } else result[key] = convert(value, property.type);
  }
  return { ...result };
}

function convert(value: string, type: string | undefined): unknown {
  if (type === 'integer' || type === 'number')
    return value.trim() !== '' && Number.isFinite(Number(value)) ? Number(value) : value;
  if (type === 'boolean') return value === 'true' ? true : value === 'false' ? false : value;
  return value;
}
