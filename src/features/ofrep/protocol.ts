import type { Rejection } from '../../base/rejection.ts';
import type { SdkContext } from '../../model/context.ts';

/** Clients of the protocol send a frontend token in the header `Authorization`, with or without `Bearer`, or in `X-API-Key`. */
export const OFREP_ACCESS = { permission: 'FRONTEND', keyHeader: 'x-api-key' } as const;

/**
 * Converts an OpenFeature context to an Unleash context. The targeting key becomes the `userId`, unless the context already has a `userId`. The
 * targeting key also stays a field of its own. A context with neither of them is evaluated as Unleash evaluates a context without a user; it is never
 * refused.
 */
export function unleashContext(context: SdkContext & { readonly targetingKey?: SdkContext['userId'] }): SdkContext {
  const { targetingKey } = context;
  return targetingKey === undefined || targetingKey === null
    ? context
    : { ...context, userId: context.userId ?? targetingKey };
}

/** The additional fields of an error that clients of this protocol read. The error also has the fields of every other error. */
export function ofrepErrorFields(
  rejection: Rejection,
  { featureName }: Readonly<Record<string, unknown>>,
): Readonly<Record<string, unknown>> {
  return {
    ...(featureName === undefined ? {} : { key: featureName }),
    errorCode: errorCodeOf(rejection),
    errorDetails: rejection.message,
  };
}

function errorCodeOf({ name, details }: Rejection): string {
  if (name === 'NotFoundError') return 'FLAG_NOT_FOUND';
  if (name !== 'ValidationError') return 'GENERAL';
  return details.some(({ path }) => path?.startsWith('/context')) ? 'INVALID_CONTEXT' : 'PARSE_ERROR';
}
