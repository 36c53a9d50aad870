import Type, { type Static } from 'typebox';
import { accessProblem } from '../../access/may.ts';
import { Rejection } from '../../base/rejection.ts';
import type { Steps } from '../../base/yield-control.ts';
import type { Order } from '../../engine/decision.ts';
import type { Rehearsal } from '../../engine/rehearsal.ts';
import type { Caller } from '../../model/caller.ts';
import { NameReference, Nullable } from '../../model/primitives.ts';
import type { Services } from '../services.ts';
import { findProjectEnvironment } from '../shared/lookup.ts';
import { CHANGE_REQUEST_LIMITS } from './limits.ts';
import { orderOf } from './orders.ts';
import { WantedChange } from './trying.ts';

const UnsavedChange = Type.Object(
  {
    ...WantedChange.properties,
    feature: Type.Optional(
      Nullable({ ...NameReference, description: 'The flag that is changed; left out if a segment is changed' }),
    ),
  },
  { $id: 'previewedChange' },
);

export const UnsavedChanges = Type.Array(UnsavedChange, {
  minItems: 1,
  maxItems: CHANGE_REQUEST_LIMITS.changeRequestChanges.max,
  description: 'Changes that are not saved, in the order in which they would be saved',
});
type UnsavedChanges = Static<typeof UnsavedChanges>;

interface Location {
  readonly project: string;
  readonly environment: string;
}

/** The orders that the requests of a client would give to the writer to make these changes. */
export function ordersOf(caller: Caller, location: Location, changes: UnsavedChanges): Order[] {
  return changes.map((change) => orderOf(caller, location, change));
}

/**
 * Makes the changes on a temporary state, in steps. The rejection is that of the request that would save the changes, with the position of the
 * change. The state must not change between the steps.
 */
export function* rehearseOrders(
  { state, writer }: Services,
  caller: Caller,
  { project, environment }: Location,
  orders: readonly Order[],
): Steps<Rehearsal | Rejection> {
  const rehearsal = yield* writer.rehearse(orders);
  // Changes of segments name no project: the caller must see the project, and it must have the environment.
  const refusal =
    firstRefusal(rehearsal) ?? accessProblem(state, caller, { required: ['READ'], project, environment: null });
  if (refusal) return refusal;
  const found = findProjectEnvironment(state, project, environment);
  return found instanceof Rejection ? found : rehearsal;
}

/** The rejection of the first refused change, with its position in the request. */
function firstRefusal({ outcomes }: Rehearsal): Rejection | undefined {
  for (const [index, outcome] of outcomes.entries()) {
    if (outcome.kind === 'failed') throw outcome.error;
    if (outcome.kind === 'rejected') return atChange(outcome.rejection, index);
  }
  return undefined;
}

function atChange({ name, message, details, retryAfterS }: Rejection, index: number): Rejection {
  const positioned = details.map((detail) => ({ ...detail, path: `/changes/${index}${detail.path ?? ''}` }));
  return new Rejection(name, message, positioned, retryAfterS);
}
