import { type EvaluationContext, fieldReader } from './context.ts';
import type { Needs } from './needs.ts';

/** A context without what makes no difference, and a text that tells it from others: equal keys, equal answers. */
interface RestrictedContext {
  readonly key: string;
  readonly context: EvaluationContext;
}

const NAMED = ['userId', 'sessionId', 'remoteAddress', 'appName'] as const;

/**
 * What of the context the needs name, and nothing else: what is evaluated with it is a function of the key, the environment and the time, so that nobody
 * is ever told what belongs to somebody else's context. `draw` stands for what is drawn, where something may be.
 */
export function restrict(context: EvaluationContext, needs: Needs, draw: number): RestrictedContext {
  const { environment, hostname, currentTimeMs, longestValue } = context;
  // Without a prototype: property names are the caller's.
  const properties: Record<string, string> = Object.create(null);
  // With all fields from the beginning: each that is added later costs more than all else that is done here.
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
    // A named field may be given as a property, too, and then only some of those who read it see it.
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

/** The property of a name that is a field's as well, as `fieldReader` finds it where the field is missing. */
function propertyOf({ properties }: EvaluationContext, name: string): string | undefined {
  const only = { currentTimeMs: 0, random: () => 0, longestValue: 0, properties };
  return fieldReader(name)(only);
}
