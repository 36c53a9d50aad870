import { invalid, type Rejection } from '../base/rejection.ts';
import type { SdkContext } from '../model/context.ts';
import { MODEL_LIMITS } from '../model/limits.ts';
import type { EvaluationContext } from './context.ts';

/** Values that do not come from the context itself. */
interface ContextDefaults {
  /** Set by the token, or by the field `environment` beside the context in the request; `context.environment` is ignored. */
  readonly environment: string;
  readonly nowMs: number;
  readonly random: () => number;
  readonly remoteAddress?: string;
  readonly sessionId?: string;
}

/**
 * Maximum length of a context field's value, in UTF-16 units. The limit is needed because a constraint may compare the value with ten thousand
 * values or match it with a pattern.
 */
export const CONTEXT_VALUE_LENGTH_MAX = MODEL_LIMITS.contextValueLength.max;

/** Maximum length of a date. Longer texts are never dates, and parsing them would take long. */
const DATE_LENGTH_MAX = 100;

/** Converts the context for evaluation. Rejected when `currentTime` is not a time or a value is too long. Unknown fields become properties. */
export function evaluationContext(context: SdkContext, defaults: ContextDefaults): EvaluationContext | Rejection {
  const {
    appName,
    userId,
    sessionId,
    remoteAddress,
    currentTime,
    environment: _ignored,
    properties,
    ...rest
  } = context;
  const time = textOf(currentTime);
  const currentTimeMs = time === undefined || time === '' ? defaults.nowMs : Date.parse(time.slice(0, DATE_LENGTH_MAX));
  if (Number.isNaN(currentTimeMs) || (time?.length ?? 0) > DATE_LENGTH_MAX) {
    return invalid(`currentTime is not a date: "${time?.slice(0, DATE_LENGTH_MAX)}".`, '/context/currentTime');
  }
  const named = { appName, userId, sessionId, remoteAddress };
  const longestValue = Math.max(longestIn(named), longestIn(rest), longestIn(properties));
  if (longestValue > CONTEXT_VALUE_LENGTH_MAX) return tooLong(named, rest, properties);
  return {
    environment: defaults.environment,
    appName: textOf(appName),
    userId: textOf(userId),
    sessionId: textOf(sessionId) || defaults.sessionId,
    remoteAddress: textOf(remoteAddress) || defaults.remoteAddress,
    currentTimeMs,
    random: defaults.random,
    longestValue,
    // The object has no prototype, because the caller chooses the property names.
    properties: Object.assign(Object.create(null), rest, properties),
  };
}

/** No number, boolean or default value is longer than this as text. So only longer texts need to be measured. */
const SHORT_VALUE_MAX = 32;

function longestIn(fields: Readonly<Record<string, unknown>> | undefined): number {
  let longest = SHORT_VALUE_MAX;
  for (const name in fields) {
    const value = fields[name];
    if (typeof value === 'string' && value.length > longest) longest = value.length;
  }
  return longest;
}

function tooLong(...groups: readonly (Readonly<Record<string, unknown>> | undefined)[]): Rejection {
  const isTooLong = (value: unknown) => typeof value === 'string' && value.length > CONTEXT_VALUE_LENGTH_MAX;
  const found = groups.flatMap((fields) => Object.entries(fields ?? {})).find(([, value]) => isTooLong(value));
  const name = (found?.[0] ?? '').slice(0, 100);
  return invalid(
    `The context field ${name} is longer than ${CONTEXT_VALUE_LENGTH_MAX} characters.`,
    `/context/${name}`,
  );
}

function textOf(value: unknown): string | undefined {
  if (typeof value === 'string') return value;
  return typeof value === 'number' || typeof value === 'boolean' ? String(value) : undefined;
}
