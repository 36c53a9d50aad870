import { invalid, type Rejection } from '../base/rejection.ts';
import type { SdkContext } from '../model/context.ts';
import type { EvaluationContext } from './context.ts';

/** What a context does not bring itself. */
export interface ContextDefaults {
  /** Decided by the token or the request's own field, never by the context. */
  readonly environment: string;
  readonly nowMs: number;
  readonly random: () => number;
  readonly remoteAddress?: string;
  readonly sessionId?: string;
}

/** The context as evaluation reads it. Rejected when `currentTime` is no time. Fields it does not know become properties. */
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
  const currentTimeMs = time === undefined || time === '' ? defaults.nowMs : Date.parse(time);
  if (Number.isNaN(currentTimeMs)) return invalid(`currentTime is not a date: "${time}".`, '/context/currentTime');
  return {
    environment: defaults.environment,
    appName: textOf(appName),
    userId: textOf(userId),
    sessionId: textOf(sessionId) || defaults.sessionId,
    remoteAddress: textOf(remoteAddress) || defaults.remoteAddress,
    currentTimeMs,
    random: defaults.random,
    // Without a prototype: property names are the caller's.
    properties: Object.assign(Object.create(null), rest, properties),
  };
}

function textOf(value: unknown): string | undefined {
  if (typeof value === 'string') return value;
  return typeof value === 'number' || typeof value === 'boolean' ? String(value) : undefined;
}
