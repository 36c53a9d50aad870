/** One problem that the server names; `current`, `changedBy` and `changedAt` come with a 412. */
export interface FailureDetail {
  readonly message: string;
  readonly path?: string;
  readonly current?: unknown;
  readonly changedBy?: string | null;
  readonly changedAt?: string | null;
  readonly [key: string]: unknown;
}

/** Why a request failed. Reads throw it, writes return it. */
export class Failure extends Error {
  /** 0: the server was not reached. */
  readonly status: number;
  /** The `name` of the body, such as `ValidationError`. */
  readonly code: string;
  readonly details: readonly FailureDetail[];
  /** When the request may be sent again (milliseconds of `Date.now()`), or null if the server names no time. */
  readonly retryAt: number | null;
  /** The tag of the object as it is now, after a 412. */
  readonly etag: string | null;
  /** Whether earlier requests of the same action succeeded. */
  readonly isPartly: boolean;

  constructor(parts: {
    status: number;
    code: string;
    message: string;
    details?: readonly FailureDetail[];
    retryAt?: number | null;
    etag?: string | null;
    isPartly?: boolean;
  }) {
    super(parts.message);
    this.name = 'Failure';
    this.status = parts.status;
    this.code = parts.code;
    this.details = parts.details ?? [];
    this.retryAt = parts.retryAt ?? null;
    this.etag = parts.etag ?? null;
    this.isPartly = parts.isPartly ?? false;
  }

  /** The same, of an action whose earlier requests succeeded. */
  afterPart(): Failure {
    const { status, code, message, details, retryAt, etag } = this;
    return new Failure({ status, code, message, details, retryAt, etag, isPartly: true });
  }
}

/** `Retry-After` as seconds or as a date; null if it is missing or unreadable. */
function retryAtOf(header: string | null, now: number): number | null {
  if (!header) return null;
  const seconds = Number(header);
  if (Number.isFinite(seconds)) return now + seconds * 1000;
  const date = Date.parse(header);
  return Number.isNaN(date) ? null : date;
}

export function failureOf(response: Response, body: unknown): Failure {
  const parts = (typeof body === 'object' && body !== null ? body : {}) as {
    name?: string;
    message?: string;
    details?: FailureDetail[];
  };
  return new Failure({
    status: response.status,
    code: parts.name ?? 'Error',
    message: parts.message ?? response.statusText,
    details: Array.isArray(parts.details) ? parts.details : [],
    retryAt: retryAtOf(response.headers.get('retry-after'), Date.now()),
    etag: response.headers.get('etag'),
  });
}

export const unreachable = () =>
  new Failure({ status: 0, code: 'Unreachable', message: 'The server cannot be reached.' });
