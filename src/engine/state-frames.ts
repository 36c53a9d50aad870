import { type Asker, SERVICE } from '../base/asking/asker.ts';
import { inSlices, Slicer } from '../base/yield-control.ts';
import { type Commit, decodeInSteps, encodeInSteps } from '../state/commit.ts';
import { decodeSnapshot, encodeSnapshot, StateReplacedError } from '../state/snapshot.ts';
import type { State } from '../state/state.ts';
import { type Frame, KIND } from '../stores/local/framed-file.ts';
import type { Replica } from './replica.ts';

/** Converts the live state to frames of a file. Commits are applied meanwhile. All frames together give the state at one moment. */
export class StateFrames {
  readonly #replica: Replica;
  /** One list for each running `take`: the commits applied since it began and not yet yielded. */
  readonly #tails = new Set<Commit[]>();

  constructor(replica: Replica) {
    this.#replica = replica;
    replica.onApplied(({ commit }) => {
      for (const tail of this.#tails) tail.push(commit);
    });
  }

  /**
   * Yields the pieces of a snapshot, and then the commits that were applied meanwhile. At the end calls `onEnd`, in a turn of the event loop in which
   * the live state equals the content of the frames.
   * @throws StateReplacedError if the state was replaced meanwhile
   */
  async *take(onEnd: (state: State) => void, asker: Asker): AsyncGenerator<Frame, void, void> {
    const { state } = this.#replica;
    const { generation } = state;
    const tail: Commit[] = [];
    // There must be no pause between this line and the first piece: that piece contains the number of the commit after which the tail continues.
    this.#tails.add(tail);
    try {
      for await (const bytes of encodeSnapshot(state, asker)) yield { kind: KIND.piece, bytes };
      for (let next = tail.shift(); next; next = tail.shift()) {
        yield { kind: KIND.commit, bytes: await inSlices(encodeInSteps(next), Slicer.of(asker)) };
      }
      // No other code ran between the last check of the tail and here.
      if (state.generation !== generation) throw new StateReplacedError();
      onEnd(state);
    } finally {
      this.#tails.delete(tail);
    }
  }
}

/**
 * Returns the state that the frames contain. Ignores frames that are neither pieces nor commits. `markOf` returns the mark of the epoch of each
 * commit, see `Revisions.mark`.
 * @throws the errors of `decodeSnapshot` and `decodeInSteps`
 */
export async function stateOfFrames(
  frames: () => AsyncIterable<Frame>,
  markOf: (seq: number) => string,
): Promise<State> {
  const commits: Uint8Array[] = [];
  const pieces = async function* (): AsyncGenerator<Uint8Array, void, void> {
    for await (const { kind, bytes } of frames()) {
      if (kind === KIND.piece) yield bytes;
      else if (kind === KIND.commit) commits.push(bytes);
      else if (kind > KIND.commit) return;
    }
  };
  const state = await decodeSnapshot(pieces());
  for (const bytes of commits) {
    const commit = await inSlices(decodeInSteps(bytes), Slicer.of(SERVICE));
    state.apply(commit, markOf(commit.seq));
  }
  return state;
}
