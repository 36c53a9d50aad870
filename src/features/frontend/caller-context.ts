import { Rejection } from '../../base/rejection.ts';
import type { EvaluationContext } from '../../evaluation/context.ts';
import { evaluationContext } from '../../evaluation/sdk-context.ts';
import { parametersOf } from '../../http/query.ts';
import type { Scope } from '../../model/caller.ts';
import type { SdkContext } from '../../model/context.ts';
import type { Services } from '../services.ts';

/**
 * The context that a browser or an app sent, in the form that evaluation reads. Its environment is the token's environment. The default for
 * `remoteAddress` is the client's address, the default for `sessionId` is a random value.
 */
export function callerContext(
  sent: SdkContext,
  { environment }: Scope,
  remoteAddress: string,
  { clock, random }: Pick<Services, 'clock' | 'random'>,
): EvaluationContext | Rejection {
  return evaluationContext(sent, {
    environment,
    nowMs: clock.nowMs(),
    random,
    remoteAddress,
    sessionId: String(Math.floor(random() * 1_000_000_000)),
  });
}

/** Reads `userId=…&properties[plan]=…`. If a parameter occurs twice, the last one counts. */
export function contextOfQuery(queryText: string): SdkContext | Rejection {
  const parameters = parametersOf(queryText);
  if (parameters instanceof Rejection) return parameters;
  // These objects have no prototypes, because the client chooses the names of the properties.
  const context: Record<string, unknown> = Object.create(null);
  const properties: Record<string, string> = Object.create(null);
  for (const [name, value] of parameters) {
    const property = /^properties\[(.+)\]$/.exec(name)?.[1];
    if (property !== undefined) properties[property] = value;
    else if (name !== 'properties') context[name] = value;
  }
  return { ...context, properties };
}
