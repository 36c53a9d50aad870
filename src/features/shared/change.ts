import { AskerEnded } from '../../base/asking/asker.ts';
import { Rejection } from '../../base/rejection.ts';
import type { Decidable } from '../../engine/command.ts';
import { type Answer, done, REVISION_HEADER } from '../../http/answer.ts';
import type { Caller } from '../../model/caller.ts';
import type { Services } from '../services.ts';
import { conditional } from './entity-tags.ts';

/**
 * Submits a command on the caller's behalf. Answers when the command is durable; the answer has the revision of the write and, if the route edits an
 * entity with an ETag, the new ETag. A rejection of the command is returned unchanged and means that nothing was changed. The input is not validated
 * again, because the HTTP server has validated the request that contains it. Without `answerOf` the answer is 200 with no body.
 */
export async function change<Input, Output>(
  { writer }: Pick<Services, 'writer'>,
  caller: Caller,
  command: Decidable<Input, Output>,
  input: Input,
  answerOf: (value: Output) => Answer | Promise<Answer> = () => done(),
): Promise<Answer | Rejection> {
  if (caller.edit === null) {
    const outcome = await writer.submit(command, input, caller);
    return outcome instanceof Rejection ? outcome : answered(() => answerOf(outcome.value), outcome.seq);
  }
  const outcome = await writer.submit(conditional(command, caller.edit), input, caller);
  if (outcome instanceof Rejection) return outcome;
  const { value, etag } = outcome.value;
  return answered(() => answerOf(value), outcome.seq, etag);
}

/** The answer to a write that has happened. If its caller has left, the answer has no content; observers of writes still get its revision. */
async function answered(answerOf: () => Answer | Promise<Answer>, revision: number, etag?: string): Promise<Answer> {
  let answer: Answer;
  try {
    answer = await answerOf();
  } catch (error) {
    if (!(error instanceof AskerEnded)) throw error;
    answer = done();
  }
  const headers = { ...answer.headers, [REVISION_HEADER]: String(revision) };
  return { ...answer, headers: etag === undefined ? headers : { ...headers, etag } };
}
