import { SERVICE } from '../asking/asker.ts';
import { Slicer } from '../yield-control.ts';

/**
 * Runs short jobs in order. Thousands may arrive in one turn of the event loop; each turn runs only as many as fit into a slice. The caller limits
 * the number of waiting jobs.
 */
export class JobQueue {
  #jobs: (() => void)[] = [];
  #isRunning = false;

  /** `job` runs in a later turn of the event loop. It must not throw. */
  add(job: () => void): void {
    this.#jobs.push(job);
    if (this.#isRunning) return;
    this.#isRunning = true;
    setImmediate(() => void this.#run());
  }

  async #run(): Promise<void> {
    const slicer = Slicer.of(SERVICE);
    while (this.#jobs.length > 0) {
      const jobs = this.#jobs;
      this.#jobs = [];
      for (const job of jobs) {
        job();
        if (slicer.spent) await slicer.pause();
      }
    }
    this.#isRunning = false;
  }
}
