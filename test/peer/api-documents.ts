/** A schema of an OpenAPI document of version 3.0 or 3.1, as far as this comparison reads it. */
interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly nullable?: boolean;
  readonly enum?: readonly unknown[];
  readonly pattern?: string;
  readonly format?: string;
  readonly const?: unknown;
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: boolean | Schema;
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly allOf?: readonly Schema[];
}

interface Parameter {
  readonly $ref?: string;
  readonly name: string;
  readonly in: string;
  readonly required?: boolean;
  readonly schema?: Schema;
}

type Content = Readonly<Record<string, { readonly schema?: Schema }>>;

interface Operation {
  readonly operationId?: string;
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: { readonly $ref?: string; readonly required?: boolean; readonly content?: Content };
  readonly responses: Readonly<Record<string, unknown>>;
}

export interface ApiDocument {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components?: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
}

const METHODS = ['get', 'post', 'put', 'patch', 'delete'];
/** Schemas that contain themselves are compared to this depth. */
const DEPTH_MAX = 12;

/** An operation by its method and its path, without the names of path parameters: `GET /api/admin/projects/{}`. */
function operationsOf({ paths }: ApiDocument): Map<string, Operation> {
  const operations = new Map<string, Operation>();
  for (const [path, methods] of Object.entries(paths))
    for (const method of METHODS) {
      const operation = methods[method];
      const key = `${method.toUpperCase()} ${path.replace(/\{[^}]*\}/g, '{}').replace(/(?<=.)\/$/, '')}`;
      if (operation) operations.set(key, operation);
    }
  return operations;
}

/** Operations of `theirs` that `ours` does not have. */
export function missingOperations(theirs: ApiDocument, ours: ApiDocument): string[] {
  const here = operationsOf(ours);
  return [...operationsOf(theirs).keys()].filter((key) => !here.has(key)).sort();
}

/** The statuses of success in which an operation differs: `GET /x: 200 there, 201 here`. */
export function statusDifferences(theirs: ApiDocument, ours: ApiDocument): string[] {
  const here = operationsOf(ours);
  const textOf = ({ responses }: Operation) =>
    Object.keys(responses)
      .filter((status) => /^2/.test(status))
      .sort()
      .join(' ');
  return [...operationsOf(theirs)].flatMap(([key, operation]) => {
    const own = here.get(key);
    if (!own || textOf(own) === textOf(operation)) return [];
    return [`${key}: ${textOf(operation) || 'none'} there, ${textOf(own) || 'none'} here`];
  });
}

/** Every type that a request of `theirs` may have in a field or a query parameter, and that `ours` refuses or does not know. */
export function requestDifferences(theirs: ApiDocument, ours: ApiDocument): string[] {
  const here = operationsOf(ours);
  return [...operationsOf(theirs)].flatMap(([key, operation]) => {
    const own = here.get(key);
    if (!own) return [];
    return new Comparison(theirs, ours).differences(operation, own).map((difference) => `${key} ${difference}`);
  });
}

class Comparison {
  readonly #theirs: ApiDocument;
  readonly #ours: ApiDocument;
  readonly #found = new Set<string>();

  constructor(theirs: ApiDocument, ours: ApiDocument) {
    this.#theirs = theirs;
    this.#ours = ours;
  }

