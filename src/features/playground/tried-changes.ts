import { randomUUID } from 'node:crypto';
import type { Static } from 'typebox';
import type { Asker } from '../../base/asking/asker.ts';
import { isoTime } from '../../base/clock.ts';
import { invalid, Rejection } from '../../base/rejection.ts';
import type { Steps } from '../../base/yield-control.ts';
import { type Caller, type Scope, systemCaller } from '../../model/caller.ts';
import type { ChangeRequest } from '../../model/change-request.ts';
import type { StateReader } from '../../state/collections.ts';
import { Draft } from '../../state/draft.ts';
import { changedFlags, changedSnapshot } from '../../views/flags/changed-snapshot.ts';
import type { FlagSnapshot } from '../../views/flags/flag-snapshot.ts';
import { findNamedRequest } from '../change-requests/lookup.ts';
import { tryChanges } from '../change-requests/trying.ts';
import { ordersOf, rehearseOrders, type UnsavedChanges } from '../change-requests/unsaved-changes.ts';
import type { TriedUndo } from '../history/schemas.ts';
import { rehearseUndo, undoOrder } from '../history/tried-undo.ts';
import type { Services } from '../services.ts';
import { onOneState } from '../shared/on-one-state.ts';

type Snapshots = readonly FlagSnapshot[];

/** The changes that a request tries: those of a change request, an undo, or a list. Undefined in most requests. */
export interface TriedChanges {
  readonly changeRequest?: number | undefined;
  readonly undo?: Static<typeof TriedUndo> | undefined;
  readonly changes?: Static<typeof UnsavedChanges> | undefined;
  /** Of `changes`. */
  readonly project?: string | undefined;
  readonly environment?: string | undefined;
}

/** What is evaluated: one scope for each snapshot, as the projects are now, and as they are in another state. */
interface EvaluatedScopes {
  readonly scopes: readonly Scope[];
  readonly scopesOf: (reader: StateReader) => readonly Scope[] | Rejection;
}

/** Makes the changes on a temporary state. The result is the state with them, or a rejection. */
type Attempt = () => Steps<Draft | Rejection>;

/** Who asks, and waits for the answer. */
interface Sender {
  readonly caller: Caller;
  readonly asker: Asker;
}

/** The flags of the scopes as they would be after the changes of the request. */
export function snapshotsAfter(
  services: Services,
  { caller, asker }: Sender,
  tried: TriedChanges,
  evaluated: EvaluatedScopes,
): Promise<Snapshots | Rejection> | Snapshots | Rejection {
  const { changeRequest, undo, changes, project, environment } = tried;
  if ([changes, changeRequest, undo].filter((one) => one !== undefined).length > 1)
    return invalid('Specify only one of `changes`, `changeRequest` and `undo`.', '/changes');
  if (changeRequest !== undefined) {
    const request = findNamedRequest({ draft: services.state, caller }, changeRequest);
    if (request instanceof Rejection) return request;
    const attempt = () => requestDraft(services, request);
    return withChanges(services, { subject: 'a change request', asker }, evaluated, attempt);
  }
  if (undo !== undefined)
    return withinQuota(services, asker.holder, () => afterUndo(services, { caller, asker }, undo, evaluated));
  if (changes === undefined) return services.flagViews.snapshotsOf(evaluated.scopes);
  if (project === undefined) return invalid('`changes` need a `project`.', '/project');
  if (environment === undefined) return invalid('`changes` need an `environment`.', '/environment');
  return withinQuota(services, asker.holder, () =>
    withChanges(services, { subject: 'the changes', asker }, evaluated, function* () {
      const location = { project, environment };
      const rehearsal = yield* rehearseOrders(services, caller, location, ordersOf(caller, location, changes));
      return rehearsal instanceof Rejection ? rehearsal : rehearsal.after;
    }),
  );
}

async function afterUndo(
  services: Services,
  sender: Sender,
  undo: Static<typeof TriedUndo>,
  evaluated: EvaluatedScopes,
): Promise<Snapshots | Rejection> {
  const order = await undoOrder(services, sender, undo);
  if (order instanceof Rejection) return order;
  return withChanges(services, { subject: 'the undo', asker: sender.asker }, evaluated, function* () {
    const rehearsal = yield* rehearseUndo(services, order);
    return rehearsal instanceof Rejection ? rehearsal : rehearsal.after;
  });
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
  // Change requests and tokens are not evaluated, so nothing that refers to a removed flag has to end.
  const unread = { emit: () => {}, whenRemoved: [] };
  const context = { draft, caller, by: caller.author, newId: randomUUID, limits: config.limits, ...unread };
  yield* tryChanges({ ...context, now: isoTime(clock.nowMs()) }, request, request.changes);
  return draft;
}

function withChanges(
  services: Services,
  where: { readonly subject: string; readonly asker: Asker },
  evaluated: EvaluatedScopes,
  attempt: Attempt,
): Promise<Snapshots | Rejection> {
  return onOneState<Snapshots | Rejection>({ state: services.state, ...where }, async () =>
    snapshotsWith(services, attempt, evaluated, await services.flagViews.snapshotsOf(evaluated.scopes)),
  );
}

/** The snapshots after the changes were made. Undefined if the snapshots are older than the state. */
function* snapshotsWith(
  services: Services,
  attempt: Attempt,
  { scopesOf }: EvaluatedScopes,
  snapshots: Snapshots,
): Steps<Snapshots | Rejection | undefined> {
  if (snapshots.some(({ seq }) => seq !== services.state.seq)) return undefined;
  const draft = yield* attempt();
  if (draft instanceof Rejection) return draft;
  // Projects may have other environments after the changes.
  const scopes = scopesOf(draft);
  return scopes instanceof Rejection ? scopes : yield* snapshotsOfDraft(services, draft, scopes, snapshots);
}

/** The snapshots as they are in the draft. `snapshots`: those of the scopes in the state beneath. */
export function* snapshotsOfDraft(
  { hashEncoding }: Services,
  draft: Draft,
  scopes: readonly Scope[],
  snapshots: Snapshots,
): Steps<Snapshots> {
  const names = yield* changedFlags(draft);
  const results: FlagSnapshot[] = [];
  for (const [index, snapshot] of snapshots.entries()) {
    const scope = scopes[index] as Scope;
    results.push(yield* changedSnapshot(snapshot, { draft, names, scope, bytes: hashEncoding }));
  }
  return results;
}
