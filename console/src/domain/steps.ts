/** Synchronous work that may pause at each `yield`. */
export type Steps<T> = Generator<void, T, void>;

/** Less than a frame: keys and pointers are answered between the slices. */
const SLICE_MS = 8;

const pause = () => new Promise<void>((resolve) => setTimeout(resolve));

/** Runs the steps with a pause after each slice of time. Returns undefined if the signal ends them. */
export function inSlices<T extends object>(steps: Steps<T>): Promise<T>;
export function inSlices<T extends object>(steps: Steps<T>, signal: AbortSignal): Promise<T | undefined>;
export async function inSlices<T extends object>(steps: Steps<T>, signal?: AbortSignal): Promise<T | undefined> {
  let began = performance.now();
  while (!signal?.aborted) {
    const { done, value } = steps.next();
    if (done) return value;
    if (performance.now() - began < SLICE_MS) continue;
    await pause();
    began = performance.now();
  }
  return undefined;
}
