import type { TSchema } from 'typebox';
import type { Logger } from '../base/logger.ts';
import { Rejection } from '../base/rejection.ts';
import { validate, validateLarge } from '../base/validation.ts';
import type { AdmittedRequest } from './admission.ts';
import { type EncodedAnswer, encode, encodeDefect, encodeRejection } from './encoding.ts';
import type { Endpoint } from './endpoint.ts';
import { parseForm } from './form.ts';
import { parseJson, parseJsonInTurns, parseLargeJson } from './json.ts';

/**
 * Parses the body of an admitted request and handles it, without a detour over the event loop where the handler has none: a request that is
 * answered at once may be followed by another on its connection. Never throws: a defect becomes a 500 whose id stands in the log.
 */
export function dispatch<S>(
  endpoint: Endpoint<S>,
  request: AdmittedRequest,
  bytes: Uint8Array,
  services: S,
  logger: Logger,
): EncodedAnswer | Promise<EncodedAnswer> {
  const failed = (error: unknown) => encodeDefect(error, endpoint.operationId, logger);
  const handle = (body: ParsedBody | undefined) => {
    if (body instanceof Rejection) return encodeRejection(body);
    request.body = body?.value;
    const answer = endpoint.handle(request as never, services);
    return answer instanceof Promise ? answer.then(encode) : encode(answer);
  };
  try {
    const body = endpoint.body && parseBody(endpoint.body, endpoint, bytes);
    const answer = body instanceof Promise ? body.then(handle) : handle(body);
    return answer instanceof Promise ? answer.catch(failed) : answer;
  } catch (error) {
    return failed(error);
  }
}

/** Bodies from this size on are parsed, checked and handled in turns of their own: a megabyte takes some milliseconds for each. */
const LARGE_BODY_BYTES = 128 * 1024;

type ParsedBody = { readonly value: unknown } | Rejection;

function parseBody(
  schema: TSchema,
  { bodyLimit, form }: Pick<Endpoint<unknown>, 'bodyLimit' | 'form'>,
  bytes: Uint8Array,
): ParsedBody | Promise<ParsedBody> {
  if (form) {
    const fields = parseForm(bytes);
    return fields instanceof Rejection ? fields : (validate(schema, fields.value, 'body') ?? fields);
  }
  if (bodyLimit === 'import') return checked(schema, parseLargeJson(bytes));
  if (bytes.length > LARGE_BODY_BYTES) return checked(schema, parseJsonInTurns(bytes));
  const parsed = parseJson(bytes);
  if (parsed instanceof Rejection) return parsed;
  return validate(schema, parsed.value, 'body') ?? parsed;
}

async function checked(schema: TSchema, parsing: Promise<ParsedBody>): Promise<ParsedBody> {
  const parsed = await parsing;
  if (parsed instanceof Rejection) return parsed;
  return (await validateLarge(schema, parsed.value, 'body')) ?? parsed;
}
