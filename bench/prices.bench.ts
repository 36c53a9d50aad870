import { workAtOnce } from '../src/base/work.ts';
import { atOnce } from '../src/base/yield-control.ts';
import { compilationCost } from '../src/evaluation/cost.ts';
import { resolve } from '../src/evaluation/evaluate.ts';
import { judge } from '../src/evaluation/judge.ts';
import { validateConstraints } from '../src/features/flags/constraints/validate.ts';
import { Draft } from '../src/state/draft.ts';
import { State } from '../src/state/state.ts';
import { dearestFlags } from '../test/evaluation/dearest/flags.ts';
import { DEAREST_LISTS } from '../test/evaluation/dearest/lists.ts';
import { ownCpuMs } from './support/measure.ts';
import { atMost, type Figure, finish, microseconds, setting } from './support/report.ts';

/**
 * Computed prices against processor time: the dearest flags that the limits accept, for the context that makes them dearest, and the dearest lists of
 * constraints to compile (docs/decisions/evaluation-cost.md). The least of BENCH_TRIES (5): other work on the machine adds to some of them.
 */
const TRIES = setting('BENCH_TRIES', 5);
const EVALUATIONS = 20;
/** How many times its price something may take: prices are of a core without other work. */
const AIM = 2;

/** The least processor time of several tries, in µs. */
function leastUs(work: () => unknown): number {
  const times = Array.from({ length: TRIES }, () => {
    const before = ownCpuMs();
    work();
    return (ownCpuMs() - before) * 1_000;
  });
  return Math.min(...times);
}

function evaluations(): Figure[] {
  const lookup = () => undefined;
  return dearestFlags().map(({ what, flag, context, priceUs }) => {
    // A new context each time: answers about a context are remembered.
    const contexts = () => Array.from({ length: EVALUATIONS }, () => ({ ...context }));
    const fastUs = leastUs(() => contexts().map((asked) => resolve(flag, asked, lookup))) / EVALUATIONS;
    const explainedUs = leastUs(() => contexts().map((asked) => workAtOnce(judge(flag, asked, lookup)))) / EVALUATIONS;
    return atMost(AIM, {
      name: `evaluation, ${what}`,
      ours: `${microseconds(fastUs)}, explained ${microseconds(explainedUs)}`,
      floor: `price ${microseconds(priceUs)}`,
      ratio: fastUs / priceUs,
    });
  });
}

function compilations(): Figure[] {
  return Object.entries(DEAREST_LISTS).map(([what, constraint]) => {
    // The price is in units of 0.1 µs.
    const priceUs = compilationCost(constraint) / 10;
    const tookUs = leastUs(() => {
      const valid = atOnce(validateConstraints(new Draft(new State()), [constraint]));
      if (!Array.isArray(valid)) throw new Error(`the limits refuse ${what}`);
    });
    return atMost(AIM, {
      name: `compilation, ${what}`,
      ours: microseconds(tookUs),
      floor: `price ${microseconds(priceUs)}`,
      ratio: tookUs / priceUs,
    });
  });
}

finish('Processor time against computed prices', [...evaluations(), ...compilations()]);
