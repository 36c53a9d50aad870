import { type EvaluationContext, fieldReader } from './context.ts';
import type { Needs } from './needs.ts';

/** A context with only the values that can change the answer, and a key for it: equal keys mean equal answers. */
interface RestrictedContext {
  readonly key: string;
  readonly context: EvaluationContext;
}

const FIELD_NAMES = ['userId', 'sessionId', 'remoteAddress', 'appName'] as const;

/**
 * The context with only the parts that the needs contain. An answer evaluated with it depends only on the key, the environment and the time, so a
 * cached answer never contains data of another client's context. `draw` is the random number of this context; it is in the key if it may be used.
 */
export function restrict(context: EvaluationContext, needs: Needs, draw: number): RestrictedContext {
  const { environment, hostname, currentTimeMs, longestValue } = context;
  // The object has no prototype, because the caller chooses the property names.
  const properties: Record<string, string> = Object.create(null);
  // Create the object with all its fields: adding a field later costs more than the rest of this function.
  const restricted: { -readonly [Name in keyof EvaluationContext]: EvaluationContext[Name] } = {
    userId: undefined,
    sessionId: undefined,
    remoteAddress: undefined,
    appName: undefined,
    environment,
    hostname,
    currentTimeMs,
    longestValue,
    properties,
    random: () => draw,
  };
  const parts: (string | number | undefined)[] = [];
  let isDrawn = needs.drawsRandom;
  for (const name of needs.fields) {
    // The field may also be sent as a property. `fieldReader` reads the property too; `USER_ID` and `SESSION_ID` (stickiness.ts) read only the field.
    if (isFieldName(name)) {
      restricted[name] = context[name];
      parts.push(context[name]);
    }
    const text = isFieldName(name) ? propertyOf(context, name) : fieldReader(name)(context);
    if (text !== undefined) properties[name] = text;
    parts.push(text);
    if (needs.randomIfMissing.has(name) && !fieldReader(name)(context)) isDrawn = true;
  }
  if (needs.isSticky || needs.isVariantSticky) {
    const { userId, sessionId, remoteAddress } = context;
    if (userId) restricted.userId = userId;
    else if (sessionId) restricted.sessionId = sessionId;
    else if (needs.isVariantSticky && remoteAddress) restricted.remoteAddress = remoteAddress;
    else isDrawn = true;
    if (!userId && !sessionId && needs.isSticky) isDrawn = true;
    parts.push(userId || undefined, userId ? undefined : sessionId || undefined, restricted.remoteAddress);
  }
  if (isDrawn) parts.push(draw);
  return { key: JSON.stringify(parts), context: restricted };
}

function isFieldName(name: string): name is (typeof FIELD_NAMES)[number] {
  return (FIELD_NAMES as readonly string[]).includes(name);
}

/** The property with the name of a field, in the same way as `fieldReader` reads it when the field is missing. */
function propertyOf({ properties }: EvaluationContext, name: string): string | undefined {
  const propertiesOnly = { currentTimeMs: 0, random: () => 0, longestValue: 0, properties };
  return fieldReader(name)(propertiesOnly);
}
