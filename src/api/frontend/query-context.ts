import { isUtf8Encoded } from '../../base/percent-encoding.ts';
import { invalid, type Rejection } from '../../base/rejection.ts';
import type { SdkContext } from '../../model/context.ts';

/** Parameters a query may carry. The server caps a request's head long before; this says so politely. */
const PARAMETERS_MAX = 200;

/** Reads `userId=…&properties[plan]=…`. Of a parameter that comes twice, the last one counts. */
export function contextOfQuery(queryText: string): SdkContext | Rejection {
  if (!isUtf8Encoded(queryText)) return invalid('The query is not UTF-8.');
  // Without prototypes: names are the caller's.
  const context: Record<string, unknown> = Object.create(null);
  const properties: Record<string, string> = Object.create(null);
  let count = 0;
  for (const [name, value] of new URLSearchParams(queryText)) {
    if (++count > PARAMETERS_MAX) return invalid(`The query has more than ${PARAMETERS_MAX} parameters.`);
    const property = /^properties\[(.+)\]$/.exec(name)?.[1];
    if (property !== undefined) properties[property] = value;
    else if (name !== 'properties') context[name] = value;
  }
  return { ...context, properties };
}
