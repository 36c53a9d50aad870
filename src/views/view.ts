import type { Replica, Successor } from '../engine/replica.ts';
import type { AppliedCommit, State } from '../state/state.ts';

/** Data that is derived from the state. It is updated in the same turn of the event loop in which the state changes. */
export interface View {
  apply(applied: AppliedCommit): void;
  /**
   * Prepares the view for a state that will replace the live one. The returned successor is updated with that state until `takeOver`; then this view
   * uses that state.
   */
  prepare(next: State): Promise<Successor>;
}

/** Updates the views with every change of the replica's state, always in this order: a view may use the views before it. */
export function keepInStep(replica: Replica, views: readonly View[]): void {
  for (const view of views) replica.onApplied((applied) => view.apply(applied));
  replica.prepareWith(async (next) => {
    const successors: Successor[] = [];
    // The prepared state does not change until all views are ready.
    for (const view of views) successors.push(await view.prepare(next));
    return {
      apply: (applied) => {
        for (const successor of successors) successor.apply(applied);
      },
      takeOver: () => {
        for (const successor of successors) successor.takeOver();
      },
    };
  });
}
