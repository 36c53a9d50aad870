import { Failure, failureOf, unreachable } from './failure.ts';
import { loadEnded, loadStarted } from './first-view.ts';

/** An answer with its body. */
export interface Answered<T> {
  data?: T;
  error?: unknown;
  response: Response;
}

/** The answer with its whole body. */
export async function answerOf<T>(call: PromiseLike<Answered<T>>): Promise<Answered<T>> {
  loadStarted();
  try {
    return await call;
  } finally {
    loadEnded();
  }
}

export type Written<T> =
  | {
      readonly ok: true;
      readonly value: T;
      readonly etag: string | null;
      readonly revision: number | null;
      /** Of a save with several commits: those before the last one. */
      readonly earlier?: readonly number[];
    }
  | { readonly ok: false; readonly failure: Failure };

/** What carries out a save: it sends the requests, or only lists them. */
export interface Sender {
  /** Sends a request that changes something. */
  readonly write: <T>(request: PromiseLike<Answered<T>>) => Promise<Written<T>>;
  /** The tag of the answer, which a later request of the same save sends as `if-match`. */
  readonly tag: (request: PromiseLike<Answered<unknown>>) => Promise<string | null>;
}

/** A refusal is an ordinary result, which the screen explains. */
async function written<T>(request: PromiseLike<Answered<T>>): Promise<Written<T>> {
  try {
    const { data, error, response } = await answerOf(request);
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

export async function tagOf(request: PromiseLike<Answered<unknown>>): Promise<string | null> {
  const { error, response } = await answerOf(request);
  if (!response.ok) throw failureOf(response, error);
  return response.headers.get('etag');
}

const reallySending: Sender = { write: written, tag: tagOf };

/** Work that begins when it is awaited, and once. */
abstract class Lazy<R> implements Promise<R> {
  readonly [Symbol.toStringTag] = 'Promise';
  #running: Promise<R> | undefined;

  protected abstract start(): Promise<R>;

  // biome-ignore lint/suspicious/noThenProperty: it is awaited as a promise is.
  then<A = R, B = never>(
    done?: ((value: R) => A | PromiseLike<A>) | null,
    failed?: ((reason: unknown) => B | PromiseLike<B>) | null,
  ): Promise<A | B> {
    this.#running ??= this.start();
    return this.#running.then(done, failed);
  }

  catch<B = never>(failed?: ((reason: unknown) => B | PromiseLike<B>) | null): Promise<R | B> {
    return this.then(null, failed);
  }

  finally(last?: (() => void) | null): Promise<R> {
    return this.then().finally(last);
  }
}

/** A request that is sent when it is awaited. Before, it can be listed instead. */
export class Later<A> extends Lazy<A> {
  readonly #sent: () => Promise<A>;
  /** The request as it would be sent. */
  readonly listed: () => Promise<ListedRequest>;

  constructor(sent: () => Promise<A>, listed: () => Promise<ListedRequest>) {
    super();
    this.#sent = sent;
    this.listed = listed;
  }

  protected start(): Promise<A> {
    return this.#sent();
  }
}

/**
 * A save that is carried out when it is awaited. All of its requests that change something go by the sender, so that the same save can
 * also be listed without changing anything.
 */
export class Sending<R> extends Lazy<R> {
  readonly by: (sender: Sender) => Promise<R>;

  constructor(by: (sender: Sender) => Promise<R>) {
    super();
    this.by = by;
  }

  protected start(): Promise<R> {
    return this.by(reallySending);
  }
}

/** A save with one outcome: what was stored, or why it was refused. */
export type Writing<T> = Sending<Written<T>>;

export interface ListedRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: string | null;
  /** Secrets that the address contains. */
  readonly secrets: readonly string[];
  /** Names of values in `parameters` of the body that are secrets. */
  readonly secretParameters?: readonly string[];
  /** It changes nothing: the requests after it send the tag of its answer, which is not known before. */
  readonly isTagRead?: boolean;
}

/** The same request. The listed one says which values of `parameters` in its body are secrets. */
export function withSecrets<A>(request: Promise<A>, secretParameters: readonly string[]): Later<A> {
  return new Later(
    async () => await request,
    async () => ({ ...(await (request as Later<A>).listed()), secretParameters }),
  );
}
