import type { OpenApiChecker } from './openapi-checker.ts';

/**
 * Every JSON answer that a test gets with `fetch` of a service that was announced here is held against the OpenAPI document: its status must be
 * one that the operation states, its body must conform to the schema of that status. check-answers.ts fails the test whose answers do not.
 * Costs nothing until a service is announced.
 */
const announced = new Map<string, string>();
const problems = new Set<string>();
let checker: Promise<OpenApiChecker> | undefined;

/** From now on this service's answers are checked. `url` may end with a base path. */
export function announceService(url: string): void {
  const { origin, pathname } = new URL(url);
  announced.set(origin, pathname === '/' ? '' : pathname);
}

/** Another server may have its port from now on. */
export function forgetService(url: string): void {
  announced.delete(new URL(url).origin);
}

export function isAnnounced(url: string): boolean {
  return announced.has(new URL(url).origin);
}

/** At the end of a file: what the next one starts may have any of these ports. */
export function forgetAll(): void {
  announced.clear();
}

/** What was found since the last call. */
export function takeProblems(): string[] {
  const found = [...problems];
  problems.clear();
  return found;
}

const plainFetch = globalThis.fetch;

globalThis.fetch = async (input, init) => {
  const response = await plainFetch(input, init);
  const request = input instanceof Request ? input : undefined;
  // Whoever was sent elsewhere was answered there.
  const url = new URL(response.redirected ? response.url : (request?.url ?? String(input)));
  const basePath = announced.get(url.origin);
  if (basePath === undefined || !url.pathname.startsWith(basePath)) return response;
  checker ??= import('./openapi-checker.ts').then(({ OpenApiChecker: Checker }) => Checker.create());
  const method = (init?.method ?? request?.method ?? 'GET').toUpperCase();
  const path = url.pathname.slice(basePath.length);
  watch(response, `${method} ${path}`, (await checker).expectationOf(method, path, response));
  return response;
};

/** As a response has them, and they can be replaced. */
interface Readers {
  text: () => Promise<string>;
  json: () => Promise<unknown>;
}

/** Checks the body when the test reads it: what nobody reads to its end, as of streams, is not read here either. */
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
