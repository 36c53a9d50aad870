import { describe, expect, it } from 'vitest';
import { Rejection } from '../../../src/base/rejection.ts';
import { atOnce } from '../../../src/base/yield-control.ts';
import { compilationCost } from '../../../src/evaluation/cost.ts';
import type { LegalValue } from '../../../src/features/context-fields/context-field.ts';
import { validateConstraints } from '../../../src/features/flags/constraints/validate.ts';
import { validateTags } from '../../../src/features/flags/tags/commands.ts';
import { LIMITS } from '../../../src/features/modules.ts';
import type { Constraint } from '../../../src/model/constraint.ts';
import { Draft } from '../../../src/state/draft.ts';
import { State } from '../../../src/state/state.ts';
import { Random } from '../../evaluation/random.ts';
import { cpuMs, longestStepMs } from '../../support/programs/cpu.ts';

/** All of these together take a few dozen milliseconds. With quadratic cost each of them takes seconds. */
const FAR_TOO_LONG_MS = 500;

function draftWith(legalValues: readonly LegalValue[]): Draft {
  const draft = new Draft(new State());
  draft.put('tagTypes', { name: 'simple', description: null, icon: null, color: null });
  draft.put('contextFields', {
    name: 'city',
    description: null,
    stickiness: false,
    sortOrder: 0,
    legalValues,
    createdAt: '2026-01-01T00:00:00.000Z',
  });
  return draft;
}

describe('a constraint that was stored under other rules', () => {
  const old: Constraint = { contextName: 'a', operator: 'REGEX', values: [], value: 'a.{900}$' };

  it('stays unchanged while something else is changed, and cannot be added again', () => {
    const added: Constraint = { contextName: 'b', operator: 'IN', values: ['1'] };
    expect(atOnce(validateConstraints(draftWith([]), [old, added], [old]))).toEqual([old, added]);
    expect(atOnce(validateConstraints(draftWith([]), [old, added], [added]))).toBeInstanceOf(Rejection);
  });
});

/** Words of random letters: no algorithm can use their order. */
function words(count: number, length: number): string[] {
  const random = new Random(count);
  const letter = () => String.fromCharCode(97 + random.below(26));
  return Array.from({ length: count }, () => Array.from({ length }, letter).join(''));
}

const longValues = (count: number) => words(count, 4_000);
/** The maximum number of long values that one search may have. */
const LONG_TAKEN = 24;
const ranges = (count: number) => Array.from({ length: count }, (_, index) => `2001:db8:${index.toString(16)}::/48`);

/** No step may block the event loop for longer. */
const STEP_MAX_MS = 10;

describe('the cost of validation', () => {
  it('is computed before lists are compiled: lists that are too large together are refused early', () => {
    const ranges = Array.from({ length: 10_000 }, (_, index) => `2001:db8:${index.toString(16)}::/48`);
    const constraint: Constraint = { contextName: 'a', operator: 'IN_CIDR', values: ranges };
    let valid: unknown;
    const took = cpuMs(() => {
      valid = atOnce(validateConstraints(draftWith([]), Array(30).fill(constraint)));
    });
    expect(valid).toBeInstanceOf(Rejection);
    expect(took).toBeLessThan(FAR_TOO_LONG_MS / 10);
  });

  it('blocks the event loop for at most one step, with long values or many of them', () => {
    const alone: readonly Constraint[] = [
      { contextName: 'a', operator: 'STR_CONTAINS', values: longValues(60) },
      { contextName: 'a', operator: 'STR_CONTAINS', values: longValues(60), caseInsensitive: true },
      { contextName: 'a', operator: 'STR_CONTAINS', values: longValues(LONG_TAKEN) },
      { contextName: 'a', operator: 'IN_CIDR', values: ranges(6_600) },
    ];
    for (const constraint of alone) {
      expect(longestStepMs(() => validateConstraints(draftWith([]), [constraint]))).toBeLessThan(STEP_MAX_MS);
    }
  });

  it('is about the computed price, for constraints within the limit', () => {
    const within = [longValues(LONG_TAKEN), words(900, 100)].map(
      (values): Constraint => ({ contextName: 'a', operator: 'STR_CONTAINS', values }),
    );
    for (const constraint of [...within, { contextName: 'a', operator: 'IN_CIDR' as const, values: ranges(6_600) }]) {
      const price = compilationCost(constraint);
      expect(price).toBeGreaterThan(LIMITS.expressionCost.max / 2);
      expect(price).toBeLessThanOrEqual(LIMITS.expressionCost.max);
      const took = Array.from({ length: 5 }, () =>
        cpuMs(() => expect(atOnce(validateConstraints(draftWith([]), [constraint]))).not.toBeInstanceOf(Rejection)),
      );
      // The price is in units of 0.1 µs. Beside other work, processors are several times slower; work without a price would be a hundred times dearer.
      expect(Math.min(...took)).toBeLessThan((10 * price) / 10_000);
    }
  });

  it('includes a fixed number of reads per tag, for any number of tags', () => {
    let read = 0;
    const tags = Array.from({ length: 5_000 }, (_, index) => ({
      type: 'simple',
      get value() {
        read++;
        return `tag-${index}`;
      },
    }));
    expect(validateTags(draftWith([]), [...tags, ...tags])).toHaveLength(tags.length);
    expect(read).toBe(2 * tags.length);
  });

  it('grows with the constraints and the legal values, not with their product', () => {
    let read = 0;
    const legalValues = Array.from({ length: 9_900 }, (_, index) => ({
      get value() {
        read++;
        return `city-${index}`;
      },
    }));
    const constraint: Constraint = { contextName: 'city', operator: 'IN', values: ['city-9899'] };
    const valid = atOnce(validateConstraints(draftWith(legalValues), Array(300).fill(constraint)));
    expect(valid).not.toBeInstanceOf(Rejection);
    expect(read).toBe(legalValues.length);
  });
});
