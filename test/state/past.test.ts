import { describe, expect, it } from 'vitest';
import '../../src/features/modules.ts';
import { atOnce } from '../../src/base/yield-control.ts';
import { auditEvent } from '../../src/engine/command.ts';
import { decodeEvent, decodeEventHead, encodeEvent, encodeEventInSteps } from '../../src/state/commit.ts';
import { Draft } from '../../src/state/draft.ts';
import { decodePast, decodePastNames, type PastPart, partsOf, replacedParts, withParts } from '../../src/state/past.ts';
import { State } from '../../src/state/state.ts';
import { flag } from '../support/admin.ts';

const event = auditEvent(
  { type: 'feature-updated', project: 'default', featureName: 'a', data: { text: 'x'.repeat(100_000) } },
  7,
  { seq: 3, at: '2026-01-01T00:00:00.000Z', by: { id: 1, name: 'somebody' } },
  { address: null, reason: null },
);

const settings = (environment: string, enabled: boolean) => ({ environment, enabled, strategies: [], variants: [] });

const parts = (count: number): PastPart[] =>
  Array.from({ length: count }, (_, index) => ({
    collection: 'features' as const,
    key: `flag-${index}`,
    part: 'production',
    before: index % 3 === 0 ? undefined : settings('production', index % 2 === 0),
  }));

describe('the record of an event', () => {
  it.each([0, 1, 16, 17, 1_000])('has %d replaced parts after the event', (count) => {
    const bytes = encodeEvent(event, parts(count));
    expect(decodeEvent(bytes)).toEqual(event);
    expect(decodeEventHead(bytes)).toMatchObject({ id: 7, revision: 3 });
    expect(atOnce(decodePast(bytes))).toEqual(parts(count));
    expect(atOnce(decodePastNames(bytes))).toEqual(parts(count).map(({ before: _before, ...name }) => name));
  });

  it('of a version that recorded no parts has none', () => {
    const bytes = encodeEvent(event);
    bytes[0] = 0x92;
    expect([atOnce(decodePast(bytes)), atOnce(decodePastNames(bytes))]).toEqual([null, null]);
  });

  it('is written and read in steps, however many parts it has', () => {
    const count = 20_000;
    let steps = 0;
    const stepsOf = <T>(work: Generator<void, T, void>): T => {
      for (steps = 0; ; steps++) {
        const { done, value } = work.next();
        if (done) return value;
      }
    };
    const bytes = stepsOf(encodeEventInSteps(event, parts(count)));
    expect(steps).toBeGreaterThan(count);
    stepsOf(decodePast(bytes));
    expect(steps).toBeGreaterThan(count / 20);
    stepsOf(decodePastNames(bytes));
    expect(steps).toBeGreaterThan(count / 20);
  });
});

describe('the replaced parts', () => {
  it('give back the entity before the change, and only the parts that differ', () => {
    const state = new State();
    const before = flag('a', { environments: [settings('development', true), settings('production', false)] });
    state.load('features', 'a', before);
    const draft = new Draft(state);
    const after = { ...before, environments: [settings('development', true), settings('production', true)] };
    draft.put('features', after);
    const replaced = atOnce(replacedParts(state, draft.changes()));
    expect(replaced.map(({ part }) => part)).toEqual(['production']);
    const restored = withParts(
      'features',
      after,
      replaced.map(({ part, before: value }) => [part, value]),
    );
    expect(JSON.stringify(restored)).toBe(JSON.stringify(before));
    expect([...partsOf('features', before).keys()]).toEqual(['', 'development', 'production']);
  });

  it('of a created entity say that it did not exist', () => {
    const replaced = atOnce(replacedParts(new State(), [{ collection: 'features', key: 'a', entity: flag('a') }]));
    expect(replaced).toEqual([{ collection: 'features', key: 'a', part: '', before: undefined }]);
    expect(withParts('features', flag('a'), [['', undefined]])).toBeUndefined();
  });
});
