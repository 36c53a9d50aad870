import { Rejection } from '../../base/rejection.ts';
import type { Decidable } from '../../engine/command.ts';
import { type Answer, done, REVISION_HEADER } from '../../http/answer.ts';
import type { Caller } from '../../model/caller.ts';
import type { Services } from '../services.ts';

/**
 * Submits a command on the caller's behalf. Answers when the command is durable; the answer has the revision of the write. A rejection of the command
 * is returned unchanged and means that nothing was changed. The input is not validated again, because the HTTP server has validated the request that
 * contains it. Without `answerOf` the answer is 200 with no body.
 */
export async function change<Input, Output>(
  { writer }: Pick<Services, 'writer'>,
  caller: Caller,
  command: Decidable<Input, Output>,
  input: Input,
  answerOf: (value: Output) => Answer | Promise<Answer> = () => done(),
): Promise<Answer | Rejection> {
  const outcome = await writer.submit(command, input, caller);
  if (outcome instanceof Rejection) return outcome;
  const answer = await answerOf(outcome.value);
  return { ...answer, headers: { ...answer.headers, [REVISION_HEADER]: String(outcome.seq) } };
}
