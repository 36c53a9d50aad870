import type { Replica, Successor } from '../engine/replica.ts';
import type { AppliedCommit, State } from '../state/state.ts';

/** Something that is derived from the state, and kept in step with it in the turn of the event loop in which the state changes. */
export interface View {
  apply(applied: AppliedCommit): void;
  /**
   * Makes ready what will be asked for of a state that is to replace the live one. The answer follows that state until `takeOver`,
   * from which on this view is of it.
   */
  prepare(next: State): Promise<Successor>;
}

/** Keeps the views in step with the replica's state. They run in this order, always: one may rest on those before it. */
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
