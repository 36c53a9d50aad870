import { Slicer } from '../../base/yield-control.ts';
import type { FlagCell } from './flag-cell.ts';

/**
 * Compiles flags soon after they have changed, in slices, so that readers seldom meet one that is not compiled. Holds the cells that wait: as
 * many as views hold, and those that were replaced since the last slice.
 */
export class BackgroundCompiler {
  #waiting: FlagCell[] = [];
  #isRunning = false;

  add(cell: FlagCell): void {
    this.#waiting.push(cell);
    if (this.#isRunning) return;
    this.#isRunning = true;
    void this.#run();
  }

  /** What waits is not needed any more. */
  clear(): void {
    this.#waiting = [];
  }

  async #run(): Promise<void> {
    const slicer = new Slicer();
    // The change is answered first.
    await slicer.pause();
    for (let cell = this.#waiting.pop(); cell; cell = this.#waiting.pop()) {
      if (cell.isReplaced) continue;
      for (const work of cell.compile()) if (slicer.charge(work)) await slicer.pause();
    }
    this.#isRunning = false;
  }
}
