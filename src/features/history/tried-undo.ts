import { Rejection } from '../../base/rejection.ts';
import type { Steps } from '../../base/yield-control.ts';
import type { Decidable } from '../../engine/command.ts';
import type { Order } from '../../engine/decision.ts';
import type { Rehearsal } from '../../engine/rehearsal.ts';
import type { Services } from '../services.ts';
import { readUndo, type UndoSender, type WantedUndo } from './undo.ts';

import { undoChanges } from './undo-command.ts';

/** The order that a request for this undo would give to the writer. */
export async function undoOrder(
  services: Services,
  sender: UndoSender,
  wanted: WantedUndo,
): Promise<Order | Rejection> {
  const input = await readUndo(services, sender, wanted);
  return input instanceof Rejection
    ? input
    : { command: undoChanges as Decidable<unknown, unknown>, input, caller: sender.caller };
}

/**
 * Undoes the commit on a temporary state, in steps. The rejection is that of the request that would undo it. The state must not change between the
 * steps.
 */
export function* rehearseUndo({ writer }: Services, order: Order): Steps<Rehearsal | Rejection> {
  const rehearsal = yield* writer.rehearse([order]);
  const [outcome] = rehearsal.outcomes;
  if (outcome?.kind === 'failed') throw outcome.error;
  return outcome?.kind === 'rejected' ? outcome.rejection : rehearsal;
}
