/** Lets everything else that waits on the event loop run once. */
export function yieldControl(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

/** How long a piece of background work may hold the loop before it yields. Well under the 10 ms nobody may hold it. */
export const SLICE_BUDGET_MS = 3;

/** Yields control whenever the current slice has used its budget. One per piece of work. */
export class Slicer {
  #sliceStartMs = performance.now();

  /** True when the slice is used up and `pause` should be awaited. Cheap enough to ask once an item. */
  get spent(): boolean {
    return performance.now() - this.#sliceStartMs >= SLICE_BUDGET_MS;
  }

  async pause(): Promise<void> {
    await yieldControl();
    this.#sliceStartMs = performance.now();
  }
}
