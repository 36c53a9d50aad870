import Type, { type Static, type TObject, type TOptional, type TProperties, type TSchema } from 'typebox';

/** Fields that a client may leave out. */
type Optionals<F extends TProperties> = { [Name in keyof F]: TOptional<F[Name]> };

/** `name`, or `name?` if a client may leave the field out. */
type FieldNames<F> = (keyof F & string) | `${keyof F & string}?`;

type WrittenFields<F, N extends string> = {
  [Name in N as Name extends `${infer Bare}?` ? Bare : Name]: Name extends `${infer Bare}?`
    ? TOptional<F[Bare & keyof F] & TSchema>
    : F[Name & keyof F] & TSchema;
};

/** Fields of an entity as clients write them, in the order of `names`. */
export function writtenFields<F extends TProperties, const N extends FieldNames<F>>(
  { properties }: TObject<F>,
  ...names: readonly N[]
): WrittenFields<F, N> {
  const fields = names.map((name) => {
    const [bare, isOptional] = name.endsWith('?') ? [name.slice(0, -1), true] : [name, false];
    const input = inputSchema(properties[bare] as TSchema);
    return [bare, isOptional ? Type.Optional(input) : input];
  });
  return Object.fromEntries(fields) as never;
}

/** Fields of an entity as they appear in answers, in the order of `names`. Without names: all its fields. */
export function answeredFields<F extends TProperties, const N extends keyof F & string = keyof F & string>(
  { properties }: TObject<F>,
  ...names: readonly N[]
): Pick<F, N> {
  const all = names.length > 0 ? names : Object.keys(properties);
  return Object.fromEntries(all.map((name) => [name, answerSchema(properties[name] as TSchema)])) as never;
}

/** The fields, all of which a client may leave out. */
export function optional<F extends TProperties>(fields: F): Optionals<F> {
  return mapFields(fields, (schema) => Type.Optional(schema)) as never;
}

/** The fields, with the values that optional ones have if a client leaves them out. The schemas do not state null. */
export function withDefaults<F extends TProperties>(fields: F, values: Readonly<Record<string, unknown>>): F {
  return mapFields(fields, (schema, name) => {
    const value = values[name] ?? undefined;
    return value === undefined ? schema : Type.Optional({ ...schema, default: value });
  }) as never;
}

type Keywords = Readonly<Record<string, unknown>>;

/** Schema keywords for clients that write the field. They are removed for clients that read it. */
const INPUT_KEYWORDS: ReadonlySet<string> = new Set([
  'minLength',
  'maxLength',
  'pattern',
  'minimum',
  'maximum',
  'minItems',
  'maxItems',
  'description',
  'default',
]);

/** The field as a client writes it. In an entity's schema, `description` is for clients that write the field, `answer` for clients that read it. */
export function inputSchema(schema: TSchema): TSchema {
  return mapSchema(schema, ({ answer: _answer, ...rest }) => rest);
}

/** The field as it appears in answers, without the bounds for the values that a client may write. */
export function answerSchema(schema: TSchema): TSchema {
  return mapSchema(schema, ({ answer, allOf, ...rest }) => {
    const [first] = (allOf ?? []) as readonly TSchema[];
    if (first) return answerSchema(first) as Keywords;
    const otherKeywords = Object.entries(rest).filter(([keyword]) => !INPUT_KEYWORDS.has(keyword));
    return { ...Object.fromEntries(otherKeywords), ...(answer !== undefined && { description: answer }) };
  });
}

/**
 * A copy of the schema in which `change` was applied to the keywords of the schema and of every schema inside it. A schema with an `$id` or a
 * `format` is the same everywhere and is not changed.
 */
function mapSchema(schema: TSchema, change: (keywords: Keywords) => Keywords): TSchema {
  if ('$id' in schema || 'format' in schema) return schema;
  const inside: [string, unknown][] = Object.entries(schema as Keywords).map(([keyword, value]) => {
    if (keyword === 'items') return [keyword, mapSchema(value as TSchema, change)];
    if (keyword === 'anyOf') return [keyword, (value as readonly TSchema[]).map((one) => mapSchema(one, change))];
    if (keyword !== 'properties') return [keyword, value];
    return [keyword, mapFields(value as TProperties, (member) => mapSchema(member, change))];
  });
  return change(Object.fromEntries(inside)) as TSchema;
}

function mapFields(fields: TProperties, change: (schema: TSchema, name: string) => TSchema): TProperties {
  return Object.fromEntries(Object.entries(fields).map(([name, schema]) => [name, change(schema, name)])) as never;
}

/**
 * The fields of an input that the client sent and the schema states, also inside objects and lists; `undefined` means "leave the field unchanged".
 * Schemas allow properties that they do not state, in requests and in stored inputs. Such properties are dropped here, so that no client can write
 * any other property of an entity.
 */
export function statedFields<F extends TProperties>(fields: F, input: object): Partial<Static<TObject<F>>> {
  const members = input as Keywords;
  const names = Object.keys(fields).filter((name) => Object.hasOwn(input, name) && members[name] !== undefined);
  return Object.fromEntries(names.map((name) => [name, statedValue(fields[name] as TSchema, members[name])])) as never;
}

/** The value without the properties that the schema does not state. */
function statedValue(schema: TSchema, value: unknown): unknown {
  const { items, properties } = schema as { readonly items?: TSchema; readonly properties?: TProperties };
  if (items && Array.isArray(value)) return value.map((item) => statedValue(items, item));
  if (!properties || typeof value !== 'object' || value === null) return value;
  return statedFields(properties, value);
}
