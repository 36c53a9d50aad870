import { type Steps, stepsOf } from '../../../base/yield-control.ts';
import { compileConstraintInSteps } from '../../../evaluation/constraint.ts';
import type { EvaluationContext } from '../../../evaluation/context.ts';
import type { Constraint } from '../../../model/constraint.ts';
import { MODEL_LIMITS } from '../../../model/limits.ts';
import type { SignalFilter } from './action-set.ts';

/** The property that holds the value of a signal while a filter is evaluated. */
const VALUE = 'signal';

/** Longer values of a signal are cut to this length before they are compared. */
const VALUE_LENGTH_MAX = MODEL_LIMITS.contextValueLength.max;

/** The filter as a constraint on the property `VALUE`. */
export function constraintOf({ operator, inverted, caseInsensitive, value, values }: SignalFilter): Constraint {
  return {
    contextName: VALUE,
    operator,
    ...(inverted !== undefined && { inverted }),
    ...(caseInsensitive !== undefined && { caseInsensitive }),
    ...(value !== undefined && { value }),
    ...(values !== undefined && { values: [...values] }),
  };
}

/** Whether the signal passes all filters. A value that is missing, or that is a list or an object, is treated as a context field without a value. */
export function* passes(filters: readonly SignalFilter[], payload: unknown, nowMs: number): Steps<boolean> {
  for (const filter of filters) {
    const { test } = yield* stepsOf(compileConstraintInSteps(constraintOf(filter)));
    const context = contextOf(valueAt(payload, filter.path), nowMs);
    if (!test(context)) return false;
    yield;
  }
  return true;
}

function contextOf(value: unknown, currentTimeMs: number): EvaluationContext {
  const text = typeof value === 'string' ? value.slice(0, VALUE_LENGTH_MAX) : value;
  // Operators draw no random numbers.
  return { currentTimeMs, properties: { [VALUE]: text }, random: () => 0, longestValue: VALUE_LENGTH_MAX };
}

/**
 * The value at a path such as `alerts.0.labels.severity`; undefined if there is none. Numbers are positions in lists. Names may contain dots: in each
 * object, the longest name that exists is taken. Only own properties count.
 */
export function valueAt(payload: unknown, path: string): unknown {
  const parts = path.split('.');
  let value = payload;
  for (let from = 0; from < parts.length; ) {
    if (typeof value !== 'object' || value === null) return undefined;
    let to = Array.isArray(value) ? from + 1 : parts.length;
    while (to > from && !Object.hasOwn(value, parts.slice(from, to).join('.'))) to--;
    if (to === from) return undefined;
    value = (value as Readonly<Record<string, unknown>>)[parts.slice(from, to).join('.')];
    from = to;
  }
  return value;
}
