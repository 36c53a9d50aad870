import { randomUUID } from 'node:crypto';
import { may } from '../../access/may.ts';
import { isoTime } from '../../base/clock.ts';
import { invalid, type Rejection, unavailable } from '../../base/rejection.ts';
import { inSlicesWhile, type Steps } from '../../base/yield-control.ts';
import { type Caller, systemCaller } from '../../model/caller.ts';
import { Draft } from '../../state/draft.ts';
import { changedFlags, changedSnapshot } from '../../views/flags/changed-snapshot.ts';
import type { FlagSnapshot } from '../../views/flags/flag-snapshot.ts';
import type { ChangeRequest } from '../change-requests/change-request.ts';
import { tryChanges } from '../change-requests/commands.ts';
import { maySeeRequest } from '../change-requests/lookup.ts';
import type { Services } from '../services.ts';

/** The change request whose effect the client wants to see; a rejection if it does not exist or the caller may not read it. */
export function findChangeRequest({ state }: Services, caller: Caller, id: number): ChangeRequest | Rejection {
  const request = state.get('changeRequests', String(id));
  const mayRead = request && may(state, caller, 'READ', request.project, null);
  return mayRead && maySeeRequest({ draft: state, caller }, request)
    ? request
    : invalid(`The change request ${id} does not exist.`, '/changeRequest');
}

/** Maximum number of attempts. An attempt is repeated if the state has changed during the attempt. */
const ATTEMPTS_MAX = 8;

/**
 * The snapshots that `take` would return after the change request was applied. The changes are made on a temporary state; changes that cannot be made
 * any more are skipped.
 */
export async function withChangeRequest(
  services: Services,
  request: ChangeRequest,
  take: () => Promise<readonly FlagSnapshot[]> | readonly FlagSnapshot[],
): Promise<readonly FlagSnapshot[] | Rejection> {
  const { state } = services;
  for (let attempt = 0; attempt < ATTEMPTS_MAX; attempt++) {
    const snapshots = await take();
    const { seq, generation } = state;
    if (snapshots.some((snapshot) => snapshot.seq !== seq)) continue;
    const steps = snapshotsWithChanges(services, request, snapshots);
    const outcome = await inSlicesWhile(steps, () => state.seq === seq && state.generation === generation);
    if (outcome) return outcome;
  }
  return unavailable('Flags change too often to try a change request on them now. Try again.', 1);
}

/** The snapshots after the changes of the request were made. */
function* snapshotsWithChanges(
  { state, clock, config }: Services,
  request: ChangeRequest,
  snapshots: readonly FlagSnapshot[],
): Steps<readonly FlagSnapshot[]> {
  const draft = new Draft(state);
  const caller = systemCaller();
  const context = { draft, caller, by: caller.author, newId: randomUUID, emit: () => {}, limits: config.limits };
  yield* tryChanges({ ...context, now: isoTime(clock.nowMs()) }, request, request.changes);
  const names = yield* changedFlags(draft);
  const results: FlagSnapshot[] = [];
  for (const snapshot of snapshots) results.push(yield* changedSnapshot(snapshot, draft, names));
  return results;
}
