import type { InnerAnswer, InnerRequest } from '../../http/inner-calls.ts';
import type { Rights } from './protocol-server.ts';

/** One end of a channel between the threads. */
export type Port = InstanceType<typeof MessagePort>;

/** One message of a client, for the thread. */
export interface McpTask {
  /** A JSON-RPC message, as JSON. */
  readonly message: string;
  /** The headers of the request that the protocol uses (`PROTOCOL_HEADERS`). */
  readonly headers: Readonly<Record<string, string>>;
  readonly rights: Rights;
  /** The thread sends `McpCall`s on it, and gets `McpReply`s. Transferred to the thread. */
  readonly port: Port;
}

/** A request to the API, which the thread asks the main thread to make. The thread never gets the credential. */
export interface McpCall {
  readonly id: number;
  readonly request: InnerRequest;
}

export interface McpReply {
  readonly id: number;
  readonly answer: InnerAnswer;
}

/**
 * `answer`: a JSON-RPC message, as JSON; null if the client expects none. From revision 2026-07-28 on, some errors have a status of their own.
 * `refused`: the message is not accepted, and why.
 */
export type McpResult =
  | { readonly kind: 'answer'; readonly status: number; readonly text: string | null }
  | { readonly kind: 'refused'; readonly reason: string };
