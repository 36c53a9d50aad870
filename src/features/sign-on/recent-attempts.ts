import type { Clock } from '../../base/clock.ts';

/** Attempts are counted per span of time. The newest spans are kept: a quarter of an hour. */
export const SPAN_MS = 300_000;
export const SPANS = 3;

/** Start of a span → name → attempts. */
export type Spans = ReadonlyMap<number, ReadonlyMap<string, number>>;

/**
 * Attempts of the last quarter of an hour, by name. Bounded: a full span drops the name that was counted longest ago. A client that continues is
 * counted again at each attempt and so is kept; to be dropped, it would have to make as many attempts under other names as a span has capacity for.
 * If a full span rejected new names, a flood could lock every user out. If it admitted them uncounted, a flood could switch the limit off.
 */
export class RecentAttempts {
  readonly #clock: Clock;
  readonly #namesMax: number;
  readonly #spans = new Map<number, Map<string, number>>();

  /** @param namesMax names per span. */
  constructor(clock: Clock, namesMax: number) {
    this.#clock = clock;
    this.#namesMax = namesMax;
  }

  get spans(): Spans {
    return this.#spans;
  }

  /** Counts one attempt. Returns the start of its span. */
  count(name: string): number {
    const startMs = startOfSpan(this.#clock);
    for (const spanStartMs of [...this.#spans.keys()])
      if (!isKept(spanStartMs, this.#clock)) this.#spans.delete(spanStartMs);
    let counts = this.#spans.get(startMs);
    if (!counts) {
      counts = new Map();
      this.#spans.set(startMs, counts);
    }
    const count = counts.get(name) ?? 0;
    // Delete and set again, because a map keeps the order of insertion: the name counted last must be last.
    counts.delete(name);
    for (const oldest of counts.keys()) {
      if (counts.size < this.#namesMax) break;
      counts.delete(oldest);
    }
    counts.set(name, count + 1);
    return startMs;
  }

  /** Removes an attempt that was counted in the span. */
  forget(name: string, startMs: number): void {
    const counts = this.#spans.get(startMs);
    const count = counts?.get(name) ?? 0;
    if (count > 1) counts?.set(name, count - 1);
    else counts?.delete(name);
  }
}

function startOfSpan(clock: Clock): number {
  const nowMs = clock.nowMs();
  return nowMs - (nowMs % SPAN_MS);
}

/** The attempts under the name in the spans that are kept. */
export function sumOf(spans: Spans, name: string, clock: Clock): number {
  let sum = 0;
  for (const [startMs, counts] of spans) if (isKept(startMs, clock)) sum += counts.get(name) ?? 0;
  return sum;
}

/** Seconds until the oldest attempt under one of the names expires. */
export function waitOf(
  spans: Iterable<readonly [number, ReadonlyMap<string, number>]>,
  names: readonly string[],
  clock: Clock,
): number {
  let oldestMs = startOfSpan(clock);
  for (const [startMs, counts] of spans) {
    if (isKept(startMs, clock) && names.some((name) => counts.has(name))) oldestMs = Math.min(oldestMs, startMs);
  }
  return Math.max(1, Math.ceil((oldestMs + SPANS * SPAN_MS - clock.nowMs()) / 1_000));
}

function isKept(startMs: number, clock: Clock): boolean {
  return startMs > startOfSpan(clock) - SPANS * SPAN_MS;
}
