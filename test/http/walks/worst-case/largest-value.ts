import { DEFAULT_LIMITS } from '../../../../src/features/modules.ts';
import { type ApiDocument, resolved, type Schema } from './document.ts';
import { FIELD } from './expensive-constraints.ts';

/** `many`: as many small items as fit; `large`: each item as large as allowed. */
type Mode = 'many' | 'large';

export interface Shape {
  readonly mode: Mode;
  /** The kind of constraints, where the schema has constraints. */
  readonly flavour: string;
  /** How many bytes the body may have. */
  readonly bytes: number;
  /** In (0, 1]: the scale of what the number of bytes does not limit. */
  readonly scale: number;
  /** Part of every name, so that no two attempts make the same name. */
  readonly attempt: string;
}

/** The value of a property that must be left out. */
export const OMIT = Symbol('omit');

/** Values from the state, where a schema does not say enough. Undefined: the generator makes the value. */
export type Vocabulary = (path: readonly string[], at: number, shape: Shape, bytes: number) => unknown;

/** Limits that are lower than the maxima of the schemas. A body that is a list is a list of variants. */
const ITEMS_MAX: Readonly<Record<string, number>> = {
  variants: DEFAULT_LIMITS.featureVariants,
  overrides: DEFAULT_LIMITS.variantOverrides,
  legalValues: DEFAULT_LIMITS.legalValues,
  tags: DEFAULT_LIMITS.featureTags,
};

/** The largest value that a schema allows within the bytes of the shape. */
export class LargestValue {
  readonly #document: ApiDocument;
  readonly #vocabulary: Vocabulary;
  readonly #shape: Shape;
  #count = 0;

  constructor(document: ApiDocument, vocabulary: Vocabulary, shape: Shape) {
    this.#document = document;
    this.#vocabulary = vocabulary;
    this.#shape = shape;
  }

  of(schema: Schema): unknown {
    return this.#make(schema, this.#shape.bytes, [], 0);
  }

  #make(reference: Schema, bytes: number, path: readonly string[], at: number): unknown {
    const known = this.#vocabulary(path, at, this.#shape, bytes);
    if (known !== undefined) return known;
    const schema = resolved(reference, this.#document);
    if (schema.const !== undefined) return schema.const;
    if (schema.enum) return schema.enum[0];
    if (schema.anyOf) return this.#largestOf(schema.anyOf, bytes, path, at);
    if (schema.type === 'array') return this.#array(schema, bytes, path);
    if (schema.type === 'object') return this.#object(schema, bytes, path, at);
    if (schema.type === 'integer' || schema.type === 'number') return Math.min(schema.maximum ?? 1_000, 1_000);
    if (schema.type === 'boolean') return true;
    if (schema.type === 'null') return null;
    return this.#text(schema, bytes);
  }

  #largestOf(schemas: readonly Schema[], bytes: number, path: readonly string[], at: number): unknown {
    const values = schemas.map((schema) => this.#make(schema, bytes, path, at));
    const size = (value: unknown) => JSON.stringify(value)?.length ?? 0;
    return values.reduce((best, value) => (size(value) > size(best) ? value : best));
  }

  #array(
    { items = {}, maxItems = Number.POSITIVE_INFINITY }: Schema,
    bytes: number,
    path: readonly string[],
  ): unknown[] {
    const values: unknown[] = [];
    const bound = Math.min(maxItems, ITEMS_MAX[path.at(-1) ?? 'variants'] ?? maxItems);
    const most = Math.max(1, Math.floor(bound * (this.#shape.mode === 'many' ? this.#shape.scale : 1)));
    const itemBytes = this.#shape.mode === 'many' ? 0 : Math.max(200, bytes / Math.min(most, 20));
    for (let left = bytes; left > 0 && values.length < most; ) {
      const value = this.#make(items, Math.min(itemBytes, left), [...path, '[]'], values.length);
      if (value === null) break;
      left -= (JSON.stringify(value)?.length ?? 4) + 1;
      if (left >= 0 || values.length === 0) values.push(value);
    }
    return values;
  }

  #object(schema: Schema, bytes: number, path: readonly string[], at: number): Record<string, unknown> {
    const { properties = {}, required = [], additionalProperties, maxProperties = Number.POSITIVE_INFINITY } = schema;
    const isSmall = this.#shape.mode === 'many' && path.includes('[]');
    const wanted = Object.entries(properties).filter(([name]) => !isSmall || required.includes(name));
    const value: Record<string, unknown> = {};
    for (const [name, property] of wanted) {
      const made = this.#make(property, bytes / (wanted.length + 1), [...path, name], at);
      if (made !== OMIT) value[name] = made;
    }
    if (!additionalProperties || path.at(-1) === 'context' || path.length === 0) return value;
    const inner = additionalProperties === true ? { type: 'string', maxLength: 100 } : additionalProperties;
    // The constraints of the heavy flags read this field.
    if (path.at(-1) === 'properties') value[FIELD] = 'a'.repeat(4_096);
    let left = bytes - JSON.stringify(value).length;
    for (let count = 0; left > 0 && count < maxProperties; count++) {
      const entry = this.#make(inner, this.#shape.mode === 'many' ? 4 : bytes / 20, [...path, '*'], count);
      const name = `p${this.#shape.attempt}${count}`;
      left -= name.length + (JSON.stringify(entry)?.length ?? 4) + 4;
      if (left > 0) value[name] = entry;
    }
    return value;
  }

  #text({ pattern = '', format, minLength = 1, maxLength = Number.POSITIVE_INFINITY }: Schema, bytes: number): string {
    if (format === 'date-time' || /\[\+-\]/.test(pattern)) return '2027-01-01T00:00:00.000Z';
    if (pattern.startsWith('^#')) return '#aabbcc';
    const unique = `${this.#shape.attempt}-${this.#count++}`;
    const wanted = this.#shape.mode === 'many' ? unique.length : Math.floor(Math.min(bytes, 20_000));
    const length = Math.min(maxLength, Math.max(minLength, unique.length, wanted));
    const filler = pattern.includes('A-Za-z0-9') ? 'abcdefghij' : 'aé漢😀bc"\\';
    if (pattern.includes('A-Za-z0-9'))
      return (unique + filler.repeat(Math.ceil(length / filler.length))).slice(0, length);
    return (unique + filler.repeat(Math.ceil(length / filler.length)))
      .slice(0, length)
      .replace(/[\ud800-\udbff]$/, 'x');
  }
}
