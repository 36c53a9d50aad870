import type { Rejection } from '../../base/rejection.ts';
import type { SdkContext } from '../../model/context.ts';

/** A frontend token, in the header that clients of the protocol send it in: `Authorization`, bare or as a bearer's, or `X-API-Key`. */
export const OFREP_ACCESS = { permission: 'FRONTEND', keyHeader: 'x-api-key' } as const;

/**
 * An OpenFeature context as Unleash knows one: the targeting key is the user, unless the context names one; it may also be asked for by its own
 * name. A context without either is evaluated as Unleash evaluates one without a user, never refused.
 */
export function unleashContext(context: SdkContext & { readonly targetingKey?: SdkContext['userId'] }): SdkContext {
  const { targetingKey } = context;
  return targetingKey === undefined || targetingKey === null
    ? context
    : { ...context, userId: context.userId ?? targetingKey };
}

/** What the protocol's clients read of an error, beside what every error holds. */
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
