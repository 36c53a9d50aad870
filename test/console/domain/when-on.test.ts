import { describe, expect, it } from 'vitest';
import { defaultStrategyOf } from '../../../console/src/domain/default-strategy.ts';
import type { EnvironmentSettings, StrategyDraft } from '../../../console/src/domain/model.ts';
import { addedWhenOn, withAdded } from '../../../console/src/domain/waiting-milestone.ts';

const first = defaultStrategyOf(null, 'default');
const strategy = (id: string, disabled = false): StrategyDraft => ({ ...first, id, disabled });
const settings = (...strategies: StrategyDraft[]): EnvironmentSettings => ({
  enabled: false,
  strategies,
  variants: [],
});

describe('what switching a flag on adds', () => {
  it('is the default strategy where no other is active', () => {
    expect(addedWhenOn(settings(), undefined, first)).toEqual([first]);
    expect(addedWhenOn(settings(strategy('off', true)), undefined, first)).toEqual([first]);
    expect(addedWhenOn(settings(strategy('on')), undefined, first)).toEqual([]);
  });

  it('is the milestone that waits, and the default strategy if all of it is disabled', () => {
    const waiting = (...strategies: StrategyDraft[]) => ({ name: 'First users', strategies });
    const [on, off] = [strategy('on'), strategy('off', true)];
    expect(addedWhenOn(settings(), waiting(on), first)).toEqual([on]);
    expect(addedWhenOn(settings(), waiting(off), first)).toEqual([off, first]);
  });

  it('is nothing where the flag is on, or where the default strategy is not known', () => {
    const before = settings();
    expect(withAdded(before, addedWhenOn(before, undefined))).toBe(before);
    expect(withAdded(before, [first]).strategies).toEqual([first]);
  });
});
