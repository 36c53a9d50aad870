import { randomUUID } from 'node:crypto';
import type { Static } from 'typebox';
import { isoTime } from '../../base/clock.ts';
import { invalid, Rejection } from '../../base/rejection.ts';
import type { Steps } from '../../base/yield-control.ts';
import { type Caller, holderOf, systemCaller } from '../../model/caller.ts';
import { Draft } from '../../state/draft.ts';
import { changedFlags, changedSnapshot } from '../../views/flags/changed-snapshot.ts';
import type { FlagSnapshot } from '../../views/flags/flag-snapshot.ts';
import type { ChangeRequest } from '../change-requests/change-request.ts';
import { tryChanges } from '../change-requests/commands.ts';
import { findNamedRequest } from '../change-requests/lookup.ts';
import { ordersOf, rehearseOrders, type UnsavedChanges } from '../change-requests/unsaved-changes.ts';
import type { Services } from '../services.ts';
import { onOneState } from '../shared/on-one-state.ts';

type Snapshots = readonly FlagSnapshot[];
type Take = () => Promise<Snapshots> | Snapshots;

/** The changes that a request tries: those of a change request, or a list. Undefined in most requests. */
interface TriedChanges {
  readonly changeRequest?: number | undefined;
  readonly changes?: Static<typeof UnsavedChanges> | undefined;
  /** Of `changes`. */
  readonly project?: string | undefined;
  readonly environment?: string | undefined;
}

/** Makes the changes on a temporary state. The result is the state with them, or a rejection. */
type Attempt = () => Steps<Draft | Rejection>;

/** The snapshots that `take` would return after the changes of the request. */
export function snapshotsAfter(
  services: Services,
  caller: Caller,
  tried: TriedChanges,
  take: Take,
): Promise<Snapshots | Rejection> | Snapshots | Rejection {
  const { changeRequest, changes, project, environment } = tried;
  const holder = holderOf(caller);
  if (changes !== undefined && changeRequest !== undefined)
    return invalid('Specify either `changes` or `changeRequest`.', '/changes');
  if (changeRequest !== undefined) {
    const request = findNamedRequest({ draft: services.state, caller }, changeRequest);
    if (request instanceof Rejection) return request;
    return withChanges(services, { subject: 'a change request', holder }, take, () => requestDraft(services, request));
  }
  if (changes === undefined) return take();
  if (project === undefined) return invalid('`changes` need a `project`.', '/project');
  if (environment === undefined) return invalid('`changes` need an `environment`.', '/environment');
  return withinQuota(services, holder, () =>
    withChanges(services, { subject: 'the changes', holder }, take, function* () {
      const location = { project, environment };
      const rehearsal = yield* rehearseOrders(services, caller, location, ordersOf(caller, location, changes));
      return rehearsal instanceof Rejection ? rehearsal : rehearsal.after;
    }),
  );
}

/** Unsaved changes have the quota of previews. */
async function withinQuota<T>({ previewQuota }: Services, holder: string, run: () => Promise<T>) {
  if (!previewQuota.take(holder))
    return new Rejection('TooManyRequestsError', 'Too many previews are in progress. Try again.', [], 1);
  try {
    return await run();
  } finally {
    previewQuota.give(holder);
  }
}

/** The state after the changes of the request. Changes that cannot be made any more are skipped. */
function* requestDraft({ state, clock, config }: Services, request: ChangeRequest): Steps<Draft> {
  const draft = new Draft(state);
  const caller = systemCaller();
  const context = { draft, caller, by: caller.author, newId: randomUUID, emit: () => {}, limits: config.limits };
  yield* tryChanges({ ...context, now: isoTime(clock.nowMs()) }, request, request.changes);
  return draft;
}

function withChanges(
  services: Services,
  where: { readonly subject: string; readonly holder: string },
  take: Take,
  attempt: Attempt,
): Promise<Snapshots | Rejection> {
  return onOneState<Snapshots | Rejection>({ state: services.state, ...where }, async () =>
    snapshotsWith(services, attempt, await take()),
  );
}

/** The snapshots after the changes were made. Undefined if the snapshots are older than the state. */
function* snapshotsWith(
  { state, hashEncoding }: Services,
  attempt: Attempt,
  snapshots: Snapshots,
): Steps<Snapshots | Rejection | undefined> {
  if (snapshots.some(({ seq }) => seq !== state.seq)) return undefined;
  const draft = yield* attempt();
  if (draft instanceof Rejection) return draft;
  const names = yield* changedFlags(draft);
  const results: FlagSnapshot[] = [];
  for (const snapshot of snapshots)
    results.push(yield* changedSnapshot(snapshot, { draft, names, bytes: hashEncoding }));
  return results;
}
