import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import type { CompiledFlag } from '../../src/evaluation/compile.ts';
import { resolve } from '../../src/evaluation/evaluate.ts';
import { OPERATORS } from '../../src/model/constraint.ts';
import { Random } from '../evaluation/random.ts';
import { compileFlags, evaluationContext } from '../evaluation/wire.ts';
import { randomWorld, type World } from '../evaluation/worlds.ts';
import { Lines } from './lines.ts';
import { Absence, installPython, removeInstalled } from './toolchains.ts';
import { wellFormed } from './well-formed.ts';

const SEED = Number(process.env.BURGEE_SEED ?? 20_260_301);
const EVALUATIONS = Number(process.env.BURGEE_EVALUATIONS ?? 50_000);
const RUNNER = fileURLToPath(new URL('python/yggdrasil.py', import.meta.url));

type Answer = readonly [on: boolean, variant: string, hasVariant: boolean, payload: unknown];

class Tally {
  evaluations = 0;
  on = 0;
  withVariant = 0;
  beyondAscii = 0;
  readonly operators = new Set<string>();
}

it(`The core that most SDKs share has the same results as Burgee, ${EVALUATIONS} times (BURGEE_SEED=${SEED})`, async ({
  skip,
}) => {
  const installed = await installPython(RUNNER, 'yggdrasil-engine==2.0.0');
  if (installed instanceof Absence) return skip(installed.reason);
  const engine = new Lines(installed.command, installed.given);
  try {
    const random = new Random(SEED);
    const tally = new Tally();
    while (tally.evaluations < EVALUATIONS) await compareWorld(wellFormed(randomWorld(random)), engine, tally);
    expect(tally.on / tally.evaluations).toBeGreaterThan(0.2);
    expect(tally.on / tally.evaluations).toBeLessThan(0.8);
    expect(tally.withVariant / tally.evaluations).toBeGreaterThan(0.1);
    expect(tally.beyondAscii / tally.evaluations).toBeGreaterThan(0.1);
    expect([...tally.operators].sort()).toEqual([...OPERATORS].sort());
  } finally {
    await engine.stop();
    removeInstalled();
  }
});

async function compareWorld({ flags, segments, contexts, isUnicode }: World, engine: Lines, tally: Tally) {
  for (const { constraints } of [...segments, ...flags.flatMap(({ strategies }) => strategies ?? [])]) {
    for (const { operator } of constraints ?? []) tally.operators.add(operator);
  }
  const features = flags.map((flag) => ({ ...flag, project: 'default' }));
  const theirs = await engine.ask<Answer[]>({ state: { version: 2, features, segments }, contexts });
  const find = compileFlags(flags, segments, 'utf-8');
  let at = 0;
  for (const context of contexts) {
    for (const wire of flags) {
      const their = theirs[at++];
      let isDrawn = false;
      const random = () => {
        isDrawn = true;
        return 0.5;
      };
      const { on, variant } = resolve(find(wire.name) as CompiledFlag, evaluationContext(context, { random }), find);
      // Random results cannot be compared: each side draws its own number.
      if (isDrawn) continue;
      const ours: Answer = [on, variant.name, variant.enabled, variant.payload ?? null];
      expect(their, `BURGEE_SEED=${SEED}: ${JSON.stringify({ wire, context, flags, segments })}`).toEqual(ours);
      tally.evaluations++;
      if (on) tally.on++;
      if (variant.enabled) tally.withVariant++;
      if (isUnicode) tally.beyondAscii++;
    }
  }
}
