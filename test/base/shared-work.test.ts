import { expect, it } from 'vitest';
import { AskerEnded, OwnAsker } from '../../src/base/asker.ts';
import { HolderSemaphore } from '../../src/base/queues/holder-semaphore.ts';
import { SharedWork } from '../../src/base/shared-work.ts';
import { Slicer } from '../../src/base/yield-control.ts';

/** Work that pauses until `release` is called. */
function paused() {
  const work = new SharedWork<string>();
  let begun = 0;
  let release = () => {};
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  const ask = (asker: OwnAsker) =>
    work.ask(asker, async (askers) => {
      begun++;
      const slicer = Slicer.of(askers);
      await released;
      await slicer.pause();
      return 'done';
    });
  return { ask, release, begun: () => begun };
}

it('runs once for all who ask, and goes on while one of them waits', async () => {
  const { ask, release, begun } = paused();
  const [one, other] = [new OwnAsker('one'), new OwnAsker('other')];
  const results = [ask(one), ask(other)];
  one.end();
  release();
  expect(await results[1]).toBe('done');
  expect(begun()).toBe(1);
});

it('ends with its last asker, and begins again for one who asks after that', async () => {
  const { ask, release, begun } = paused();
  const askers = [new OwnAsker('one'), new OwnAsker('other')];
  const results = askers.map(ask);
  for (const asker of askers) asker.end();
  const late = ask(new OwnAsker('late'));
  release();
  const outcomes = await Promise.allSettled(results);
  expect(outcomes.map((one) => one.status === 'rejected' && one.reason instanceof AskerEnded)).toEqual([true, true]);
  expect(await late).toBe('done');
  expect(begun()).toBe(2);
});

it('leaves places for others when one holder asks for all', async () => {
  const semaphore = new HolderSemaphore(4, 2);
  const begun: string[] = [];
  const take = async (holder: string) => {
    const end = await semaphore.take(holder);
    begun.push(holder);
    return end;
  };
  const first = [take('a'), take('a'), take('a'), take('b'), take('c')];
  const ends = [await first[0], await first[1], await first[3], await first[4]];
  expect(begun.sort()).toEqual(['a', 'a', 'b', 'c']);
  ends[0]?.();
  (await first[2])?.();
  expect(begun).toHaveLength(5);
});
