import type { Static, TObject, TOptional, TProperties, TSchema } from 'typebox';

/** Fields that a client may leave out. */
export type Optionals<F extends TProperties> = { [Name in keyof F]: TOptional<F[Name]> };

type Keywords = Readonly<Record<string, unknown>>;

/** What a schema says to clients that write the field, and not to those that read it. */
const OF_INPUTS: ReadonlySet<string> = new Set([
  ...['minLength', 'maxLength', 'pattern', 'minimum', 'maximum', 'minItems', 'maxItems'],
  ...['description', 'default'],
]);

/**
 * The field as a client writes it. `usual` is its value when it is left out; null needs no mention. In an entity's schema `description` is for
 * clients that write the field, `answer` for those that read it.
 */
export function inputSchema(schema: TSchema, usual: unknown): TSchema {
  const input = mapped(schema, ({ answer: _answer, ...rest }) => rest);
  return usual === undefined || usual === null || typeof usual === 'object' ? input : { ...input, default: usual };
}

/** The field as it is answered, without the bounds of what a client may write. */
export function answerSchema(schema: TSchema): TSchema {
  return mapped(schema, ({ answer, allOf, ...rest }) => {
    const [first] = (allOf ?? []) as readonly TSchema[];
    if (first) return answerSchema(first) as Keywords;
    const kept = Object.entries(rest).filter(([keyword]) => !OF_INPUTS.has(keyword));
    return { ...Object.fromEntries(kept), ...(answer !== undefined && { description: answer }) };
  });
}

/** The schema with its keywords changed, and those of each schema in it. */
function mapped(schema: TSchema, change: (keywords: Keywords) => Keywords): TSchema {
  const inside: [string, unknown][] = Object.entries(schema as Keywords).map(([keyword, value]) => {
    if (keyword === 'items') return [keyword, mapped(value as TSchema, change)];
    if (keyword === 'anyOf') return [keyword, (value as readonly TSchema[]).map((one) => mapped(one, change))];
    if (keyword !== 'properties') return [keyword, value];
    return [keyword, mapFields(value as TProperties, (member) => mapped(member, change))];
  });
  return change(Object.fromEntries(inside)) as TSchema;
}

export function mapFields(fields: TProperties, change: (schema: TSchema, name: string) => TSchema): TProperties {
  return Object.fromEntries(Object.entries(fields).map(([name, schema]) => [name, change(schema, name)])) as never;
}

/**
 * The fields of an input that the client gave: `undefined` means "leave it". What the schema does not state it allows, in a request as in a
 * stored input: it is dropped here, so that no client can write any other property of an entity.
 */
export function statedFields<F extends TProperties>(fields: F, input: object): Partial<Static<TObject<F>>> {
  const members = input as Keywords;
  const given = Object.keys(fields).filter((name) => Object.hasOwn(input, name) && members[name] !== undefined);
  return Object.fromEntries(given.map((name) => [name, stated(fields[name] as TSchema, members[name])])) as never;
}

function stated(schema: TSchema, value: unknown): unknown {
  const { items, properties } = schema as { readonly items?: TSchema; readonly properties?: TProperties };
  if (items && Array.isArray(value)) return value.map((item) => stated(items, item));
  if (!properties || typeof value !== 'object' || value === null) return value;
  return statedFields(properties, value);
}
