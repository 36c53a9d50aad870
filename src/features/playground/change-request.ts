import { randomUUID } from 'node:crypto';
import { isoTime } from '../../base/clock.ts';
import type { Rejection } from '../../base/rejection.ts';
import type { Steps } from '../../base/yield-control.ts';
import { systemCaller } from '../../model/caller.ts';
import { Draft } from '../../state/draft.ts';
import { changedFlags, changedSnapshot } from '../../views/flags/changed-snapshot.ts';
import type { FlagSnapshot } from '../../views/flags/flag-snapshot.ts';
import type { ChangeRequest } from '../change-requests/change-request.ts';
import { tryChanges } from '../change-requests/commands.ts';
import type { Services } from '../services.ts';
import { onOneState } from '../shared/on-one-state.ts';

/**
 * The snapshots that `take` would return after the change request was applied. The changes are made on a temporary state; changes that cannot be made
 * any more are skipped.
 */
export function withChangeRequest(
  services: Services,
  request: ChangeRequest,
  take: () => Promise<readonly FlagSnapshot[]> | readonly FlagSnapshot[],
): Promise<readonly FlagSnapshot[] | Rejection> {
  return onOneState({ state: services.state, subject: 'a change request' }, async () =>
    snapshotsWithChanges(services, request, await take()),
  );
}

/** The snapshots after the changes of the request were made. Undefined if the snapshots are older than the state. */
function* snapshotsWithChanges(
  { state, clock, config, hashEncoding }: Services,
  request: ChangeRequest,
  snapshots: readonly FlagSnapshot[],
): Steps<readonly FlagSnapshot[] | undefined> {
  if (snapshots.some(({ seq }) => seq !== state.seq)) return undefined;
  const draft = new Draft(state);
  const caller = systemCaller();
  const context = { draft, caller, by: caller.author, newId: randomUUID, emit: () => {}, limits: config.limits };
  yield* tryChanges({ ...context, now: isoTime(clock.nowMs()) }, request, request.changes);
  const names = yield* changedFlags(draft);
  const results: FlagSnapshot[] = [];
  for (const snapshot of snapshots)
    results.push(yield* changedSnapshot(snapshot, { draft, names, bytes: hashEncoding }));
  return results;
}
