import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { getOrMake } from '../../../src/base/get-or-make.ts';
import { documentText } from '../../../src/features/documentation/document.ts';
import { FEATURE_HTTP } from '../../../src/features/registry.ts';

interface Content {
  readonly content?: Readonly<Record<string, { readonly schema: unknown }>>;
  readonly $ref?: string;
}

interface Operation {
  readonly responses: Readonly<Record<string, Content>>;
}

interface Route {
  readonly method: string;
  readonly template: string;
  readonly segments: readonly string[];
  readonly operation: Operation;
}

const JSON_TYPE = 'application/json';
/** Texts that conform, for each schema. Walks of all routes get the same refusals thousands of times. */
const KNOWN_MAX = 20;
const KNOWN_CHARS_MAX = 1_000;
const UUID = /\b[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}\b/g;
const escaped = (text: string) => encodeURIComponent(text.replaceAll('~', '~0').replaceAll('/', '~1'));

/** Checks answers against the OpenAPI document. Schemas are compiled once per process, by another validator than the service's own. */
export class OpenApiChecker {
  readonly #ajv = addFormats.default(
    new Ajv2020({
      strict: false,
      validateSchema: false,
      allErrors: true,
      inlineRefs: false,
      code: { optimize: false },
    }),
  );
  /** By method and number of segments. */
  readonly #routes = new Map<string, Route[]>();
  /** Compiled schemas by their place in the document; undefined if there is none. */
  readonly #validators = new Map<string, ValidateFunction | undefined>();
  /** The last short texts that conform, by the same places. */
  readonly #known = new Map<string, Set<string>>();

  constructor(document: { readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>> }) {
    this.#ajv.addSchema(document, 'document');
    for (const [template, methods] of Object.entries(document.paths)) {
      const segments = template.split('/');
      for (const [name, operation] of Object.entries(methods)) {
        const method = name.toUpperCase();
        const routes = getOrMake(this.#routes, `${method} ${segments.length}`, (): Route[] => []);
        routes.push({ method, template, segments, operation });
      }
    }
    // The route with the fewest parameters is the one that is served.
    for (const routes of this.#routes.values()) routes.sort((left, right) => parametersIn(left) - parametersIn(right));
  }

  static async create(): Promise<OpenApiChecker> {
    return new OpenApiChecker(JSON.parse(await documentText(FEATURE_HTTP)));
  }

  /**
   * Returns a check. It is called first without a text, before the body is read: then it checks that the status is documented. Then it is called with the
   * text. Undefined: no problem.
   */
  expectationOf(method: string, path: string, status: number): (text: string | undefined) => string | undefined {
    const route = this.#find(method === 'HEAD' ? 'GET' : method, path);
    if (!route) return () => undefined;
    const stated = route.operation.responses[status];
    if (!stated) return (text) => (text === undefined ? `answers ${status}, which is not documented` : undefined);
    const responses = `/paths/${escaped(route.template)}/${route.method.toLowerCase()}/responses/${status}`;
    const pointer = stated.$ref ? stated.$ref.replace('#', '') : responses;
    return (text) => (text === undefined || text === '' ? undefined : this.#problemOf(pointer, text, status));
  }

  #problemOf(pointer: string, text: string, status: number): string | undefined {
    const known = getOrMake(this.#known, pointer, () => new Set<string>());
    const isShort = text.length <= KNOWN_CHARS_MAX;
    // Each error has an id of its own.
    const alike = isShort ? text.replace(UUID, 'uuid') : '';
    if (isShort && known.has(alike)) return undefined;
    const validate = this.#validator(`document#${pointer}/content/${escaped(JSON_TYPE)}/schema`);
    if (!validate) return `answers ${status} with JSON, which is not documented`;
    if (validate(JSON.parse(text))) {
      if (known.size >= KNOWN_MAX) known.clear();
      if (isShort) known.add(alike);
      return undefined;
    }
    const problems = validate.errors?.slice(0, 5).map(({ instancePath, message }) => `${instancePath} ${message}`);
    return `answers ${status} with a body that does not conform: ${problems?.join('; ')}\n${text.slice(0, 500)}`;
  }

  #validator(reference: string): ValidateFunction | undefined {
    if (!this.#validators.has(reference)) this.#validators.set(reference, this.#ajv.getSchema(reference));
    return this.#validators.get(reference);
  }

  /** The route whose template matches the path and has the fewest parameters. */
  #find(method: string, path: string): Route | undefined {
    // A path with a slash at its end is the same path. No parameter is empty.
    const segments = (path.length > 1 && path.endsWith('/') ? path.slice(0, -1) : path).split('/');
    return this.#routes
      .get(`${method} ${segments.length}`)
      ?.find((route) =>
        route.segments.every((one, index) => (one.startsWith('{') ? segments[index] !== '' : one === segments[index])),
      );
  }
}

function parametersIn({ segments }: Route): number {
  return segments.filter((segment) => segment.startsWith('{')).length;
}
