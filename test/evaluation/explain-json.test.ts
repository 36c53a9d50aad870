import { describe, expect, it } from 'vitest';
import { workAtOnce } from '../../src/base/work.ts';
import type { CompiledFlag } from '../../src/evaluation/compile.ts';
import { strategyVerdictJson } from '../../src/evaluation/explain-json.ts';
import { judge } from '../../src/evaluation/judge.ts';
import { TextCache } from '../../src/evaluation/text-cache.ts';
import { explain } from './explain.ts';
import { Random } from './random.ts';
import { compileFlags, evaluationContext } from './wire.ts';
import { randomWorld } from './worlds.ts';

describe('an explanation as text', () => {
  it('says what the explanation as objects says, and adds the link, in random worlds', () => {
    const random = new Random(20_260_301);
    let strategies = 0;
    for (let round = 0; round < 20; round++) {
      const world = randomWorld(random);
      const flags = compileFlags(world.flags, world.segments);
      for (const context of world.contexts.slice(0, 10)) {
        const evaluated = evaluationContext(context);
        for (const { name } of world.flags) {
          const flag = flags(name) as CompiledFlag;
          const texts = workAtOnce(judge(flag, evaluated, flags)).strategies.data.map((verdict) =>
            workAtOnce(strategyVerdictJson(verdict, evaluated, '/edit?id=')),
          );
          const expected = explain(flag, evaluated, flags).strategies.data.map((strategy) => ({
            ...strategy,
            links: { edit: `/edit?id=${encodeURIComponent(strategy.id)}` },
          }));
          expect(texts.map((text) => JSON.parse(text))).toEqual(JSON.parse(JSON.stringify(expected)));
          strategies += texts.length;
        }
      }
    }
    expect(strategies).toBeGreaterThan(5_000);
  });
});

describe('texts that are kept', () => {
  it('are made once, and again after more was made than may be kept', () => {
    const cache = new TextCache<object, readonly string[]>();
    const definition = {};
    let made = 0;
    const ask = () => cache.get(definition, () => [`text ${++made}`]);
    expect([ask(), ask()]).toEqual([['text 1'], ['text 1']]);
    for (let index = 0; index < 33; index++) cache.get({}, () => ['x'.repeat(1_000_000)]);
    expect(ask()).toEqual(['text 2']);
  });
});
