import { expect, it } from 'vitest';
import '../../../src/features/modules.ts';
import { ALL_PROJECTS, type VisibleProjects } from '../../../src/access/visibility.ts';
import { Rejection } from '../../../src/base/rejection.ts';
import { exportOf, selectForExport } from '../../../src/features/import-export/export.ts';
import { State } from '../../../src/state/state.ts';
import { flag } from '../../support/admin.ts';

const FLAGS = 1_000;
const STEP_MAX = 64;

it('an export looks at a few flags in one step, so that many exports at once do not hold the loop for the sum of their flags', () => {
  const state = new State();
  const names = Array.from({ length: FLAGS }, (_, index) => `flag-${index}`);
  for (const name of names) state.load('features', name, flag(name));
  let looked = 0;
  const visible = { ...ALL_PROJECTS, has: () => ++looked > 0 } as VisibleProjects;
  for (const query of [{ environment: 'development' }, { environment: 'development', features: names }]) {
    const steps = selectForExport(state, query, visible);
    let most = 0;
    let step = steps.next();
    for (; !step.done; step = steps.next()) {
      most = Math.max(most, looked);
      looked = 0;
    }
    expect(most).toBeGreaterThan(0);
    expect(Math.max(most, looked)).toBeLessThanOrEqual(STEP_MAX);
    if (step.value instanceof Rejection) throw new Error(step.value.message);
    const text = exportOf(state, step.value, 'development');
    let made = text.next();
    for (; !made.done; made = text.next());
    expect(made.value.names).toEqual([...names].sort());
    expect(JSON.parse([...made.value.pieces].join('')).features).toHaveLength(FLAGS);
  }
});
