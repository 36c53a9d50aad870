import { hash } from 'node:crypto';
import { type Slicer, workInSlices } from '../../base/yield-control.ts';
import type { EvaluationContext } from '../../evaluation/context.ts';
import { type Needs, timePosition } from '../../evaluation/needs.ts';
import type { SdkContext } from '../../model/context.ts';
import type { FlagSnapshot } from '../../views/flags/flag-snapshot.ts';

/**
 * The ETag of an evaluated answer. Two answers have the same ETag if their flags and contexts are equal and, as far as rules depend on the time, also
 * their times. It is computed without evaluating anything. Random values (stickiness `random`, a session id that the context does not contain) are
 * not part of it: a client that has the answer keeps its random result until flags or context change. `kind` distinguishes answers of different
 * forms. `slicer` returns the slicer with whose time slices the work is done.
 */
export function answerEtag(
  kind: string,
  snapshot: FlagSnapshot,
  sent: SdkContext,
  context: EvaluationContext,
  slicer: () => Slicer,
): string | Promise<string> {
  const etag = (needs: Needs) => {
    const { scope, number, mark } = snapshot.revision;
    const time = timePosition(needs, context.currentTimeMs);
    const text = JSON.stringify([kind, scope, number, mark, time]) + contextText(sent, context);
    return `W/"${hash('sha256', text, 'base64url').slice(0, 27)}"`;
  };
  return snapshot.needs ? etag(snapshot.needs) : workInSlices(snapshot.findNeeds(), slicer()).then(etag);
}

/** The text of the fields that evaluation reads. Lists and objects in properties count as missing, as in evaluation. */
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
