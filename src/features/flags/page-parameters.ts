import Type, { type TProperties } from 'typebox';

/** Maximum number of flags on a page that a query asks for by `limit` and `cursor` or `fields`. */
export const LARGE_PAGE_MAX = 1_000;

const CURSOR_LENGTH_MAX = 1_000;
const LIST_LENGTH_MAX = 500;

export const CursorParameter = Type.Optional(
  Type.String({
    maxLength: CURSOR_LENGTH_MAX,
    description:
      'The `cursor` of the previous page of the same query: the page begins after the last flag of that page',
  }),
);

/** In an answer. */
export const NextCursor = Type.Optional(
  Type.String({ description: 'Continues after the last flag of the page; missing on the last page' }),
);

/** Some of the texts, separated by commas. */
export function listParameter(texts: readonly string[], description: string) {
  const one = `(${texts.join('|')})`;
  const text = Type.String({ maxLength: LIST_LENGTH_MAX, pattern: `^${one}(,${one})*$`, description });
  return Type.Optional(text);
}

/** The parameter that states which fields of a flag the answer has. */
export function fieldsParameter(names: readonly string[]) {
  return listParameter(
    names,
    `The fields of each flag, separated by commas; \`name\` is always one of them. Only these are computed. Without it: all fields. ${names.join(', ')}`,
  );
}

/** An item of an answer with `fields`: only `name` is always present. */
export function projected<Fields extends TProperties>(fields: Fields) {
  const { name, ...others } = fields;
  return Type.Intersect([Type.Object({ name: name as Fields['name'] }), Type.Partial(Type.Object(others))]);
}

/** The fields that the query names; undefined if it names none. */
export function namedFields<Field extends string>(text: string | undefined): readonly ('name' | Field)[] | undefined {
  return text === undefined ? undefined : [...new Set(['name', ...(text.split(',') as Field[])] as const)];
}

/** Creates an object with the values of the named fields, in this order. */
export function pickFields<Field extends string, Source>(
  fields: readonly Field[],
  compute: Readonly<Record<Field, (source: Source) => unknown>>,
  source: Source,
): Record<string, unknown> {
  const values: Record<string, unknown> = {};
  for (const field of fields) values[field] = compute[field](source);
  return values;
}
