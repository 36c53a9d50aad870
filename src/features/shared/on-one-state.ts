import type { Asker } from '../../base/asking/asker.ts';
import { type Rejection, unavailable } from '../../base/rejection.ts';
import { inSlicesWhile, Slicer, type Steps } from '../../base/yield-control.ts';
import type { State } from '../../state/state.ts';

/** Maximum number of attempts. An attempt is repeated if the state has changed during the attempt. */
const ATTEMPTS_MAX = 8;

/**
 * Does the work in slices, on one unchanged state. If the state changes during a pause, or if the work returns undefined, the work is abandoned and
 * `attempt` is called again. `subject`: what the caller wants to try, for the rejection after too many attempts. `asker`: who waits for the
 * result.
 */
export async function onOneState<T>(
  { state, subject, asker }: { readonly state: State; readonly subject: string; readonly asker: Asker },
  attempt: () => Steps<T | undefined> | Promise<Steps<T | undefined>>,
): Promise<T | Rejection> {
  for (let attempts = 0; attempts < ATTEMPTS_MAX; attempts++) {
    const steps = await attempt();
    const { seq, generation } = state;
    const isUnchanged = () => state.seq === seq && state.generation === generation;
    const outcome = await inSlicesWhile(steps, isUnchanged, Slicer.of(asker));
    if (outcome !== undefined) return outcome;
  }
  return unavailable(`Flags change too often to try ${subject} on them now. Try again.`, 1);
}
