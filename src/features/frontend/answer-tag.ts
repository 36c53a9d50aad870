import { hash } from 'node:crypto';
import { type Slicer, workInSlices } from '../../base/yield-control.ts';
import type { EvaluationContext } from '../../evaluation/context.ts';
import { type Needs, timePosition } from '../../evaluation/needs.ts';
import type { SdkContext } from '../../model/context.ts';
import type { FlagSnapshot } from '../../views/flags/flag-snapshot.ts';

/**
 * The ETag of an answer that is evaluated: equal for equal flags, contexts and, as far as rules ask for it, times. It is made without evaluating
 * anything. What is drawn (a session that the context does not name, `random`) is not of it: who has the answer keeps what was drawn for them
 * until something changes. `kind` tells answers of different forms apart; `slicer` is of the caller.
 */
export function answerTag(
  kind: string,
  snapshot: FlagSnapshot,
  sent: SdkContext,
  context: EvaluationContext,
  slicer: () => Slicer,
): string | Promise<string> {
  const tag = (needs: Needs) => {
    const { scope, number, mark } = snapshot.revision;
    const time = timePosition(needs, context.currentTimeMs);
    const text = JSON.stringify([kind, scope, number, mark, time]) + contextText(sent, context);
    return `W/"${hash('sha256', text, 'base64url').slice(0, 27)}"`;
  };
  return snapshot.needs ? tag(snapshot.needs) : workInSlices(snapshot.findNeeds(), slicer()).then(tag);
}

/** What evaluation reads of it. Lists and objects among properties count as missing there, and so here. */
function contextText(
  sent: SdkContext,
  { userId, sessionId, remoteAddress, appName, properties }: EvaluationContext,
): string {
  const fields: unknown[] = [userId, hasText(sent.sessionId) ? sessionId : null, remoteAddress, appName];
  for (const name in properties) {
    const value = properties[name];
    if (value !== null && typeof value !== 'object') fields.push(name, String(value));
  }
  return JSON.stringify(fields);
}

function hasText(value: unknown): boolean {
  return value !== undefined && value !== null && value !== '';
}
