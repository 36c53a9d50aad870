import type { AdmittedRequest } from './admission.ts';
import { REVISION_HEADER } from './answer.ts';
import type { Endpoint } from './endpoint.ts';
import type { EncodedAnswer } from './sending/encoded-answer.ts';

/** One finished write of the admin API. It contains no values of the request. */
export interface WriteNote {
  readonly operationId: string;
  readonly method: string;
  /** The path of the operation, with its parameters as `:name`. */
  readonly route: string;
  readonly status: number;
  /** When it began, in milliseconds since the epoch, and how long it took. */
  readonly startMs: number;
  readonly durationMs: number;
  /** The header of the request; undefined if it has none. */
  readonly traceparent: string | undefined;
  /** Id of the user; null if no user sent the request. */
  readonly userId: string | null;
  /** The revision of the write; undefined if nothing was written. */
  readonly revision: string | undefined;
}

/** Learns of every finished write of the admin API. `note` must be cheap. */
export interface WriteObserver {
  note(write: WriteNote): void;
}

/** A header of this length or less is valid (W3C Trace Context, version 00). */
const TRACEPARENT_CHARS_MAX = 55;

/** Whether the route is a write of the admin API. The manifest of the OpenFeature CLI belongs to it. */
export function isAdminWrite({ method, path }: Pick<Endpoint<never>, 'method' | 'path'>): boolean {
  return method !== 'get' && (path.startsWith('/api/admin/') || path.startsWith('/openfeature/'));
}

/** Returns a function that notes the answer of the request, or undefined if the request is no write of the admin API. */
export function observeWrite<S>(
  observer: WriteObserver | undefined,
  { method, path, operationId }: Endpoint<S>,
  request: AdmittedRequest,
): ((answer: EncodedAnswer) => void) | undefined {
  if (observer === undefined || !isAdminWrite({ method, path })) return undefined;
  const beganMs = performance.now();
  const traceparent = request.header('traceparent');
  const userId = request.caller.user;
  return ({ status, headers }) =>
    observer.note({
      operationId,
      method: method.toUpperCase(),
      route: path,
      status,
      userId,
      startMs: performance.timeOrigin + beganMs,
      durationMs: performance.now() - beganMs,
      traceparent: traceparent !== undefined && traceparent.length <= TRACEPARENT_CHARS_MAX ? traceparent : undefined,
      revision: headers[REVISION_HEADER],
    });
}
