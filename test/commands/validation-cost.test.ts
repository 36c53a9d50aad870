import { describe, expect, it } from 'vitest';
import { Rejection } from '../../src/base/rejection.ts';
import { atOnce } from '../../src/base/yield-control.ts';
import { validateTags } from '../../src/commands/feature-tag.ts';
import { validateConstraints } from '../../src/commands/validate-constraint.ts';
import type { Constraint } from '../../src/model/constraint.ts';
import type { LegalValue } from '../../src/model/context-field.ts';
import { Draft } from '../../src/state/draft.ts';
import { State } from '../../src/state/state.ts';
import { cpuMs } from '../support/cpu.ts';

/** What all of these take together is a few dozen milliseconds; each of them took seconds when it grew with the square of its input. */
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

describe('what was stored under other rules', () => {
  const old: Constraint = { contextName: 'a', operator: 'REGEX', values: [], value: 'a.{900}$' };

  it('stays as it is while something else is changed, and cannot be stored anew', () => {
    const added: Constraint = { contextName: 'b', operator: 'IN', values: ['1'] };
    expect(atOnce(validateConstraints(draftWith([]), [old, added], [old]))).toEqual([old, added]);
    expect(atOnce(validateConstraints(draftWith([]), [old, added], [added]))).toBeInstanceOf(Rejection);
  });
});

describe('what validating takes', () => {
  it('is known before lists are compiled that are too large together', () => {
    const ranges = Array.from({ length: 10_000 }, (_, index) => `2001:db8:${index.toString(16)}::/48`);
    const constraint: Constraint = { contextName: 'a', operator: 'IN_CIDR', values: ranges };
    let valid: unknown;
    const took = cpuMs(() => {
      valid = atOnce(validateConstraints(draftWith([]), Array(30).fill(constraint)));
    });
    expect(valid).toBeInstanceOf(Rejection);
    expect(took).toBeLessThan(FAR_TOO_LONG_MS / 10);
  });

  it('grows with the tags, not with their square', () => {
    const tags = Array.from({ length: 50_000 }, (_, index) => ({ type: 'simple', value: `tag-${index}` }));
    let valid: unknown;
    const took = cpuMs(() => {
      valid = validateTags(draftWith([]), [...tags, ...tags]);
    });
    expect(valid).toHaveLength(tags.length);
    expect(took).toBeLessThan(FAR_TOO_LONG_MS);
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
