import { endpoints } from '../../src/features/registry.ts';
import { accepted } from './admin.ts';
import type { Fields, Resource } from './resources.ts';
import type { CallOptions, TestService } from './service.ts';

interface Operations {
  readonly create: string;
  readonly list: string;
  readonly read?: string;
  readonly update: string;
  readonly remove: string;
  readonly validate?: string;
  /** All operations on one object with no other parameter. */
  readonly ofOne: readonly { readonly operationId: string; readonly hasBody: boolean }[];
  /** The fields in a change of it. */
  readonly changeable: ReadonlySet<string>;
  /** The parameter of the path with its key. */
  readonly parameter: string;
}

/** The operations of a kind. */
export function operationsOf({ path }: Resource): Operations {
  const below = endpoints.filter((route) => route.path === path || route.path.startsWith(`${path}/`));
  const find = (method: string, pattern: string) =>
    below.find((route) => route.method === method && new RegExp(`^${pattern}$`).test(route.path.slice(path.length)))
      ?.operationId;
  const needed = (method: string, pattern: string) => {
    const found = find(method, pattern);
    if (!found) throw new Error(`there is no ${method} of ${path}${pattern}`);
    return found;
  };
  const one = below.find((route) => route.method === 'delete' && /^\/:\w+$/.test(route.path.slice(path.length)));
  const read = find('get', '/:\\w+');
  const update = needed('put', '(/update)?/:\\w+');
  const changed = below.find(({ operationId }) => operationId === update);
  const validate = find('post', '/validate');
  return {
    create: needed('post', ''),
    list: needed('get', ''),
    update,
    remove: needed('delete', '/:\\w+'),
    ...(read && { read }),
    ...(validate && { validate }),
    ofOne: below
      .filter((route) => one && route.path.startsWith(one.path) && !route.path.slice(one.path.length).includes(':'))
      .map(({ operationId, ...route }) => ({ operationId, hasBody: route.body !== undefined })),
    changeable: new Set(Object.keys((changed?.body as { properties?: object } | undefined)?.properties ?? {})),
    parameter: one?.path.split(':').at(-1) ?? '',
  };
}

export const keyOf = ({ key }: Resource): 'id' | 'name' => key ?? 'id';

export const uniqueOf = ({ unique }: Resource) => (unique === undefined ? 'name' : unique);

let examples = 0;

/** The body of a request that creates one. Its unique field has a text that no other example has. */
export function exampleOf(resource: Resource): Fields {
  const { example } = resource;
  const unique = uniqueOf(resource);
  return unique === null ? example : { ...example, [unique]: `${example[unique]}${++examples}` };
}

/** The body of a request that makes this change of an object that was created with `body`. */
export const changeOf = ({ isReplaced }: Resource, body: Fields, fields: Fields): Fields =>
  isReplaced ? { ...body, ...fields } : fields;

/** The object in an answer, which some routes put into a field. */
export function objectIn(resource: Resource, body: Fields): Fields {
  const key = keyOf(resource);
  const [inner] = Object.values(body).filter((value) => (value as Fields | null)?.[key] !== undefined);
  return key in body ? body : (inner as Fields);
}

/** The parameters of the paths of an object with this key. */
export const paramsOf = (resource: Resource, key: string | number) => ({
  ...resource.at,
  [operationsOf(resource).parameter]: key,
});

/** Creates an object, of an example unless a body is given. */
export async function createOne(service: TestService, resource: Resource, options: CallOptions = {}) {
  const body = exampleOf(resource);
  const { create } = operationsOf(resource);
  const answer = await accepted(service, create, { params: resource.at ?? {}, body, ...options });
  const object = objectIn(resource, answer.body);
  const key = object[keyOf(resource)] as string | number;
  return { answer, body: (options.body ?? body) as Fields, object, key, params: paramsOf(resource, key) };
}
