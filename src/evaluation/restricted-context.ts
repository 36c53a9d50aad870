import { type EvaluationContext, fieldReader } from './context.ts';
import type { Needs } from './needs.ts';

/** A context with only the values that can change the answer, and a key for it: equal keys mean equal answers. */
interface RestrictedContext {
  readonly key: string;
  readonly context: EvaluationContext;
}

const NAMED = ['userId', 'sessionId', 'remoteAddress', 'appName'] as const;

/**
 * The context with only the parts that the needs contain. An answer evaluated with them depends only on the key, the environment and the time, so a
 * cached answer never contains data of another client's context. `draw` replaces the random number, if one may be drawn.
 */
export function restrict(context: EvaluationContext, needs: Needs, draw: number): RestrictedContext {
  const { environment, hostname, currentTimeMs, longestValue } = context;
  // Without a prototype: property names are the caller's.
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
  let drawn = needs.draws;
  for (const name of needs.fields) {
    // A named field may also be sent as a property; only some readers see that property.
    if (isNamed(name)) {
      restricted[name] = context[name];
      parts.push(context[name]);
    }
    const text = isNamed(name) ? propertyOf(context, name) : fieldReader(name)(context);
    if (text !== undefined) properties[name] = text;
    parts.push(text);
    if (needs.drawsWithout.has(name) && !fieldReader(name)(context)) drawn = true;
  }
  if (needs.isSticky || needs.isVariantSticky) {
    const { userId, sessionId, remoteAddress } = context;
    if (userId) restricted.userId = userId;
    else if (sessionId) restricted.sessionId = sessionId;
    else if (needs.isVariantSticky && remoteAddress) restricted.remoteAddress = remoteAddress;
    else drawn = true;
    if (!userId && !sessionId && needs.isSticky) drawn = true;
    parts.push(userId || undefined, userId ? undefined : sessionId || undefined, restricted.remoteAddress);
  }
  if (drawn) parts.push(draw);
  return { key: JSON.stringify(parts), context: restricted };
}

function isNamed(name: string): name is (typeof NAMED)[number] {
  return (NAMED as readonly string[]).includes(name);
}

/** The property with the name of a field, in the same way as `fieldReader` reads it when the field is missing. */
function propertyOf({ properties }: EvaluationContext, name: string): string | undefined {
  const only = { currentTimeMs: 0, random: () => 0, longestValue: 0, properties };
  return fieldReader(name)(only);
}
