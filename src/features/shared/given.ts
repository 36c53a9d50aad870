import type { TSchema } from 'typebox';

/**
 * The properties of an input that were given, of those that the schema states: `undefined` means "leave it". What the schema does not state it
 * allows, in a request as in a stored input, so whoever takes over all of an input would let callers write any property of an entity.
 */
export function given<T extends object>(
  fields: { readonly [Name in keyof T]-?: TSchema },
  input: T,
): { [Name in keyof T]: Exclude<T[Name], undefined> } {
  const named = Object.keys(fields) as (keyof T)[];
  return Object.fromEntries(
    named.flatMap((name) => (Object.hasOwn(input, name) && input[name] !== undefined ? [[name, input[name]]] : [])),
  ) as never;
}
