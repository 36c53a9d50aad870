import type { Asker } from '../../base/asking/asker.ts';
import { Rejection } from '../../base/rejection.ts';
import type { Decidable } from '../../engine/command.ts';
import type { Order } from '../../engine/decision.ts';
import type { Caller } from '../../model/caller.ts';
import type { Services } from '../services.ts';
import { onOneState } from './on-one-state.ts';

/** Decides a command as the writer would, with all rules, and stores nothing. Returns its result, or the reason why it would be refused. */
export async function previewCommand<Input, Output>(
  { state, writer }: Pick<Services, 'state' | 'writer'>,
  caller: Caller,
  command: Decidable<Input, Output>,
  input: Input,
  asker: Asker,
): Promise<Output | Rejection> {
  const order = { command, input, caller } as Order;
  const subject = { state, subject: 'this change', asker };
  const rehearsal = await onOneState(subject, () => writer.rehearse([order]));
  if (rehearsal instanceof Rejection) return rehearsal;
  const {
    outcomes: [outcome],
    reviews: [review],
  } = rehearsal;
  if (outcome?.kind === 'accepted') return review ?? (outcome.value as Output);
  if (outcome?.kind === 'rejected') return outcome.rejection;
  throw outcome?.error;
}
