import { assert } from '../../base/assert.ts';
import type { Logger } from '../../base/logger.ts';
import { Rejection } from '../../base/rejection.ts';
import { type HeaderRecord, NO_HEADERS, type ResponseHead } from '../../base/response-head.ts';
import type { Answer } from '../answer.ts';
import type { Protocol } from '../endpoint.ts';
import { ERRORS, errorBody } from '../errors.ts';

/** An answer as text, ready to be sent. */
export interface EncodedAnswer {
  readonly status: number;
  readonly headers: HeaderRecord;
  readonly text: string | undefined;
  readonly pieces: Iterable<string | Promise<string>> | undefined;
  /** Of a text that several callers get. */
  readonly packed?: Packed;
  /** For `pieces` whose number in progress is limited for each caller: the answer when the limit is reached. */
  readonly refused?: (rejection: Rejection) => EncodedAnswer;
}

/** What is made once of an answer that several callers get. */
interface Packed {
  /** The compressed text, once a caller has asked for it. */
  bytes?: Uint8Array | Promise<Uint8Array>;
  /** Headers of the route → head of the compressed answer. There are two: a route has further headers if TLS is used. */
  readonly heads: Map<HeaderRecord | undefined, ResponseHead>;
}

const JSON_TYPE = { 'content-type': 'application/json; charset=utf-8' };

/**
 * A 401 names the kind of credential (RFC 9110, 11.6.1); clients of MCP read it. Browsers ask people for a password only if a challenge is of another scheme.
 */
const CHALLENGE = { 'www-authenticate': 'Bearer realm="burgee"' };

/** An answer with status 500. The error is logged with an id, and the answer contains only this id. */
export function encodeDefect(error: unknown, operationId: string, logger: Logger, protocol?: Protocol): EncodedAnswer {
  const rejection = new Rejection(
    'InternalError',
    'The service failed to answer this request. Its log contains the cause, with the id of this error.',
  );
  const body = errorBody(rejection);
  logger.error({ err: error, id: body.id, operationId }, 'request failed');
  if (protocol) return encodeRejection(new Rejection(rejection.name, `${rejection.message} ${body.id}`), {}, protocol);
  return { status: 500, headers: JSON_TYPE, text: JSON.stringify(body), pieces: undefined };
}

/** `fields` are added to the fields that every error has. A protocol has an error body of its own. */
export function encodeRejection(
  rejection: Rejection,
  fields?: Readonly<Record<string, unknown>>,
  protocol?: Protocol,
): EncodedAnswer {
  const { retryAfterS } = rejection;
  const { status } = ERRORS[rejection.name];
  const type = protocol ? { 'content-type': protocol.mediaType } : JSON_TYPE;
  return {
    status,
    headers: {
      ...type,
      ...(retryAfterS !== undefined && { 'retry-after': String(retryAfterS) }),
      ...(status === 401 && CHALLENGE),
    },
    text: JSON.stringify(protocol ? protocol.errorBody(rejection) : { ...errorBody(rejection), ...fields }),
    pieces: undefined,
  };
}

/** The answer as text. `refused` encodes a rejection in the error format of the operation. */
export function encode(answer: Answer, refused: (rejection: Rejection) => EncodedAnswer): EncodedAnswer {
  const { status, body, text, pieces, headers, isBounded = false } = answer;
  if (text !== undefined) return { status, headers: headers ?? {}, text, pieces: undefined };
  if (pieces) return { status, headers: ofJson(headers), text: undefined, pieces, ...(isBounded && { refused }) };
  if (body === undefined) return { status, headers: headers ?? NO_HEADERS, text: undefined, pieces: undefined };
  return { status, headers: ofJson(headers), text: jsonText(body), pieces: undefined };
}

function jsonText(body: unknown): string {
  const text: string | undefined = JSON.stringify(body);
  assert(text !== undefined, 'the body of an answer cannot be written as JSON');
  return text;
}

/** Adds the content-type. Uses `Object.assign`, because spreading two records takes ten times as long. */
function ofJson(headers: HeaderRecord | undefined): HeaderRecord {
  return headers === undefined ? JSON_TYPE : Object.assign({}, JSON_TYPE, headers);
}
