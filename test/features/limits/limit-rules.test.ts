import { describe, expect, it } from 'vitest';
import { atOnce } from '../../../src/base/yield-control.ts';
import { loadGuards } from '../../../src/features/guards.ts';
import { limitProblem } from '../../../src/features/limits/limit-rules.ts';
import { DEFAULT_LIMITS } from '../../../src/features/modules.ts';
import type { Feature } from '../../../src/model/feature.ts';
import type { Strategy } from '../../../src/model/strategy.ts';
import { Draft } from '../../../src/state/draft.ts';
import { State } from '../../../src/state/state.ts';

// It defines how entities are measured.
await loadGuards();

const CONSTRAINTS = 20;

const strategy = (id: string): Strategy => ({
  id,
  name: 'default',
  title: null,
  disabled: false,
  sortOrder: 0,
  parameters: {},
  segments: [],
  variants: [],
  constraints: Array.from({ length: CONSTRAINTS }, (_, index) => ({
    contextName: 'a',
    operator: 'IN' as const,
    values: [`${id}-${index}`],
  })),
});

const feature = (name: string, strategies: readonly Strategy[], enabled = false): Feature => ({
  name,
  project: 'default',
  type: 'release',
  description: null,
  stale: false,
  impressionData: false,
  archived: false,
  archivedAt: null,
  createdAt: '',
  createdBy: { id: 1, name: 'test' },
  tags: [],
  dependencies: [],
  environments: [{ environment: 'development', enabled, variants: NO_VARIANTS, strategies }],
});

const NO_VARIANTS: readonly never[] = [];

/** The number of steps that a check of one changed flag against the limits takes. */
function steps(before: Feature, after: Feature): number {
  const beneath = new Draft(new State());
  beneath.put('features', before);
  const draft = new Draft(beneath);
  draft.put('features', after);
  const work = limitProblem({ before: beneath, after: draft }, draft.changes(), DEFAULT_LIMITS);
  return [...work].length;
}

describe('a check of a change against the limits', () => {
  it('does not read unchanged strategies', () => {
    const untouchable = new Proxy<Strategy[]>([], {
      get: () => {
        throw new Error('the strategies were read');
      },
    });
    expect(steps(feature('toggled', untouchable), feature('toggled', untouchable, true))).toBe(1);
  });

  it('takes one step for each condition whose cost it computes', () => {
    const before = feature('changed', []);
    expect(steps(before, feature('changed', [strategy('a'), strategy('b')]))).toBeGreaterThan(2 * CONSTRAINTS);
  });

  it('refuses growth above a limit in one environment, also when another environment has more', () => {
    const beneath = new Draft(new State());
    const many = Array.from({ length: 40 }, (_, index) => strategy(String(index)));
    const inBoth = (count: number): Feature => ({
      ...feature('grown', []),
      environments: [
        { environment: 'production', enabled: true, variants: NO_VARIANTS, strategies: many },
        { environment: 'development', enabled: true, variants: NO_VARIANTS, strategies: many.slice(0, count) },
      ],
    });
    beneath.put('features', inBoth(30));
    const draft = new Draft(beneath);
    draft.put('features', inBoth(31));
    const problem = atOnce(limitProblem({ before: beneath, after: draft }, draft.changes(), DEFAULT_LIMITS));
    expect(problem?.message).toContain('at most 30 strategies of a flag in one environment');
  });
});
