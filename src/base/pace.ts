/** Well under what a slice of the event loop may take, so that whoever hands the loop on is asked in time. */
const STRETCH_MS = 1;

/** For generators that gather work between two yields: says when it is time for the next one. */
export class Pace {
  #startMs = performance.now();

  /** True when the stretch since the last `restart` has been long enough. Costs tens of nanoseconds. */
  get spent(): boolean {
    return performance.now() - this.#startMs >= STRETCH_MS;
  }

  /** Call after each yield: how long it took is not this generator's. */
  restart(): void {
    this.#startMs = performance.now();
  }
}
