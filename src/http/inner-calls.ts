import { type Asker, assertAsked } from '../base/asking/asker.ts';
import { assert } from '../base/assert.ts';
import type { Logger } from '../base/logger.ts';
import { TrustedProxies } from '../base/network/trusted-proxies.ts';
import { Rejection } from '../base/rejection.ts';
import { Slicer } from '../base/yield-control.ts';
import { Admission } from './admission.ts';
import type { Authenticator } from './authentication.ts';
import { type AnyEndpoint, type Endpoint, type Method, parameterNames } from './endpoint.ts';
import { HeaderList } from './header-list.ts';
import { observeWrite, type WriteObserver } from './observed-writes.ts';
import { parseAndHandle } from './parse-and-handle.ts';
import { CopiedRequest } from './request.ts';
import { type EncodedAnswer, encodeRejection } from './sending/encoded-answer.ts';

/** Maximum number of characters of an answer: it is held in memory as one text. */
const ANSWER_CHARS_MAX = 4_000_000;

/** A request of the service to one of its own operations, on behalf of a caller. */
export interface InnerRequest {
  readonly method: Method;
  /** The path of the operation, with its parameters as `:name`. */
  readonly path: string;
  /** Values of the path parameters, by name. */
  readonly params: Readonly<Record<string, string>>;
  /** The query text, without "?". */
  readonly query: string;
  /** The body as JSON text; undefined if the request has none. */
  readonly body: string | undefined;
  /** Further headers, with names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
}

/** The sender of inner requests: what is known from the request that causes them. */
interface InnerSender {
  /** The credential, as in the authorization header. Each request is authenticated and authorized again. */
  readonly authorization: string;
  readonly remoteAddress: string;
  readonly isTls: boolean;
  /** The request that causes the inner ones: they end with it. */
  readonly asker: Asker;
}

export interface InnerAnswer {
  readonly status: number;
  /** The body; "" if there is none. */
  readonly text: string;
}

interface InnerRoute<Services> {
  readonly endpoint: Endpoint<Services>;
  readonly admission: Admission;
}

const TOO_LONG = new Rejection(
  'PayloadTooLargeError',
  `The answer has more than ${ANSWER_CHARS_MAX} characters. Request less.`,
);

const NO_PROXIES = new TrustedProxies([]);
const TLS_PROXIES = NO_PROXIES.withTls();

/**
 * Calls operations of this service without a connection. A request passes the same steps as one from the network: authentication, permission,
 * validation, handler. So a call can do exactly what its sender could do over HTTP.
 */
export class InnerCalls<Services> {
  /** `get /path/:name` → route. Only routes with a handler. */
  readonly #routes = new Map<string, InnerRoute<Services>>();
  readonly #authenticator: Authenticator;
  readonly #services: Services;
  readonly #logger: Logger;
  readonly #writes: WriteObserver | undefined;

  constructor(
    endpoints: readonly AnyEndpoint<Services>[],
    services: Services,
    authenticator: Authenticator,
    logger: Logger,
    writes: WriteObserver | undefined,
  ) {
    for (const endpoint of endpoints) {
      if (endpoint.kind !== 'handled') continue;
      this.#routes.set(`${endpoint.method} ${endpoint.path}`, { endpoint, admission: new Admission(endpoint) });
    }
    this.#authenticator = authenticator;
    this.#services = services;
    this.#logger = logger;
    this.#writes = writes;
  }

  /** The answer of the operation, which must exist. */
  async call(request: InnerRequest, sender: InnerSender): Promise<InnerAnswer> {
    const route = this.#routes.get(`${request.method} ${request.path}`);
    assert(route !== undefined, `there is no operation ${request.method} ${request.path}`);
    const { admission, endpoint } = route;
    assertAsked(sender.asker);
    const head = headOf(request, sender, endpoint.path);
    const authenticate = () => admission.authenticate(admission.credentialsOf(head), this.#authenticator);
    await this.#authenticator.preparePermissions(authenticate());
    const admitted = admission.admit(authenticate(), sender.asker, head, this.#authenticator);
    if (admitted instanceof Rejection) return whole(encodeRejection(admitted), sender.asker);
    const note = observeWrite(this.#writes, endpoint, admitted);
    const answer = await parseAndHandle(
      endpoint,
      admitted,
      Buffer.from(request.body ?? ''),
      this.#services,
      this.#logger,
    );
    note?.(answer);
    return whole(answer, sender.asker);
  }
}

function headOf({ method, params, query, body, headers }: InnerRequest, sender: InnerSender, path: string) {
  const list = new HeaderList();
  list.take('authorization', sender.authorization);
  if (body !== undefined) list.take('content-type', 'application/json');
  for (const [name, value] of Object.entries(headers)) list.take(name, value);
  const values = parameterNames(path).map((name) => encodeURIComponent(params[name] ?? ''));
  const peer = { remoteAddress: () => sender.remoteAddress };
  const proxies = sender.isTls ? TLS_PROXIES : NO_PROXIES;
  return new CopiedRequest({ params: values, headers: list, method, query }, peer, proxies);
}

/** The answer as one text. Its pieces are created in slices, which count toward the caller's share of the time. */
async function whole({ status, text, pieces }: EncodedAnswer, asker: Asker): Promise<InnerAnswer> {
  if (!pieces) return { status, text: text ?? '' };
  const slicer = Slicer.of(asker);
  const parts: string[] = [];
  let chars = 0;
  for (const piece of pieces) {
    const part = typeof piece === 'string' ? piece : await piece;
    chars += part.length;
    if (chars > ANSWER_CHARS_MAX) return whole(encodeRejection(TOO_LONG), asker);
    parts.push(part);
    if (slicer.spent) await slicer.pause();
  }
  return { status, text: parts.join('') };
}
