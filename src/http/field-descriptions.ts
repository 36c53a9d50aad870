type Json = Record<string, unknown>;

/** Descriptions by key. A key is `word`, `owner.word` or `owner.path.to.word`; the longest key that exists is used. */
export type Glossary = Readonly<Record<string, string>>;

const DEFAULT_ONLY = /^default: /;

/** Adds a description to every property in the schema that has none. `owner` is the name of the component or operation. */
export function describeProperties(
  schema: unknown,
  owner: string,
  glossary: Glossary,
  path: readonly string[] = [],
): void {
  if (typeof schema !== 'object' || schema === null) return;
  const { properties, items, additionalProperties, anyOf, allOf, oneOf } = schema as Json;
  for (const [name, property] of Object.entries((properties ?? {}) as Record<string, Json>)) {
    const inside = [...path, name];
    describe(property, glossary, owner, inside);
    describeProperties(property, owner, glossary, inside);
  }
  for (const part of [items, additionalProperties, anyOf, allOf, oneOf].flat())
    describeProperties(part, owner, glossary, path);
}

/** Adds a description to one property or parameter. A default value is not a description. */
export function describe(target: Json, glossary: Glossary, owner: string, path: readonly string[]): void {
  const own = target.description ?? ofAlternative(target);
  if (typeof own === 'string' && !DEFAULT_ONLY.test(own)) {
    target.description = own;
    return;
  }
  const meaning = meaningOf(glossary, owner, path);
  if (meaning !== undefined) target.description = own === undefined ? meaning : `${meaning} (${own})`;
}

/** The description of the alternative that is not null. */
function ofAlternative({ anyOf }: Json): unknown {
  return (anyOf as Json[] | undefined)?.find(({ description }) => description !== undefined)?.description;
}

function meaningOf(glossary: Glossary, owner: string, path: readonly string[]): string | undefined {
  const word = path.at(-1) ?? '';
  for (const key of [`${owner}.${path.join('.')}`, `${owner}.${word}`, word]) {
    if (Object.hasOwn(glossary, key)) return glossary[key];
  }
  return undefined;
}
