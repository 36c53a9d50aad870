import type { Logger } from '../base/logger.ts';
import { Rejection } from '../base/rejection.ts';
import type { Answer } from './answer.ts';
import { ERRORS, errorBody } from './errors.ts';

/** An answer as text, ready to be sent. */
export interface EncodedAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string | undefined;
  readonly pieces: Iterable<string> | undefined;
}

const JSON_TYPE = { 'content-type': 'application/json; charset=utf-8' };

export function encode(answer: Answer | Rejection): EncodedAnswer {
  return answer instanceof Rejection ? encodeRejection(answer) : encodeAnswer(answer);
}

/** A 500, logged under the id that the caller is told. The caller learns nothing else. */
export function encodeDefect(error: unknown, operationId: string, logger: Logger): EncodedAnswer {
  const body = errorBody(
    new Rejection('InternalError', 'The service failed to answer this request. Its log has more under this id.'),
  );
  logger.error({ err: error, id: body.id, operationId }, 'request failed');
  return { status: 500, headers: JSON_TYPE, text: JSON.stringify(body), pieces: undefined };
}

export function encodeRejection(rejection: Rejection): EncodedAnswer {
  const headers: Record<string, string> = { ...JSON_TYPE };
  if (rejection.retryAfterS !== undefined) headers['retry-after'] = String(rejection.retryAfterS);
  return {
    status: ERRORS[rejection.name].status,
    headers,
    text: JSON.stringify(errorBody(rejection)),
    pieces: undefined,
  };
}

function encodeAnswer({ status, body, pieces, headers }: Answer): EncodedAnswer {
  if (pieces) return { status, headers: { ...JSON_TYPE, ...headers }, text: undefined, pieces };
  if (body === undefined) return { status, headers: headers ?? {}, text: undefined, pieces: undefined };
  return { status, headers: { ...JSON_TYPE, ...headers }, text: JSON.stringify(body), pieces: undefined };
}
