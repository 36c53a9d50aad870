import { setImmediate as turn } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { WholeAnswerQueue } from '../../../src/views/frontend/whole-answer-queue.ts';

describe('whole answers', () => {
  it('are built one after the other, and the tokens alternate', async () => {
    const queue = new WholeAnswerQueue(100);
    const made: string[] = [];
    let underWay = 0;
    const make = (name: string) => async () => {
      expect(++underWay).toBe(1);
      await turn();
      made.push(name);
      underWay--;
    };
    const jobs = ['a1', 'a2', 'a3', 'b1', 'b2'].map((name) => queue.add(name[0] as string, {}, make(name)));
    await Promise.all(jobs);
    expect(made).toEqual(['a1', 'b1', 'a2', 'b2', 'a3']);
  });

  it('wait while earlier answers are not read, and the readers of one token do not block the others', async () => {
    const queue = new WholeAnswerQueue(100);
    const made: string[] = [];
    const releases: (() => void)[] = [];
    const add = (holder: string, name: string) =>
      queue.add(holder, {}, async () => {
        made.push(name);
        releases.push(queue.countBuffered(holder, 60));
      });
    await add('a', 'a1');
    const second = add('a', 'a2');
    // One token may use half of the capacity.
    await add('b', 'b1');
    for (let turns = 0; turns < 5; turns++) await turn();
    expect([made, queue.bufferedBytes]).toEqual([['a1', 'b1'], 120]);
    releases.shift()?.();
    await second;
    expect(made).toEqual(['a1', 'b1', 'a2']);
    for (const release of releases) release();
    expect(queue.bufferedBytes).toBe(0);
  });

  it('of readers that have disconnected are skipped, while their token has no capacity and afterwards', async () => {
    const queue = new WholeAnswerQueue(100);
    let release = () => {};
    await queue.add('a', {}, async () => {
      release = queue.countBuffered('a', 60);
    });
    const made: number[] = [];
    const readers = Array.from({ length: 100 }, (_, index) => ({ index }));
    const jobs = readers.map((reader) => queue.add('a', reader, async () => void made.push(reader.index)));
    expect(queue.waitingCount).toBe(100);
    for (const reader of readers) if (reader.index % 50 !== 0) queue.remove('a', reader);
    await Promise.all(jobs.filter((_, index) => index % 50 !== 0));
    expect([queue.waitingCount, made]).toEqual([2, []]);
    release();
    await Promise.all(jobs);
    expect([queue.waitingCount, made]).toEqual([0, [0, 50]]);
    for (const reader of readers) queue.remove('a', reader);
    expect(queue.waitingCount).toBe(0);
  });

  it('that fail reject their promise, and the next one is built', async () => {
    const queue = new WholeAnswerQueue();
    const failed = queue.add('a', {}, () => Promise.reject(new Error('broken')));
    const next = queue.add('a', {}, async () => {});
    await expect(failed).rejects.toThrow('broken');
    await next;
  });
});
