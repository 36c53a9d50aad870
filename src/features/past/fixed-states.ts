import type { Replica } from '../../engine/replica.ts';
import { FixedState } from '../../state/fixed-state.ts';

/** The states that are being read. Passes every commit to them. */
export class FixedStates {
  readonly #replica: Replica;
  readonly #inUse = new Set<FixedState>();

  constructor(replica: Replica) {
    this.#replica = replica;
    replica.onApplied((applied) => {
      for (const fixed of this.#inUse) fixed.apply(applied);
    });
  }

  /** Calls `read` with the state as it is now. */
  async reading<T>(read: (fixed: FixedState) => Promise<T>): Promise<T> {
    const fixed = new FixedState(this.#replica.state);
    this.#inUse.add(fixed);
    try {
      return await read(fixed);
    } finally {
      this.#inUse.delete(fixed);
    }
  }
}
