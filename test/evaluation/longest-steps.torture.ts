import { afterAll, beforeAll, expect, it } from 'vitest';
import { atOnce } from '../../src/base/yield-control.ts';
import { compileFlagInSteps } from '../../src/evaluation/compile.ts';
import { compilationCost } from '../../src/evaluation/cost.ts';
import { compileStrategy } from '../../src/evaluation/strategy.ts';
import { validateConstraints } from '../../src/features/flags/constraints/validate.ts';
import { LIMITS } from '../../src/features/modules.ts';
import type { Strategy } from '../../src/model/strategy.ts';
import { Draft } from '../../src/state/draft.ts';
import { State } from '../../src/state/state.ts';
import { WorkCounter } from '../support/work-counter.ts';
import { DEAREST_LISTS } from './dearest/lists.ts';
import { LONG_LISTS, manyOverrides } from './long-lists.ts';
import { flagDefinition } from './wire.ts';

/**
 * No step may block the event loop for 10 ms. Where most of a step is work of V8 itself (insertions into sets, comparisons of texts), which is not
 * counted, a millisecond of CPU had 10,000 blocks in one measurement, and up to 200,000 elsewhere: so many blocks took at most 2.5 ms. The longest step
 * has 25,455; one step for all of a list would have twice as many or more.
 */
const STEP_WORK_MAX = 30_000;

const counter = new WorkCounter();
beforeAll(() => counter.start());
afterAll(() => counter.stop());

function expectShortSteps(steps: Iterator<unknown>): void {
  const { work, count } = counter.longestStep(steps);
  expect(count).toBeGreaterThan(20);
  expect(work).toBeLessThan(STEP_WORK_MAX);
}

it.each(LONG_LISTS)('no step of the compilation of a list of %s takes long', (_what, name, parameters) => {
  const [strategy] = flagDefinition({ name: 'flag', enabled: true, strategies: [{ name, parameters }] }).strategies;
  const rest = { flagName: 'flag', segmentOf: () => undefined, hashEncoding: 'low-bytes' } as const;
  expectShortSteps(compileStrategy(strategy as Strategy, { ...rest, warnings: [] }));
});

it('no step of the compilation of overrides takes long', () => {
  const definition = flagDefinition({ name: 'flag', enabled: true, variants: manyOverrides() });
  expectShortSteps(compileFlagInSteps(definition, () => undefined));
});

it.each(Object.entries(DEAREST_LISTS))('no step of the validation of %s takes long', (_what, constraint) => {
  expect(compilationCost(constraint)).toBeGreaterThan(LIMITS.expressionCost.max / 2);
  expect(Array.isArray(atOnce(validateConstraints(new Draft(new State()), [constraint])))).toBe(true);
  expectShortSteps(validateConstraints(new Draft(new State()), [constraint]));
});
