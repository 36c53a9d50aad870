import type { State } from '../../state/state.ts';

/** A moment of a state. The same sequence number with another generation is a different content. */
export type Moment = Pick<State, 'seq' | 'generation'>;

/** A moment, with the revision and the mark that identify a list at that moment. */
export interface ListMoment extends Moment {
  readonly revision: number;
  /** Mark of the history that the revision belongs to; "" when the store has only one history. */
  readonly mark: string;
}

/** Whether `left` is before `right`. A higher generation is always later, whatever its sequence number is. */
export function isBefore(left: Moment, right: Moment): boolean {
  return left.generation === right.generation ? left.seq < right.seq : left.generation < right.generation;
}
