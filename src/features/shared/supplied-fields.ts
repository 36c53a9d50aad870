import type { TSchema } from 'typebox';

/**
 * The properties of an input that the client sent and the schema states; `undefined` means "leave the field unchanged". Schemas allow properties that
 * they do not state, in requests and in stored inputs. A command that copied the whole input would therefore let clients write any property of an
 * entity.
 */
export function suppliedFields<T extends object>(
  fields: { readonly [Name in keyof T]-?: TSchema },
  input: T,
): { [Name in keyof T]: Exclude<T[Name], undefined> } {
  const names = Object.keys(fields) as (keyof T)[];
  return Object.fromEntries(
    names.flatMap((name) => (Object.hasOwn(input, name) && input[name] !== undefined ? [[name, input[name]]] : [])),
  ) as never;
}
