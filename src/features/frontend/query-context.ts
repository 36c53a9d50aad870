import { Rejection } from '../../base/rejection.ts';
import { parametersOf } from '../../http/query.ts';
import type { SdkContext } from '../../model/context.ts';

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
