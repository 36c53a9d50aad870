import { visibleProjects } from '../../access/visibility.ts';
import { invalid, notFound, Rejection, type ReviewPlace } from '../../base/rejection.ts';
import type { Steps } from '../../base/yield-control.ts';
import type { Order } from '../../engine/decision.ts';
import type { Rehearsal } from '../../engine/rehearsal.ts';
import type { Caller } from '../../model/caller.ts';
import { type ChangeRequest, isOpen } from '../../model/change-request.ts';
import { findNamedRequest } from '../change-requests/lookup.ts';
import { orderOfRequest } from '../change-requests/orders.ts';
import { ordersOf, rehearseOrders } from '../change-requests/unsaved-changes.ts';
import { rehearseUndo } from '../history/tried-undo.ts';
import type { Services } from '../services.ts';
import { type AffectedFlags, affectedFlags } from './affected-flags.ts';
import { type Contexts, combinedContexts } from './contexts.ts';
import type { PreviewRequest } from './schemas.ts';

/** One change, and whether it needs a change request. */
interface TriedChange {
  readonly action: string;
  readonly feature: string | null;
  readonly needsChangeRequest: boolean;
  readonly reason: string | null;
  /** Where the change request belongs. */
  readonly review: ReviewPlace | null;
}

/** The changes, made on a temporary state. */
export interface Trial {
  readonly revision: number;
  readonly changes: readonly TriedChange[];
  readonly affected: AffectedFlags;
  readonly contexts: Contexts;
}

/**
 * Makes the changes of the request on a temporary state, in steps, and finds the flags that they can affect. The rejection is that of the request that
 * would save the changes. The state must not change between the steps.
 */
export function* tryChanges(
  services: Services,
  caller: Caller,
  body: PreviewRequest,
  undo: Order | undefined,
): Steps<Trial | Rejection> {
  const { state, config, clock, hashEncoding } = services;
  const tried = undo ? triedUndo(services, body, undo) : triedOrders(services, caller, body);
  if (tried instanceof Rejection) return tried;
  const { project } = tried;
  const rehearsal =
    project === null
      ? yield* rehearseUndo(services, tried.orders[0] as Order)
      : yield* rehearseOrders(services, caller, { project, environment: tried.environment }, tried.orders);
  if (rehearsal instanceof Rejection) return rehearsal;
  const visible = visibleProjects(state, caller);
  const { environment } = tried;
  const place = { environment, nowMs: clock.nowMs() };
  const reading = { reader: state, visible, caller };
  const contexts = yield* combinedContexts(body.contexts, reading, config.limits.previewContexts, place);
  if (contexts instanceof Rejection) return contexts;
  const affected = yield* affectedFlags({
    before: state,
    after: rehearsal.after,
    environment,
    visible,
    bytes: hashEncoding,
    selected: body.features && new Set(body.features),
  });
  if (affected instanceof Rejection) return affected;
  return { revision: state.seq, changes: triedChanges(body, tried, rehearsal), affected, contexts };
}

interface TriedOrders {
  /** Null for an undo, which may concern several projects. */
  readonly project: string | null;
  readonly environment: string;
  readonly orders: readonly Order[];
  /** Null if the changes are not stored. */
  readonly request: ChangeRequest | null;
}

function triedUndo({ state }: Services, body: PreviewRequest, order: Order): TriedOrders | Rejection {
  const { project, environment } = body;
  if (project !== undefined) return invalid('An undo is not limited to a project: leave out `project`.', '/project');
  if (environment === undefined) return invalid('`undo` needs an `environment`.', '/environment');
  if (!state.get('environments', environment)) return notFound(`The environment ${environment} does not exist.`);
  return { project: null, environment, orders: [order], request: null };
}

function triedOrders({ state }: Services, caller: Caller, body: PreviewRequest): TriedOrders | Rejection {
  const { project, environment, changes, changeRequest } = body;
  if (changeRequest !== undefined) {
    const request = findNamedRequest({ draft: state, caller }, changeRequest);
    if (request instanceof Rejection) return request;
    if (!isOpen(request)) {
      return invalid(`The change request ${request.id} is in the state ${request.state}.`, '/changeRequest');
    }
    if (project !== undefined && project !== request.project) {
      return invalid(`The change request ${request.id} does not belong to the project ${project}.`, '/project');
    }
    const orders = [orderOfRequest(caller, request)];
    return { project: request.project, environment: environment ?? request.environment, orders, request };
  }
  if (project === undefined) return invalid('`changes` need a `project`.', '/project');
  if (environment === undefined) return invalid('`changes` need an `environment`.', '/environment');
  const orders = ordersOf(caller, { project, environment }, changes ?? []);
  return { project, environment, orders, request: null };
}

function triedChanges({ changes = [], undo }: PreviewRequest, { request }: TriedOrders, { reviews }: Rehearsal) {
  if (request) {
    return request.changes.map(({ action, feature }) => ({
      action,
      feature,
      needsChangeRequest: false,
      reason: null,
      review: null,
    }));
  }
  const wanted: readonly { readonly action: string; readonly feature?: string | null }[] = undo
    ? [{ action: 'undo' }]
    : changes;
  return wanted.map(({ action, feature = null }, index): TriedChange => {
    const review = reviews[index];
    const reason = review?.message ?? null;
    const place = review?.details[0]?.review ?? null;
    return { action, feature, needsChangeRequest: review !== undefined, reason, review: place };
  });
}
