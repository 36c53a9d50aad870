import { createHash } from 'node:crypto';
import { invalid, Rejection } from '../../base/rejection.ts';
import type { EvaluationContext } from '../../evaluation/context.ts';
import type { Needs } from '../../evaluation/needs.ts';
import { restrict } from '../../evaluation/restricted-context.ts';
import { evaluationContext } from '../../evaluation/sdk-context.ts';
import type { SdkContext } from '../../model/context.ts';

/**
 * Maximum number of characters of a context. It stays in memory while the stream is open, and there may be ten thousand streams. A query has the same
 * limit.
 */
const STREAM_CONTEXT_CHARS_MAX = 16 * 1024;

/** Number of different random numbers. */
const DRAWS = 2 ** 30;

/** Properties of a stream's reader that are not in the context. */
interface StreamReader {
  readonly environment: string;
  readonly remoteAddress: string;
  /** An integer from 0 to 2³⁰ - 1. It replaces every random number of the stream, and the session id if the context has none. */
  readonly draw: number;
}

/**
 * The context of a stream. Unlike the context of a request it is used many times: the random number is drawn once, and the time is the time of the
 * evaluated version, unless the context contains a time.
 */
export class StreamContext {
  readonly draw: number;
  /** A hash that identifies the context, the same after a restart; then a dot and the random number. */
  readonly name: string;
  readonly #context: EvaluationContext;
  readonly #ownTimeMs: number | undefined;

  private constructor(context: EvaluationContext, ownTimeMs: number | undefined, draw: number, hash: string) {
    this.#context = context;
    this.#ownTimeMs = ownTimeMs;
    this.draw = draw;
    this.name = `${hash}.${draw.toString(36)}`;
  }

  /** Rejected for the same reasons as the context of a request, and when it is too large to stay in memory. */
  static of(sdkContext: SdkContext, { environment, remoteAddress, draw }: StreamReader): StreamContext | Rejection {
    const random = () => draw / DRAWS;
    const defaults = { environment, remoteAddress, random, nowMs: 0, sessionId: String(draw) };
    const fullContext = evaluationContext(sdkContext, defaults);
    if (fullContext instanceof Rejection) return fullContext;
    // Only values that rules can compare are stored: lists and objects count as missing.
    const properties: Record<string, string> = Object.create(null);
    const parts: unknown[] = [fullContext.userId, fullContext.remoteAddress, fullContext.appName];
    let chars = 0;
    for (const name of Object.keys(fullContext.properties ?? {}).sort()) {
      const value = fullContext.properties?.[name];
      if (!['string', 'number', 'boolean'].includes(typeof value)) continue;
      properties[name] = String(value);
      parts.push(name, properties[name]);
    }
    const hasTime =
      sdkContext.currentTime !== undefined && sdkContext.currentTime !== null && sdkContext.currentTime !== '';
    const ownTimeMs = hasTime ? fullContext.currentTimeMs : undefined;
    parts.push(fullContext.sessionId === String(draw) ? null : fullContext.sessionId, ownTimeMs ?? null);
    for (const part of parts) if (typeof part === 'string') chars += part.length;
    if (chars > STREAM_CONTEXT_CHARS_MAX)
      return invalid(`The context of a stream has at most ${STREAM_CONTEXT_CHARS_MAX} characters.`, '/context');
    const hash = createHash('sha256').update(JSON.stringify(parts)).digest('base64url').slice(0, 16);
    return new StreamContext({ ...fullContext, properties }, ownTimeMs, draw, hash);
  }

  get longestValue(): number {
    return this.#context.longestValue;
  }

  /** The part of the context that the needs contain, for evaluation. Equal keys get equal answers at the same time. */
  restrictTo(needs: Needs): { readonly key: string; readonly restrictedContext: EvaluationContext } {
    const { key, context } = restrict(this.#context, needs, this.draw / DRAWS);
    const readsTime = needs.momentsMs.length > 0 || needs.readsClock;
    return { key: readsTime ? `${key}${this.#ownTimeMs ?? ''}` : key, restrictedContext: context };
  }

  /** The context with this time, unless it contains its own time. */
  at(restrictedContext: EvaluationContext, nowMs: number): EvaluationContext {
    return { ...restrictedContext, currentTimeMs: this.#ownTimeMs ?? nowMs };
  }
}
