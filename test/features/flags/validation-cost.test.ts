import { describe, expect, it } from 'vitest';
import { Rejection } from '../../../src/base/rejection.ts';
import { atOnce } from '../../../src/base/yield-control.ts';
import { validateConstraints } from '../../../src/features/flags/constraints/validate.ts';
import { validateTags } from '../../../src/features/flags/tags/flag-tag-commands.ts';
import type { Constraint } from '../../../src/model/constraint.ts';
import type { LegalValue } from '../../../src/model/context-field.ts';
import { Draft } from '../../../src/state/draft.ts';
import { State } from '../../../src/state/state.ts';

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

const longValues = (count: number) => Array.from({ length: count }, (_, index) => `${index}`.padEnd(4_000, 'a'));
const ranges = (count: number) => Array.from({ length: count }, (_, index) => `2001:db8:${index.toString(16)}::/48`);

describe('the cost of validation', () => {
  // test/evaluation/longest-steps.torture.ts has the steps of lists within the limit.
  it.each<[what: string, constraint: Constraint, count: number]>([
    ['many ranges of addresses', { contextName: 'a', operator: 'IN_CIDR', values: ranges(10_000) }, 30],
    ['long values', { contextName: 'a', operator: 'STR_CONTAINS', values: longValues(60) }, 1],
    [
      'long folded values',
      { contextName: 'a', operator: 'STR_CONTAINS', values: longValues(60), caseInsensitive: true },
      1,
    ],
  ])(
    'is computed before lists are compiled: %s beyond the limit are refused in one step',
    (_what, constraint, count) => {
      const first = validateConstraints(draftWith([]), Array(count).fill(constraint)).next();
      expect([first.done, first.value]).toEqual([true, expect.any(Rejection)]);
    },
  );

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
