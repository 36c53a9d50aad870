import { describe, expect, it } from 'vitest';
import { Rejection } from '../../../src/base/rejection.ts';
import { atOnce } from '../../../src/base/yield-control.ts';
import { importFeatures } from '../../../src/features/import-export/import.ts';
import { importPlan } from '../../../src/features/import-export/plan.ts';
import { importWarnings } from '../../../src/features/import-export/warnings.ts';
import { bootstrap } from '../../../src/features/instance/bootstrap.ts';
import { DEFAULT_LIMITS } from '../../../src/features/modules.ts';
import { systemCaller } from '../../../src/model/caller.ts';
import { Draft } from '../../../src/state/draft.ts';
import { State } from '../../../src/state/state.ts';

const FLAGS = 500;
const names = Array.from({ length: FLAGS }, (_, index) => `flag-${index}`);

const data = {
  features: names.map((name) => ({ name })),
  featureStrategies: names.flatMap((featureName) => [
    { featureName, name: 'default' },
    { featureName, name: 'default' },
  ]),
  featureEnvironments: names.map((featureName) => ({ featureName, enabled: true })),
};

function contextOf(draft: Draft) {
  const caller = systemCaller();
  return {
    draft,
    caller,
    by: caller.author,
    now: '2026-01-01T00:00:00.000Z',
    newId: () => 'id',
    emit: () => {},
    whenRemoved: [],
    limits: DEFAULT_LIMITS,
  };
}

describe('an import', () => {
  it('makes its plan, its decision and its warnings in steps of at most one flag', () => {
    const draft = new Draft(new State());
    bootstrap.decide(contextOf(draft), {});
    const plan = importPlan('default', 'development', data);
    expect([...plan].length).toBeGreaterThan(2 * FLAGS);
    const input = atOnce(importPlan('default', 'development', data));
    expect([...importFeatures.decide(contextOf(draft), input)].length).toBeGreaterThan(4 * FLAGS);
    expect([...importWarnings(draft, input, data)].length).toBeGreaterThan(FLAGS);
    expect([...draft.values('features')]).toHaveLength(FLAGS);
  });

  it('yields to the event loop inside a flag: between the variants and between the constraints', () => {
    const COUNT = 300;
    const draft = new Draft(new State());
    bootstrap.decide(contextOf(draft), {});
    const payload = { type: 'json' as const, value: JSON.stringify('x'.repeat(100)) };
    const named = (name: string) =>
      Array.from({ length: COUNT }, (_, index) => ({ name: `${name}-${index}`, weight: 1 }));
    const constraints = named('c').map(({ name }) => ({
      contextName: 'userId',
      operator: 'IN' as const,
      values: [name],
    }));
    const ofStrategy = { weightType: 'variable' as const, stickiness: 'default', payload };
    const large = {
      features: [{ name: 'large' }],
      featureStrategies: [
        {
          featureName: 'large',
          name: 'default',
          constraints,
          variants: named('s').map((variant) => ({ ...variant, ...ofStrategy })),
        },
      ],
      featureEnvironments: [
        { featureName: 'large', enabled: true, variants: named('v').map((variant) => ({ ...variant, payload })) },
      ],
    };
    const input = atOnce(importPlan('default', 'development', large));
    const limits = { ...DEFAULT_LIMITS, constraints: COUNT, featureVariants: COUNT };
    const steps = importFeatures.decide({ ...contextOf(draft), limits }, input);
    let count = 0;
    let step = steps.next();
    for (; !step.done; step = steps.next()) count++;
    expect(step.value).toEqual({ imported: 1, warnings: [] });
    expect(count).toBeGreaterThan(3 * COUNT);
  });

  it('changes only its draft when it is stopped halfway', () => {
    const state = new State();
    const beneath = new Draft(state);
    bootstrap.decide(contextOf(beneath), {});
    const draft = new Draft(beneath);
    const steps = importFeatures.decide(contextOf(draft), atOnce(importPlan('default', 'development', data)));
    for (let step = 0; step < 3 * FLAGS; step++) expect(steps.next().done).toBe(false);
    steps.return(new Rejection('InternalError', 'abandoned'));
    expect([...beneath.values('features')]).toEqual([]);
  });
});