  differences(theirs: Operation, ours: Operation): string[] {
    const queryOf = (operation: Operation, document: ApiDocument) =>
      new Map(
        (operation.parameters ?? [])
          .map((parameter) => resolved(parameter, document))
          .filter((parameter) => parameter.in === 'query')
          .map((parameter) => [parameter.name.replace(/\[\]$/, ''), parameter]),
      );
    const [there, here] = [queryOf(theirs, this.#theirs), queryOf(ours, this.#ours)];
    for (const [name, { schema }] of there) {
      const own = here.get(name);
      if (!own) this.#found.add(`query ${name}: unknown here`);
      // A query is text: whatever a parameter is called, its values arrive as text.
      else
        this.#compareEnums(
          `query ${name}`,
          this.#resolved(schema ?? {}, 'theirs'),
          this.#resolved(own.schema ?? {}, 'ours'),
        );
    }
    for (const [name, { required }] of here)
      if (required && !there.get(name)?.required) this.#found.add(`query ${name}: required only here`);
    const [sent, taken] = [bodyOf(theirs, this.#theirs), bodyOf(ours, this.#ours)];
    if (sent && !taken) this.#found.add('body: unknown here');
    if (sent && taken) this.#compare('body', sent, taken, 0);
    if (!sent && taken && resolved(ours.requestBody ?? {}, this.#ours).required)
      this.#found.add('body: required only here');
    return [...this.#found];
  }

  #resolved(schema: Schema, of: 'theirs' | 'ours'): Schema {
    return resolved(schema, of === 'theirs' ? this.#theirs : this.#ours);
  }

  #compare(at: string, sent: Schema, taken: Schema, depth: number): void {
    if (depth > DEPTH_MAX) return;
    const there = alternatives(sent, this.#theirs);
    const here = alternatives(taken, this.#ours);
    // Without a type, every value is taken.
    if (here.some(isOpen)) return;
    for (const type of typesOf(there)) {
      if (!typesOf(here).has(type) && !(type === 'integer' && typesOf(here).has('number')))
        this.#found.add(`${at}: ${type} there, ${[...typesOf(here)].join(' or ')} here`);
    }
    this.#comparePatterns(at, there, here);
    const [objects, ownObjects] = [there.filter(isObject), here.filter(isObject)];
    if (ownObjects.length > 0) for (const object of objects) this.#compareObjects(at, object, ownObjects, depth);
    const [lists, ownLists] = [there.filter(isList), here.filter(isList)];
    for (const { items = {} } of lists)
      for (const own of ownLists.slice(0, 1)) this.#compare(`${at}[]`, items, own.items ?? {}, depth + 1);
    const enums = {
      enum: there.flatMap(({ enum: values = [], const: only }) => [...values, ...(only === undefined ? [] : [only])]),
    };
    const isEnum = here.every((own) => own.enum !== undefined || own.const !== undefined || own.type === 'null');
    if (isEnum) {
      const own = here.flatMap(({ enum: values = [], const: only }) => [
        ...values,
        ...(only === undefined ? [] : [only]),
      ]);
      this.#compareEnums(at, enums, { enum: own });
      if (enums.enum.length === 0 && typesOf(there).has('string'))
        this.#found.add(`${at}: any text there, only ${own.join(', ')} here`);
    }
  }

  /** A text that only has to be a text there, and has to match a pattern here. */
  #comparePatterns(at: string, there: readonly Schema[], here: readonly Schema[]): void {
    const isFree = ({ type, pattern, format, enum: values }: Schema) =>
      type === 'string' && pattern === undefined && format === undefined && values === undefined;
    const texts = here.filter(({ type }) => type === 'string');
    if (!there.some(isFree) || texts.length === 0 || texts.some(isFree)) return;
    const patterns = texts.flatMap(({ pattern, format }) => pattern ?? format ?? []);
    if (patterns.length > 0) this.#found.add(`${at}: any text there, only ${patterns.join(' or ')} here`);
  }

  #compareEnums(at: string, { enum: there = [] }: Schema, { enum: here }: Schema): void {
    const missing = here ? there.filter((value) => value !== null && !here.includes(value)) : [];
    if (missing.length > 0) this.#found.add(`${at}: ${missing.join(', ')} there only`);
  }

  #compareObjects(at: string, sent: Schema, taken: readonly Schema[], depth: number): void {
    const fieldsOf = (schemas: readonly Schema[]) =>
      Object.assign({}, ...schemas.map(({ properties }) => properties ?? {}));
    const here: Readonly<Record<string, Schema>> = fieldsOf(taken);
    const isMap = taken.some(({ properties, additionalProperties }) => !properties && additionalProperties !== false);
    for (const [name, schema] of Object.entries(sent.properties ?? {})) {
      const own = here[name];
      if (own) this.#compare(`${at}.${name}`, schema, own, depth + 1);
      else if (!isMap) this.#found.add(`${at}.${name}: unknown here`);
    }
    if (taken.length > 1) return;
    for (const name of taken[0]?.required ?? [])
      if (!(sent.required ?? []).includes(name)) this.#found.add(`${at}.${name}: required only here`);
  }
}

const isOpen = (schema: Schema): boolean =>
  schema.type === undefined && schema.enum === undefined && schema.const === undefined;
const isObject = ({ type }: Schema): boolean => type === 'object';
const isList = ({ type }: Schema): boolean => type === 'array';

function typesOf(schemas: readonly Schema[]): ReadonlySet<string> {
  return new Set(
    schemas.flatMap(({ type, enum: values, const: only }) => {
      if (type !== undefined) return type;
      return [...(values ?? []), ...(only === undefined ? [] : [only])].map((value) =>
        value === null ? 'null' : typeof value,
      );
    }),
  );
}

/** The schemas of which a value must meet one, each with one type. */
function alternatives(schema: Schema, document: ApiDocument): Schema[] {
  const found = resolved(schema, document);
  const choices = found.anyOf ?? found.oneOf;
  if (choices && !found.properties) return [...choices.flatMap((one) => alternatives(one, document)), ...nullOf(found)];
  if (found.allOf) return [merged(found, document)];
  if (Array.isArray(found.type)) return found.type.map((type) => ({ ...found, type }));
  if (found.type === undefined && found.properties) return [{ ...found, type: 'object' }, ...nullOf(found)];
  return [found, ...nullOf(found)];
}

/** In version 3.0, `nullable` allows null. */
const nullOf = ({ nullable }: Schema): Schema[] => (nullable ? [{ type: 'null' }] : []);

/** The fields of all parts of an `allOf` together. */
function merged(schema: Schema, document: ApiDocument): Schema {
  const parts = (schema.allOf ?? []).flatMap((part) => alternatives(part, document));
  const all = [schema, ...parts];
  return {
    type: parts.find(({ type }) => type !== undefined)?.type ?? 'object',
    properties: Object.assign({}, ...all.map(({ properties }) => properties ?? {})),
    required: all.flatMap(({ required }) => required ?? []),
  };
}

function bodyOf({ requestBody }: Operation, document: ApiDocument): Schema | undefined {
  const content = requestBody && resolved(requestBody, document).content;
  return content?.['application/json']?.schema;
}

function resolved<T extends { readonly $ref?: string }>(value: T, { components = {} }: ApiDocument): T {
  if (value.$ref === undefined) return value;
  const [, , kind = '', name = ''] = value.$ref.split('/');
  const found = components[kind]?.[name];
  if (found === undefined) throw new Error(`${value.$ref} is not in the document`);
  return resolved(found as T, { components } as ApiDocument);
}
