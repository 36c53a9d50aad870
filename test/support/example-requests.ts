import { documentText } from '../../src/features/documentation/document.ts';
import { FEATURE_HTTP } from '../../src/features/registry.ts';
import { CLIENT_TOKEN, FRONTEND_TOKEN, SCIM_TOKEN } from './service.ts';

// biome-ignore lint/suspicious/noExplicitAny: tests read the document without types
type Any = any;

/** An operation of the OpenAPI document. */
export interface Operation {
  readonly path: string;
  readonly method: string;
  readonly operation: Any;
}

/** All operations of the OpenAPI document. */
export async function operationsOfDocument(): Promise<Operation[]> {
  const { paths } = JSON.parse(await documentText(FEATURE_HTTP)) as { paths: Record<string, Record<string, Any>> };
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]): Operation => ({ path, method, operation })),
  );
}

/** What a request has in place of its example. */
interface Changed {
  /** Added to the query. */
  readonly query?: string;
  /** The body, in place of the example. */
  readonly body?: unknown;
  /** Closes the connection. */
  readonly signal?: AbortSignal;
}

/** Sends the example of one operation, with the token that it asks for; an admin or a person has `person`. */
export async function sendExample(
  url: string,
  { path, method, operation }: Operation,
  person: string,
  changed: Changed = {},
): Promise<Response> {
  const parameters: Any[] = operation.parameters ?? [];
  const exampleOf = (name: string) => parameters.find((each) => each.name === name).example;
  const filled = path.replace(/\{(\w+)\}/g, (_match, name: string) => encodeURIComponent(exampleOf(name)));
  const query = parameters.filter((each) => each.in === 'query' && each.example !== undefined);
  const examples = changed.query === undefined ? query : [];
  const search =
    changed.query ?? examples.map(({ name, example }) => `${name}=${encodeURIComponent(example)}`).join('&');
  const [[type, media] = ['', undefined]] = Object.entries<Any>(operation.requestBody?.content ?? {});
  const schemes: string[] = (operation.security ?? []).map((one: object) => Object.keys(one)[0] ?? '');
  const token = schemes.includes('clientToken')
    ? CLIENT_TOKEN
    : schemes.includes('frontendToken')
      ? FRONTEND_TOKEN
      : schemes.includes('scimToken')
        ? SCIM_TOKEN
        : person;
  const example = changed.body ?? media?.example;
  const isText = typeof example === 'string';
  const form = type === 'application/x-www-form-urlencoded';
  return await fetch(`${url}${filled}${search === '' ? '' : `?${search}`}`, {
    method: method.toUpperCase(),
    redirect: 'manual',
    ...(changed.signal && { signal: changed.signal }),
    headers: { authorization: token, ...(type !== '' && { 'content-type': type }) },
    ...(media && {
      body: isText ? example : form ? new URLSearchParams(example) : JSON.stringify(example),
    }),
  });
}

/** Reads an answer to its end. A stream never ends by itself: it is cancelled, and its text is empty. */
export async function textOfAnswer(response: Response): Promise<string> {
  if (response.headers.get('content-type')?.startsWith('text/event-stream') !== true) return await response.text();
  await response.body?.cancel();
  return '';
}
