import type { OpenApiChecker } from './openapi-checker.ts';

/**
 * Checks every JSON answer that a test gets with `fetch` from a service that was announced here against the OpenAPI document: the operation must state its
 * status, and its body must conform to the schema of that status. check-answers.ts fails the tests whose answers do not. Costs nothing until a service is
 * announced.
 */
const announced = new Map<string, string>();
const problems = new Set<string>();
let checker: Promise<OpenApiChecker> | undefined;

/** From now on this service's answers are checked. `url` may end with a base path. */
export function announceService(url: string): void {
  const { origin, pathname } = new URL(url);
  announced.set(origin, pathname === '/' ? '' : pathname);
}

/** No longer checks this service's answers: another server may get its port. */
export function forgetService(url: string): void {
  announced.delete(new URL(url).origin);
}

export function isAnnounced(url: string): boolean {
  return announced.has(new URL(url).origin);
}

/** Called at the end of a file: the services of the next file may get any of these ports. */
export function forgetAll(): void {
  announced.clear();
}

/** The problems that were found since the last call. */
export function takeProblems(): string[] {
  const found = [...problems];
  problems.clear();
  return found;
}

const plainFetch = globalThis.fetch;

globalThis.fetch = async (input, init) => {
  const response = await plainFetch(input, init);
  const request = input instanceof Request ? input : undefined;
  // A request that was redirected was answered by the target.
  const url = new URL(response.redirected ? response.url : (request?.url ?? String(input)));
  const basePath = announced.get(url.origin);
  if (basePath === undefined || !url.pathname.startsWith(basePath)) return response;
  checker ??= import('./openapi-checker.ts').then(({ OpenApiChecker: Checker }) => Checker.create());
  const method = (init?.method ?? request?.method ?? 'GET').toUpperCase();
  const path = url.pathname.slice(basePath.length);
  watch(response, `${method} ${path}`, (await checker).expectationOf(method, path, response));
  return response;
};

/** The methods of a response that are replaced. */
interface Readers {
  text: () => Promise<string>;
  json: () => Promise<unknown>;
}

/** Checks the body when the test reads it. A body that the test does not read to its end, such as a stream, is not read here either. */
function watch(
  response: Pick<Response, 'headers'> & Readers,
  where: string,
  check: (text: string | undefined) => string | undefined,
): void {
  const note = (problem: string | undefined) => {
    if (problem !== undefined) problems.add(`${where}: ${problem}`);
  };
  note(check(undefined));
  if (!response.headers.get('content-type')?.startsWith('application/json')) return;
  const readText = response.text.bind(response);
  response.text = async () => {
    const text = await readText();
    note(check(text));
    return text;
  };
  response.json = async () => JSON.parse(await response.text());
}
