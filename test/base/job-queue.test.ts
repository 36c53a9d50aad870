import { describe, expect, it } from 'vitest';
import { JobQueue } from '../../src/base/queues/job-queue.ts';

/** Keeps the processor busy. */
function burn(ms: number): void {
  const untilMs = performance.now() + ms;
  while (performance.now() < untilMs);
}

describe('A queue of jobs', () => {
  it('does them in order, not at once, and leaves the loop to others in between', async () => {
    const queue = new JobQueue();
    const done: number[] = [];
    let turns = 0;
    let isOver = false;
    const turn = () => {
      turns++;
      if (!isOver) setImmediate(turn);
    };
    setImmediate(turn);
    const over = new Promise<void>((resolve) => {
      for (let job = 0; job < 60; job++)
        queue.add(() => {
          burn(1);
          done.push(job);
          if (job === 59) resolve();
        });
    });
    expect(done).toEqual([]);
    await over;
    isOver = true;
    expect(done).toEqual(Array.from({ length: 60 }, (_, job) => job));
    // 60 ms in slices of 3.
    expect(turns).toBeGreaterThan(10);
  });

  it('does what is added while it works, and what is added when it was done', async () => {
    const queue = new JobQueue();
    const done: string[] = [];
    await new Promise<void>((resolve) =>
      queue.add(() => {
        done.push('first');
        queue.add(() => {
          done.push('second');
          resolve();
        });
      }),
    );
    await new Promise((resolve) => setImmediate(resolve));
    await new Promise<void>((resolve) => queue.add(resolve));
    expect(done).toEqual(['first', 'second']);
  });
});
