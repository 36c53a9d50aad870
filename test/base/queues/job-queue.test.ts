import { describe, expect, it } from 'vitest';
import { JobQueue } from '../../../src/base/queues/job-queue.ts';

/** Keeps the processor busy. */
function burn(ms: number): void {
  const untilMs = performance.now() + ms;
  while (performance.now() < untilMs);
}

describe('A queue of jobs', () => {
  it('runs its jobs in order and later, and yields to the event loop in between', async () => {
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

  it('runs jobs that are added while it runs, and jobs that are added after it was empty', async () => {
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
