/** Lets a number of tasks run at a time; the others wait in the order in which they came. The caller bounds how many wait. */
export class Semaphore {
  #free: number;
  readonly #waiting: (() => void)[] = [];

  constructor(count: number) {
    this.#free = count;
  }

  /** Resolves when the task may run, with the function that releases it. Releasing twice has no further effect. */
  async take(): Promise<() => void> {
    if (this.#free > 0) this.#free--;
    else await new Promise<void>((begin) => this.#waiting.push(begin));
    let isOver = false;
    return () => {
      if (isOver) return;
      isOver = true;
      const next = this.#waiting.shift();
      if (next) next();
      else this.#free++;
    };
  }
}
