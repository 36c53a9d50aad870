import createClient, { type Middleware } from 'openapi-fetch';
import type { paths } from '../api/schema.d.ts';
import { BASE_PATH as BASE } from '../base-path.ts';
import { failureOf, unreachable } from './failure.ts';
import { type Answered, answerOf, Later, type ListedRequest, Sending, type Writing } from './sending.ts';
import { sessionRefused } from './session.ts';
import { createStore } from './store.ts';

/** The newest revision that this page wrote or saw: later reads ask for a state that contains it, also on another replica. */
let minRevision = 0;
/** The first revision that this page saw: that of the person, who is read before everything else. */
let firstSeen: number | undefined;
export const firstRevision = () => firstSeen;
export const sawRevision = (revision: number): void => {
  firstSeen ??= revision;
  if (revision > minRevision) minRevision = revision;
};
export const newestRevision = () => minRevision;

export type { Writing, Written } from './sending.ts';

/** Whether the last request reached the server; the shell shows a banner while it is false. `isReached` asks. */
export const reachable = createStore(true);

const SIGN_ON = /\/auth\/(simple\/login|options)$/;

const conventions: Middleware = {
  onRequest({ request }) {
    if (request.method === 'GET' && minRevision > 0) request.headers.set('burgee-min-revision', String(minRevision));
    return request;
  },
  onResponse({ request, response }) {
    reachable.set(true);
    const revision = Number(response.headers.get('burgee-revision'));
    if (revision > 0) sawRevision(revision);
    if (response.status === 401 && !SIGN_ON.test(new URL(request.url).pathname)) sessionRefused();
    return response;
  },
  onError({ error }) {
    if (error instanceof DOMException && error.name === 'AbortError') return;
    reachable.set(false);
    return unreachable();
  },
};

const settings = { baseUrl: `${location.origin}${BASE}`, credentials: 'same-origin' } as const;
const client = createClient<paths>(settings);
client.use(conventions);
/** It has no conventions, because they are for answers and for reads. */
const lister = createClient<paths>(settings);

interface AnyInit {
  readonly params?: { readonly path?: Readonly<Record<string, unknown>> };
}
type AnyMethod = (
  url: string,
  init?: AnyInit & { fetch?: (request: Request) => Promise<Response> },
) => Promise<unknown>;

/** The request that the client makes of the options, without sending it. */
async function listed(method: AnyMethod, url: string, init: AnyInit | undefined): Promise<ListedRequest> {
  const requests: Request[] = [];
  const fetch = (request: Request) => {
    requests.push(request);
    return Promise.resolve(new Response(null, { status: 204 }));
  };
  await method(url, { ...init, fetch });
  const [request] = requests;
  if (!request) throw new Error(`No request is made for ${url}.`);
  const body = await request.text();
  const secret = init?.params?.path?.token;
  return {
    method: request.method,
    url: request.url,
    headers: [...request.headers],
    body: body === '' ? null : body,
    secrets: typeof secret === 'string' ? [secret] : [],
  };
}

const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const;
type Api = Pick<typeof client, (typeof METHODS)[number]>;

/** Each call is a `Later`: the request is sent when the call is awaited. The types are those of the client, which know it as a promise. */
export const api = Object.fromEntries(
  METHODS.map((name) => {
    const [send, list] = [client[name] as AnyMethod, lister[name] as AnyMethod];
    return [
      name,
      (url: string, init?: AnyInit) =>
        new Later(
          () => send(url, init),
          () => listed(list, url, init),
        ),
    ];
  }),
) as unknown as Api;

/** The body of a successful read. Throws a `Failure`, because queries keep errors apart from values. */
export async function read<T>(call: Promise<Answered<T>>): Promise<T> {
  const { data, error, response } = await answerOf(call);
  if (!response.ok) throw failureOf(response, error);
  return data as T;
}

/** A body with the tag that a later write sends as `if-match`. */
export interface Tagged<T> {
  readonly value: T;
  readonly etag: string | null;
}

export async function readTagged<T>(call: Promise<Answered<T>>): Promise<Tagged<T>> {
  const { data, error, response } = await answerOf(call);
  if (!response.ok) throw failureOf(response, error);
  return { value: data as T, etag: response.headers.get('etag') };
}

/** A save of one request. */
export const write = <T>(request: Promise<Answered<T>>): Writing<T> => new Sending((sender) => sender.write(request));

/** Headers of a write: the reason for the audit log, and the tag of what was read. */
export function stated(options: { reason?: string; etag?: string | null }): Record<string, string> {
  const headers: Record<string, string> = {};
  const reason = options.reason?.trim();
  if (reason) headers['burgee-reason'] = encodeURIComponent(reason);
  if (options.etag) headers['if-match'] = options.etag;
  return headers;
}

/** Asks the server for a sign of life. */
export async function isReached(): Promise<boolean> {
  try {
    await api.GET('/health');
  } catch {
    // `reachable` has it.
  }
  return reachable.get();
}

export async function untilReached(): Promise<void> {
  if (reachable.get()) return;
  await new Promise<void>((resolve) => {
    const stop = reachable.subscribe(() => {
      stop();
      resolve();
    });
  });
}
