import createClient, { type Middleware } from 'openapi-fetch';
import type { paths } from '../api/schema.d.ts';
import { BASE_PATH as BASE } from '../base-path.ts';
import { Failure, failureOf, unreachable } from './failure.ts';
import { requestEnded, requestStarted } from './first-view.ts';
import { sessionRefused } from './session.ts';
import { createStore } from './store.ts';

/** The newest revision that this page wrote or saw: later reads ask for a state that contains it, also on another replica. */
let minRevision = 0;
export const sawRevision = (revision: number): void => {
  if (revision > minRevision) minRevision = revision;
};
export const newestRevision = () => minRevision;

/** Whether the last request reached the server; the shell shows a banner while it is false. */
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

export const api = createClient<paths>({ baseUrl: `${location.origin}${BASE}`, credentials: 'same-origin' });
api.use(conventions);

interface Answered<T> {
  data?: T;
  error?: unknown;
  response: Response;
}

/** The answer with its whole body. */
async function answerOf<T>(call: Promise<Answered<T>>): Promise<Answered<T>> {
  requestStarted();
  try {
    return await call;
  } finally {
    requestEnded();
  }
}

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

export type Written<T> =
  | { readonly ok: true; readonly value: T; readonly etag: string | null; readonly revision: number | null }
  | { readonly ok: false; readonly failure: Failure };

/** The outcome of a write, as a value: a refusal is an ordinary result that the screen explains. */
export async function write<T>(call: Promise<Answered<T>>): Promise<Written<T>> {
  try {
    const { data, error, response } = await answerOf(call);
    if (!response.ok) return { ok: false, failure: failureOf(response, error) };
    const revision = Number(response.headers.get('burgee-revision'));
    return {
      ok: true,
      value: data as T,
      etag: response.headers.get('etag'),
      revision: revision > 0 ? revision : null,
    };
  } catch (error) {
    return { ok: false, failure: error instanceof Failure ? error : unreachable() };
  }
}

/** Headers of a write: the reason for the audit log, and the tag of what was read. */
export function stated(options: { reason?: string; etag?: string | null }): Record<string, string> {
  const headers: Record<string, string> = {};
  const reason = options.reason?.trim();
  if (reason) headers['burgee-reason'] = encodeURIComponent(reason);
  if (options.etag) headers['if-match'] = options.etag;
  return headers;
}
