/** The parts of a JSON schema in the OpenAPI document that the generator reads. */
export interface Schema {
  readonly $ref?: string;
  readonly type?: string;
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly anyOf?: readonly Schema[];
  readonly allOf?: readonly Schema[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: boolean | Schema;
  readonly maxProperties?: number;
  readonly items?: Schema;
  readonly maxItems?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly pattern?: string;
  readonly format?: string;
  readonly maximum?: number;
}

export interface Operation {
  readonly operationId: string;
  readonly method: string;
  /** With parameters as `{name}`. */
  readonly path: string;
  readonly bodies: readonly { readonly contentType: string; readonly schema: Schema }[];
  readonly query: readonly { readonly name: string; readonly schema: Schema }[];
}

interface Parameter {
  readonly in: string;
  readonly name: string;
  readonly schema: Schema;
}

interface RawOperation {
  readonly operationId: string;
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema: Schema }>> };
}

/** The OpenAPI document of the service: what a caller may send. */
export interface ApiDocument {
  readonly paths: Readonly<Record<string, Readonly<Record<string, RawOperation>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
}

export function operationsOf({ paths }: ApiDocument): Operation[] {
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, { operationId, parameters = [], requestBody }]) => ({
      operationId,
      method: method.toUpperCase(),
      path,
      bodies: Object.entries(requestBody?.content ?? {}).map(([contentType, { schema }]) => ({ contentType, schema })),
      query: parameters.filter((parameter) => parameter.in === 'query'),
    })),
  );
}

/** The schema itself, with `$ref` followed and `allOf` merged. */
export function resolved(schema: Schema, { components }: ApiDocument): Schema {
  const target = schema.$ref ? components.schemas[schema.$ref.split('/').at(-1) ?? ''] : undefined;
  const direct = target ? resolved(target, { components } as ApiDocument) : schema;
  const parts = (direct.allOf ?? []).map((part) => resolved(part, { components } as ApiDocument));
  return parts.length === 0 ? direct : Object.assign({}, direct, ...parts);
}
