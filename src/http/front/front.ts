import type { PreparedBody } from '../../base/prepared-answer.ts';
import type { ResponseHead } from '../../base/response-head.ts';

/**
 * The interface between the service and the HTTP server that accepts its connections. There are two servers: `fast/` is uWebSockets.js, `node/` is the
 * server of Node. Only these folders know their server. docs/start/fronts.md lists how they differ for callers, docs/decisions/two-fronts.md says why there
 * are two.
 */

/** The head of a request. Valid only during the call in which it is passed: the fast front uses one object for all requests. */
export interface HttpRequest {
  /** The value of the first header with this name (lower case); "" if there is none. */
  getHeader(name: string): string;
  /** Calls `take` with each header in the order in which they were sent; names in lower case. */
  forEach(take: (name: string, value: string) => void): void;
  /** The method in lower case. */
  getMethod(): string;
  /** The path as sent, percent-encoded, without the query. */
  getUrl(): string;
  /** The query as sent, without "?"; "" if there is none. */
  getQuery(): string;
  /** The path parameter at this index, in the order of the route, percent-encoded; "" if the route has fewer. */
  getParameter(index: number): string;
}

/** A body, or a part of one. Text is sent as UTF-8. Bytes must not be changed afterwards: they may be sent later. */
export type Body = Uint8Array | string;

/** Receives the chunks of a body. A chunk is valid only during the call: the server may reuse its memory. */
export type BodyTaker = (chunk: Uint8Array, isLast: boolean) => void;

/**
 * The answer to one request. It must not be used after it was ended, closed or aborted. Code that does not answer in the call that receives the request
 * registers `onAborted` first. No exception may leave a callback.
 */
export interface HttpResponse {
  /** The address of the caller's socket. @throws if the response has ended */
  remoteAddress(): string;
  /** Calls `listener` if the connection ends before the answer. Replaces an earlier listener. */
  onAborted(listener: () => void): void;

  /**
   * To be called for a request whose body is chunked, before `onData` and before anything is sent. If the front cannot check where such a body ends, it
   * passes the end in a later turn of the event loop, and closes the connection after the answer: nothing that follows the body is ever served.
   */
  expectChunks(): void;
  /** Passes the body to `taker`. Call it once, in the call that receives the request. */
  onData(taker: BodyTaker): void;
  /** Stops reading from the socket. Chunks that were already read may still be passed. */
  pause(): void;
  /** Reads from the socket again, and resets the front's timer. Does nothing else if the socket was not paused. */
  readOn(): void;

  /** Combines everything that `write` sends into one write of the socket. Needed outside of the call that receives the request. */
  cork(write: () => void): void;
  writeHead(head: ResponseHead): void;
  /** Writes the header that announces the end of the connection. For answers that do not end with `endBody` or `endHead`, which write it themselves. */
  writeClose(): void;
  /** Writes a part of a body of unknown length. Returns false if the next write must wait for the reader. An empty part is not allowed. */
  writeBody(part: Body): boolean;
  /** Writes the whole body, with its length, or ends a body that was written in parts. In the second case `closeConnection` must be false. */
  endBody(body?: Body, closeConnection?: boolean): void;
  /** Ends an answer without a body. `lengthBytes`: the value of `content-length`; undefined: none, or the head has it. */
  endHead(lengthBytes: number | undefined, closeConnection: boolean): void;
  /**
   * Sends the prepared body from `sentBytes` on. Returns true when all of it was accepted; the response has then ended. Otherwise `onWritable` reports
   * how many bytes were accepted, and the caller sends the rest.
   */
  sendBody(body: PreparedBody, sentBytes: number): boolean;
  /**
   * Calls `listener` when the socket accepts more, with the number of bytes of `sendBody` that it has accepted so far. The listener returns whether it
   * has sent everything. A later call replaces the listener; the fast front ignores a call while the listener runs.
   */
  onWritable(listener: (sentBytes: number) => boolean): void;
  /** Writes a whole answer although the body of the request was not received, and leaves the response open. The head announces the end. */
  writeEarly(head: ResponseHead, body: Body): void;
  /** Calls `listener` with the status when an answer begins. */
  observeStatus(listener: (status: number) => void): void;
  /** Closes the connection at once. */
  close(): void;
}

/**
 * A connection that is closed before the caller has sent its whole body is reset, and the caller may lose the answer. So the body is read and dropped
 * for a while: so many bytes, for so long.
 */
export const DROPPED_BYTES_MAX = 1_000_000;
export const LINGER_MS = 2_000;

/** Serves one request. */
export type Serve = (response: HttpResponse, request: HttpRequest) => void;

/** The methods of routes. `any`: every method, for requests that no other route matches. */
export type RouteMethod = 'get' | 'head' | 'post' | 'put' | 'patch' | 'delete' | 'options' | 'any';

export type FrontKind = 'fast' | 'node';

export interface TlsFiles {
  readonly keyFile: string;
  readonly certificateFile: string;
}

/** A server on one port, with its routes. */
export interface Front {
  /** A pattern has parameters as `:name`, and `/*` for every path. A segment that is equal comes before a parameter, and a parameter before `/*`. */
  route(method: RouteMethod, pattern: string, serve: Serve): void;
  /**
   * Listens on the port, and resolves with it. `host` "": every address. `port` 0: any free port. `sharePort`: several processes may listen on it.
   * @throws ListenError
   */
  listen(host: string, port: number, sharePort: boolean): Promise<number>;
  /** Accepts no new connections. */
  stopListening(): void;
  /** Closes the connections, at the latest at `deadlineMs` (`performance.now()`). Until then, answers that were begun are sent. */
  close(deadlineMs: number): Promise<void>;
}
