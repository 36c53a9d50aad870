import { AskerEnded } from '../base/asking/asker.ts';
import type { Logger } from '../base/logger.ts';
import { Rejection } from '../base/rejection.ts';
import type { AdmittedRequest } from './admission.ts';
import type { Answer } from './answer.ts';
import { type ParsedBody, parseBody } from './body/parsed-body.ts';
import type { Endpoint } from './endpoint.ts';
import { type EncodedAnswer, encode, encodeDefect, encodeRejection } from './sending/encoded-answer.ts';

/** The answer to a request for which no caller waits any more. It is never sent. */
export const UNSEEN: EncodedAnswer = { status: 503, headers: {}, text: undefined, pieces: undefined };

/**
 * Parses the body of an admitted request and handles it. If the handler is synchronous, the answer is sent in the same turn of the event loop,
 * because another request may follow immediately on the connection. Never throws: a defect is answered with 500 and an id that is in the log.
 * `onParsed` is called when the bytes are no longer needed.
 */
export function parseAndHandle<S>(
  endpoint: Endpoint<S>,
  request: AdmittedRequest,
  bytes: Uint8Array,
  services: S,
  logger: Logger,
  onParsed?: () => void,
): EncodedAnswer | Promise<EncodedAnswer> {
  const failed = (error: unknown) =>
    error instanceof AskerEnded ? UNSEEN : encodeDefect(error, endpoint.operationId, logger, endpoint.protocol);
  const refused = (rejection: Rejection) =>
    encodeRejection(rejection, endpoint.errorFields?.(rejection, request.params), endpoint.protocol);
  const encoded = (answer: Answer | Rejection) =>
    answer instanceof Rejection ? refused(answer) : encode(answer, refused);
  const handle = (body: ParsedBody | undefined) => {
    onParsed?.();
    if (body instanceof Rejection) return encoded(body);
    request.body = body?.value;
    const answer = endpoint.handle(request as never, services);
    return answer instanceof Promise ? answer.then(encoded) : encoded(answer);
  };
  try {
    const body = endpoint.body && parseBody(endpoint.body, endpoint, bytes, request.asker);
    const answer = body instanceof Promise ? body.then(handle) : handle(body);
    return answer instanceof Promise ? answer.catch(failed) : answer;
  } catch (error) {
    return failed(error);
  }
}
