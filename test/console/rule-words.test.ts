import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { constraintText, ruleText } from '../../console/src/kit/changes/rule-words.ts';
import { numberText } from '../../console/src/kit/texts/number-text.ts';
import { OPERATORS } from '../../src/model/constraint.ts';

/** As the language of this machine writes it. */
const percent = (share: number) => numberText(share / 100, 'percent');
const rollout = (parameters: Record<string, string>) => ruleText({ name: 'flexibleRollout', parameters });
const constraint = (operator: string, given: object = {}) =>
  constraintText({ contextName: 'country', operator, values: ['NO', 'SE'], value: '3', ...given });

describe('the sentence of a strategy', () => {
  it('joins the rollout, the constraints and the segments', () => {
    const text = ruleText({
      name: 'flexibleRollout',
      parameters: { rollout: '25', stickiness: 'userId' },
      constraints: [{ contextName: 'country', operator: 'IN', values: ['NO', 'SE'] }],
      segments: ['beta'],
    });
    expect(text).toBe(`${percent(25)} by userId and country in (NO, SE) and in segment beta`);
  });

  it('says everyone only if nothing is asked', () => {
    expect(ruleText({ name: 'default' })).toBe('everyone');
    expect(rollout({ rollout: '100', stickiness: 'userId' })).toBe('everyone');
    expect(ruleText({ name: 'default', segments: ['beta'] })).toBe('in segment beta');
  });

  it('names shares that are no one, missing, or not whole', () => {
    expect(rollout({ rollout: '0' })).toBe('no one (0 %)');
    expect(rollout({ rollout: '' })).toBe('no one: its percentage is missing');
    expect(rollout({ rollout: '0.5', stickiness: 'random' })).toBe(`${percent(0.5)} at random`);
    expect(rollout({ rollout: '25', stickiness: 'default' })).toBe(`${percent(25)} by user or session`);
  });

  it('reads the lists of the older strategies', () => {
    expect(ruleText({ name: 'userWithId', parameters: { userIds: 'ada, grace,,' } })).toBe('userId in (ada, grace)');
    expect(ruleText({ name: 'remoteAddress', parameters: { IPs: '10.0.0.0/8' } })).toBe('remoteAddress in 10.0.0.0/8');
    expect(ruleText({ name: 'gradualRolloutSessionId', parameters: { percentage: '5' } })).toBe(
      `${percent(5)} by sessionId`,
    );
  });

  it('shows a strategy of another kind with its parameters', () => {
    expect(ruleText({ name: 'moon', parameters: { phase: 'full', empty: '' } })).toBe(
      'custom strategy moon phase: full',
    );
  });

  it('cuts long lists and says how many more there are', () => {
    expect(constraint('IN', { values: ['a', 'b', 'c', 'd', 'e', 'f', 'g'] })).toBe('country in (a, b, c, d, e, +2)');
  });
});

describe('the sentence of a constraint', () => {
  it.each(OPERATORS)('has its own words for %s, and others for its opposite', (operator) => {
    const plain = constraint(operator);
    expect(plain).not.toContain(operator);
    expect(constraint(operator, { inverted: true })).not.toBe(plain);
  });

  it('is different for every operator, but for one that is the opposite of another', () => {
    const texts = OPERATORS.map((operator) => constraint(operator));
    expect(new Set(texts).size).toBe(OPERATORS.length);
    expect(constraint('NOT_IN')).toBe(constraint('IN', { inverted: true }));
  });

  it('says where case is ignored', () => {
    expect(constraint('STR_CONTAINS', { values: ['a'], caseInsensitive: true })).toBe(
      'country contains a ignoring case',
    );
    expect(constraint('NUM_GT', { caseInsensitive: true })).toBe('country > 3');
  });

  it('has every value of a short list', () => {
    const values = fc.array(fc.string({ minLength: 1, maxLength: 12 }), { minLength: 1, maxLength: 5 });
    fc.assert(
      fc.property(values, (given) => given.every((value) => constraint('IN', { values: given }).includes(value))),
    );
  });
});
