import { SERVICE } from '../../base/asking/asker.ts';
import { Slicer } from '../../base/yield-control.ts';
import type { FlagCell } from './flag-cell.ts';

/**
 * Compiles changed flags in slices, soon after the change, so that readers rarely need a flag that is not compiled. It stores the waiting cells: at
 * most the cells of all views, and the cells that were replaced since the last slice.
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

  /** Removes the waiting cells: they are not needed any more. */
  clear(): void {
    this.#waiting = [];
  }

  async #run(): Promise<void> {
    const slicer = Slicer.of(SERVICE);
    // The request that made the change is answered first.
    await slicer.pause();
    for (let cell = this.#waiting.pop(); cell; cell = this.#waiting.pop()) {
      if (cell.isReplaced) continue;
      for (const work of cell.compile()) if (slicer.charge(work)) await slicer.pause();
    }
    this.#isRunning = false;
  }
}
