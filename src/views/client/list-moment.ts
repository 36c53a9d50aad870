import type { State } from '../../state/state.ts';

/** A moment of a state; the same number of another generation is another state. */
export type Moment = Pick<State, 'seq' | 'generation'>;

/** With what names a list of then. */
export interface ListMoment extends Moment {
  readonly revision: number;
  /** Of the history that the revision counts in; "" where there is but one. */
  readonly mark: string;
}

/** Every moment of a state that replaced another one is later, whatever its number. */
export function isBefore(left: Moment, right: Moment): boolean {
  return left.generation === right.generation ? left.seq < right.seq : left.generation < right.generation;
}
