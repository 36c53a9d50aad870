import type { PlainAnswer } from '../http/request.ts';
import type { OpenApiChecker } from './openapi-checker.ts';

/**
 * Checks every JSON answer that a test gets with `fetch` or `plainRequest` from a service that was announced here against the OpenAPI document: the operation must state its
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

/** Returns the check of an answer's body after checking its status; undefined if its service was not announced. */
async function checkOf(method: string, url: URL, status: number) {
  const basePath = announced.get(url.origin);
  if (basePath === undefined || !url.pathname.startsWith(basePath)) return undefined;
  checker ??= import('./openapi-checker.ts').then(({ OpenApiChecker: Checker }) => Checker.create());
  const path = url.pathname.slice(basePath.length);
  const problemOf = (await checker).expectationOf(method, path, status);
  const check = (text: string | undefined) => {
    const problem = problemOf(text);
    if (problem !== undefined) problems.add(`${method} ${path}: ${problem}`);
  };
  check(undefined);
  return check;
}

const isJson = (headers: Headers) => headers.get('content-type')?.startsWith('application/json') === true;

/** Checks an answer of `plainRequest`. */
export async function checkDocumented(method: string, url: string, answer: PlainAnswer): Promise<void> {
  const check = await checkOf(method, new URL(url), answer.status);
  if (isJson(answer.headers)) check?.(answer.text);
}

/** The methods of a response that are replaced. */
interface Readers {
  text: () => Promise<string>;
  json: () => Promise<unknown>;
}

const plainFetch = globalThis.fetch;

globalThis.fetch = async (input, init) => {
  const response: Omit<Response, 'text' | 'json'> & Readers = await plainFetch(input, init);
  const request = input instanceof Request ? input : undefined;
  // A request that was redirected was answered by the target.
  const url = new URL(response.redirected ? response.url : (request?.url ?? String(input)));
  const check = await checkOf((init?.method ?? request?.method ?? 'GET').toUpperCase(), url, response.status);
  // A body that the test does not read to its end, such as a stream, is not read here either.
  if (check && isJson(response.headers)) {
    const readText = response.text.bind(response);
    response.text = async () => {
      const text = await readText();
      check(text);
      return text;
    };
    response.json = async () => JSON.parse(await response.text());
  }
  return response as Response;
};
