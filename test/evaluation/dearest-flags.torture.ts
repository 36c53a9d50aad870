import { afterAll, beforeAll, expect, it } from 'vitest';
import { workAtOnce } from '../../src/base/work.ts';
import { resolve } from '../../src/evaluation/evaluate.ts';
import { judge } from '../../src/evaluation/judge.ts';
import { WorkCounter } from '../support/work-counter.ts';
import { dearestFlags } from './dearest/flags.ts';

/**
 * Most are spent by an expression of every script: 577 blocks, in one measurement 1 µs of CPU, for each µs of the price. What V8 does itself (searches for
 * one value, comparisons of ids) counts as nothing here: `npm run bench -- prices` measures it.
 */
const WORK_PER_US_MAX = 700;

const counter = new WorkCounter();
beforeAll(() => counter.start());
afterAll(() => counter.stop());

const lookup = () => undefined;

it.each(dearestFlags().map((dearest) => [dearest.what, dearest] as const))(
  'a flag at a limit, with %s, is evaluated and explained with about the work that its price says',
  (what, { flag, context, priceUs }) => {
    // New contexts: answers about a context are remembered.
    const fast = counter.during(() => {
      expect(resolve(flag, { ...context }, lookup).on).toBe(what.startsWith('overrides'));
    });
    const explained = counter.during(() => workAtOnce(judge(flag, { ...context }, lookup)));
    expect(Math.min(fast, explained)).toBeGreaterThan(1_000);
    expect(Math.max(fast, explained) / priceUs).toBeLessThan(WORK_PER_US_MAX);
  },
);
