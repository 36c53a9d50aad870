import { Interner } from './interner.ts';

/**
 * The input of an evaluation. The caller supplies the clock (`currentTimeMs`, Unix milliseconds) and the random numbers
 * (`random`, uniform in [0, 1)), so evaluation itself is a pure function.
 */
export interface EvaluationContext {
  readonly userId?: string | undefined;
  readonly sessionId?: string | undefined;
  readonly remoteAddress?: string | undefined;
  readonly environment?: string | undefined;
  readonly appName?: string | undefined;
  readonly currentTimeMs: number;
  readonly properties?: Readonly<Record<string, unknown>> | undefined;
  /** Name of the machine that evaluates, for the applicationHostname strategy. */
  readonly hostname?: string | undefined;
  readonly random: () => number;
  /** Upper bound of the length of the longest value, in characters: the maximum cost of an evaluation depends on it. */
  readonly longestValue: number;
}

/** Reads one field of a context as text; undefined when the field is missing, null, a list or an object. */
export type FieldReader = (context: EvaluationContext) => string | undefined;

/** The context field that holds the current time. */
export const CURRENT_TIME = 'currentTime';

const readers = new Interner<FieldReader>();

/**
 * A reader for the named field, as in SDKs: a well-known field, or if it is missing the property of the same name; for any other name the property.
 * Only own properties count, so `__proto__` and `constructor` are ordinary names. Each name has one reader.
 */
export function fieldReader(name: string): FieldReader {
  return readers.get(name, () => makeReader(name));
}

function makeReader(name: string): FieldReader {
  switch (name) {
    case 'userId':
      return (context) => context.userId ?? property(context, 'userId');
    case 'sessionId':
      return (context) => context.sessionId ?? property(context, 'sessionId');
    case 'remoteAddress':
      return (context) => context.remoteAddress ?? property(context, 'remoteAddress');
    case 'environment':
      return (context) => context.environment ?? property(context, 'environment');
    case 'appName':
      return (context) => context.appName ?? property(context, 'appName');
    case CURRENT_TIME:
      return (context) => isoTime(context.currentTimeMs);
    default:
      return (context) => property(context, name);
  }
}

function property(context: EvaluationContext, name: string): string | undefined {
  const properties = context.properties;
  if (properties === undefined || properties === null) return undefined;
  const value = properties[name];
  if (value === undefined || value === null) return undefined;
  if (!Object.hasOwn(properties, name)) return undefined;
  return typeof value === 'string' ? value : scalarText(value);
}

/** Objects count as missing: their text has no meaning, and the conversion of `{"toString": 1}` throws. */
function scalarText(value: unknown): string | undefined {
  if (typeof value === 'number' || typeof value === 'boolean' || typeof value === 'bigint') return String(value);
  return undefined;
}

/** A date more than this many milliseconds from 1970 has no text: formatting it throws. */
const MAX_TIME_MS = 8.64e15;

function isoTime(timeMs: number): string | undefined {
  return Math.abs(timeMs) <= MAX_TIME_MS ? new Date(timeMs).toISOString() : undefined;
}
