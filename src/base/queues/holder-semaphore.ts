import { Semaphore } from './semaphore.ts';

/** A semaphore of which one holder never has all: its further tasks wait, while those of others begin. */
export class HolderSemaphore {
  readonly #all: Semaphore;
  readonly #eachMax: number;
  /** Holder → its own semaphore, and the number of its tasks that run or wait. */
  readonly #own = new Map<string, { readonly semaphore: Semaphore; tasks: number }>();

  /** At most `total` tasks run at the same time, and at most `eachMax` of one holder. */
  constructor(total: number, eachMax: number) {
    this.#all = new Semaphore(total);
    this.#eachMax = eachMax;
  }

  /** Resolves when the task may run, with a function that the task calls once, at its end. */
  async take(holder: string): Promise<() => void> {
    const own = this.#own.get(holder) ?? { semaphore: new Semaphore(this.#eachMax), tasks: 0 };
    this.#own.set(holder, own);
    own.tasks++;
    const giveOwn = await own.semaphore.take();
    const give = await this.#all.take(1, holder);
    return () => {
      give();
      giveOwn();
      if (--own.tasks === 0) this.#own.delete(holder);
    };
  }
}
