type Json = Record<string, unknown>;

/**
 * Examples by key. The key of a property or parameter is its name (`word`), `operationId.word` or `operationId.path.to.word`; the longest key that
 * exists is used. The key `operationId` gives a whole JSON body, and `operationId.text` a body that is not JSON.
 */
export type Examples = Readonly<Record<string, unknown>>;

/** Maximum depth of nested properties, because some schemas contain themselves. */
const DEPTH_MAX = 8;

/** Adds examples to the parameters and the JSON or form body of an operation. `schemas` are the named schemas to which it refers. */
export function addExamples(operation: Json, examples: Examples, schemas: Json): void {
  const operationId = String(operation.operationId);
  const maker = new ExampleMaker(operationId, examples, schemas);
  for (const parameter of (operation.parameters ?? []) as Json[]) {
    const example = maker.ofParameter(String(parameter.name), parameter.schema as Json, parameter.required === true);
    if (example !== undefined) parameter.example = example;
  }
  const { content = {} } = (operation.requestBody ?? {}) as { content?: Record<string, Json> };
  for (const media of Object.values(content)) media.example = maker.ofBody(media.schema as Json);
}

class ExampleMaker {
  readonly #operationId: string;
  readonly #examples: Examples;
  readonly #schemas: Json;

  constructor(operationId: string, examples: Examples, schemas: Json) {
    this.#operationId = operationId;
    this.#examples = examples;
    this.#schemas = schemas;
  }

  /** An optional parameter gets an example only if one is stated: an invented filter value would match nothing. */
  ofParameter(name: string, schema: Json, isRequired: boolean): unknown {
    if (isRequired) return this.#of(schema, [name], 0);
    const key = `${this.#operationId}.${name}`;
    return Object.hasOwn(this.#examples, key) ? this.#examples[key] : undefined;
  }

  ofBody(schema: Json): unknown {
    const isText = schema.type === 'string';
    const key = isText ? `${this.#operationId}.text` : this.#operationId;
    return Object.hasOwn(this.#examples, key) ? this.#examples[key] : this.#of(schema, [], 0);
  }

  #stated(path: readonly string[]): unknown {
    const word = path.at(-1) ?? '';
    for (const key of [`${this.#operationId}.${path.join('.')}`, `${this.#operationId}.${word}`, word])
      if (Object.hasOwn(this.#examples, key)) return this.#examples[key];
    return undefined;
  }

  #of(reference: Json, path: readonly string[], depth: number): unknown {
    const schema = this.#resolved(reference);
    const stated = path.length > 0 ? this.#stated(path) : undefined;
    if (stated !== undefined && this.#fits(schema, stated)) return stated;
    const { const: constant, enum: values, anyOf, allOf, type } = schema as { enum?: unknown[]; anyOf?: Json[] } & Json;
    if (constant !== undefined) return constant;
    if (values) return values[0];
    const alternatives = anyOf ?? (allOf as Json[] | undefined);
    if (alternatives) {
      const present = alternatives.find((one) => this.#resolved(one).type !== 'null');
      return present && depth < DEPTH_MAX ? this.#of(present, path, depth + 1) : null;
    }
    switch (type) {
      case 'object':
        return this.#object(schema, path, depth);
      case 'array':
        return this.#array(schema, path, depth);
      case 'integer':
      case 'number':
        return (schema.minimum as number | undefined) ?? 1;
      case 'boolean':
        return true;
      case 'null':
        return null;
      default:
        return 'text'.padEnd((schema.minLength as number | undefined) ?? 0, '.');
    }
  }

  /** An object with the required properties, and with the others that have a stated example. */
  #object({ properties = {}, required = [] }: Json, path: readonly string[], depth: number): Json {
    const result: Json = {};
    for (const [name, property] of Object.entries(properties as Record<string, Json>)) {
      const inside = [...path, name];
      const stated = this.#stated(inside);
      const isStated = stated !== undefined && this.#fits(this.#resolved(property), stated);
      const isWanted = (required as string[]).includes(name) || isStated;
      if (isWanted && depth < DEPTH_MAX) result[name] = this.#of(property, inside, depth + 1);
    }
    return result;
  }

  #array({ items, minItems = 0 }: Json, path: readonly string[], depth: number): unknown[] {
    if (items === undefined || depth >= DEPTH_MAX) return [];
    const item = this.#of(items as Json, path.length > 0 ? [...path, '[]'] : ['[]'], depth + 1);
    return Array.from({ length: Math.max(1, minItems as number) }, () => item);
  }

  /** Whether the value has the type that the schema needs: the same name can be a text in one schema and a list in another. */
  #fits(schema: Json, value: unknown): boolean {
    const { type, anyOf, items, enum: values } = schema as { anyOf?: Json[]; items?: Json; enum?: unknown[] } & Json;
    if (values) return values.includes(value);
    if (anyOf) return anyOf.some((one) => this.#fits(this.#resolved(one), value));
    if (Array.isArray(value))
      return type === 'array' && value.every((item) => this.#fits(this.#resolved(items ?? {}), item));
    if (typeof value === 'object') return type === 'object';
    return (
      type === (Number.isInteger(value) ? 'integer' : typeof value) || (type === 'number' && typeof value === 'number')
    );
  }

  #resolved(schema: Json): Json {
    const { $ref } = schema;
    if (typeof $ref !== 'string') return schema;
    return (this.#schemas[$ref.slice($ref.lastIndexOf('/') + 1)] ?? {}) as Json;
  }
}
