import type { Steps } from '../../base/yield-control.ts';
import type { Constraint } from '../../model/constraint.ts';

const CURRENT_TIME = 'currentTime';

/** The moments at which flags may become something else by themselves, in Unix milliseconds; null when they may at any moment. */
export type Moments = readonly number[] | null;

const NONE: readonly never[] = Object.freeze([]);

/** A run of flags; what is found out of it is kept there, for the snapshots to come. */
interface Timed {
  readonly cells: readonly TimedCell[];
  moments: Moments | undefined;
}

interface TimedCell {
  /** What the definition says of the time, with its segments. */
  readonly moments: Moments;
}

/**
 * Between which two dates of the rules of a snapshot's flags a time lies. As long as that stays the same, the passing of time changes no answer:
 * DATE_* is all that asks for it; of a flag that asks otherwise it is said that any moment may change it.
 */
export class SnapshotClock {
  readonly #parts: readonly Timed[];
  #moments: (readonly number[])[] | null | undefined;

  constructor(parts: readonly Timed[]) {
    this.#parts = parts;
  }

  /** Whether `position` is known at once. */
  get isWound(): boolean {
    return this.#moments !== undefined;
  }

  /** Looks for the dates, once. */
  *wind(): Steps<void> {
    const found: (readonly number[])[] = [];
    for (const part of this.#parts) {
      part.moments ??= yield* mergedMoments(part.cells);
      if (part.moments === null) {
        this.#moments = null;
        return;
      }
      if (part.moments.length > 0) found.push(part.moments);
      yield;
    }
    this.#moments = found;
  }

  /** Equal numbers, equal answers at both times. The time itself when any moment may change them. Only when it is wound. */
  position(timeMs: number): number {
    const moments = this.#moments;
    if (!moments) return timeMs;
    let position = 0;
    for (const sorted of moments) position += positionAmong(sorted, timeMs);
    return position;
  }
}

/** A date counts once when it has come, and once more when it is over: rules exclude the date itself on both sides. */
function positionAmong(sorted: readonly number[], timeMs: number): number {
  let low = 0;
  let high = sorted.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((sorted[middle] as number) < timeMs) low = middle + 1;
    else high = middle;
  }
  return 2 * low + (sorted[low] === timeMs ? 1 : 0);
}

/** What a flag asks of a context: its constraints, those of its segments, and the other fields it reads. */
export function momentsOf(constraints: Iterable<Constraint>, fields: Iterable<string | undefined>): Moments {
  let moments: number[] | undefined;
  for (const { contextName, operator, value } of constraints) {
    if (contextName !== CURRENT_TIME) continue;
    if (operator !== 'DATE_AFTER' && operator !== 'DATE_BEFORE') return null;
    const momentMs = Date.parse(value ?? '');
    if (Number.isNaN(momentMs)) continue;
    moments ??= [];
    moments.push(momentMs);
  }
  for (const field of fields) if (field === CURRENT_TIME) return null;
  return moments ?? NONE;
}

/** Those of all of them, in order and each once. */
function* mergedMoments(cells: readonly TimedCell[]): Steps<Moments> {
  let merged: Set<number> | undefined;
  for (const { moments } of cells) {
    if (moments === null) return null;
    merged ??= moments.length > 0 ? new Set() : undefined;
    for (const moment of moments) merged?.add(moment);
    yield;
  }
  return merged === undefined ? NONE : [...merged].sort((left, right) => left - right);
}
