import { assert } from '../assert.ts';
import { FairQueue } from './fair-queue.ts';

interface WaitingTask {
  readonly units: number;
  readonly begin: () => void;
}

/**
 * Limits the number of tasks that run at the same time, or the sum of the units that they need, such as bytes. Other tasks wait: the holders in turns,
 * the tasks of one holder in order of arrival. The caller limits the number of waiting tasks.
 */
export class Semaphore {
  readonly #count: number;
  #free: number;
  readonly #waiting = new FairQueue<WaitingTask>(Number.POSITIVE_INFINITY);
  /** The task that begins when there are enough units for it. Later tasks that need fewer units wait too, so that it begins some time. */
  #next: WaitingTask | undefined;

  constructor(count: number) {
    this.#count = count;
    this.#free = count;
  }

  /**
   * Resolves when the task may run, with a function that the task calls at its end. A second call of this function has no effect. `holder`: the caller
   * for which the task runs, if there are several.
   */
  async take(units = 1, holder = ''): Promise<() => void> {
    assert(units <= this.#count, 'a task needs more units than exist');
    if (this.#next === undefined && this.#free >= units) this.#free -= units;
    else await new Promise<void>((begin) => this.#wait(holder, { units, begin }));
    let isOver = false;
    return () => {
      if (isOver) return;
      isOver = true;
      this.#free += units;
      this.#beginWaiting();
    };
  }

  #wait(holder: string, task: WaitingTask): void {
    this.#waiting.add(holder, task);
    this.#next ??= this.#waiting.take();
  }

  #beginWaiting(): void {
    while (this.#next && this.#next.units <= this.#free) {
      this.#free -= this.#next.units;
      this.#next.begin();
      this.#next = this.#waiting.take();
    }
  }
}
