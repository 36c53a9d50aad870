import { assert } from '../assert.ts';

interface WaitingTask {
  readonly units: number;
  readonly begin: () => void;
}

/**
 * Limits the number of tasks that run at the same time, or the sum of the units that they need, such as bytes; other tasks wait in order of arrival.
 * The caller limits the number of waiting tasks.
 */
export class Semaphore {
  readonly #count: number;
  #free: number;
  readonly #waiting: WaitingTask[] = [];

  constructor(count: number) {
    this.#count = count;
    this.#free = count;
  }

  /** Resolves when the task may run, with a function that the task calls at its end. A second call of this function has no effect. */
  async take(units = 1): Promise<() => void> {
    assert(units <= this.#count, 'a task needs more units than exist');
    if (this.#waiting.length === 0 && this.#free >= units) this.#free -= units;
    else await new Promise<void>((begin) => this.#waiting.push({ units, begin }));
    let isOver = false;
    return () => {
      if (isOver) return;
      isOver = true;
      this.#free += units;
      this.#beginWaiting();
    };
  }

  #beginWaiting(): void {
    for (let [first] = this.#waiting; first && first.units <= this.#free; [first] = this.#waiting) {
      this.#waiting.shift();
      this.#free -= first.units;
      first.begin();
    }
  }
}
