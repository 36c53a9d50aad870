import { accessProblem } from '../../access/may.ts';
import { visibleProjects } from '../../access/visibility.ts';
import { invalid, Rejection } from '../../base/rejection.ts';
import type { Steps } from '../../base/yield-control.ts';
import type { Order } from '../../engine/decision.ts';
import type { Rehearsal } from '../../engine/rehearsal.ts';
import type { Caller } from '../../model/caller.ts';
import { type ChangeRequest, isOpen } from '../change-requests/change-request.ts';
import { findNamedRequest } from '../change-requests/lookup.ts';
import { orderOf, orderOfRequest } from '../change-requests/orders.ts';
import type { Services } from '../services.ts';
import { findProjectEnvironment } from '../shared/lookup.ts';
import { type AffectedFlags, affectedFlags } from './affected-flags.ts';
import { type Contexts, combinedContexts } from './contexts.ts';
import type { PreviewRequest } from './schemas.ts';

/** One change, and whether it needs a change request. */
interface TriedChange {
  readonly action: string;
  readonly feature: string | null;
  readonly needsChangeRequest: boolean;
  readonly reason: string | null;
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
export function* tryChanges(services: Services, caller: Caller, body: PreviewRequest): Steps<Trial | Rejection> {
  const { state, writer, config, clock, hashEncoding } = services;
  const tried = triedOrders(services, caller, body);
  if (tried instanceof Rejection) return tried;
  const rehearsal = yield* writer.rehearse(tried.orders);
  const refusal = firstRefusal(rehearsal) ?? placeProblem(services, caller, tried);
  if (refusal) return refusal;
  const visible = visibleProjects(state, caller);
  const { environment } = tried;
  const place = { environment, nowMs: clock.nowMs() };
  const reading = { reader: state, visible };
  const contexts = yield* combinedContexts(body.contexts, reading, config.limits.previewContexts, place);
  if (contexts instanceof Rejection) return contexts;
  const affected = yield* affectedFlags({
    ...{ before: state, after: rehearsal.after, environment, visible, bytes: hashEncoding },
    selected: body.features && new Set(body.features),
  });
  if (affected instanceof Rejection) return affected;
  return { revision: state.seq, changes: triedChanges(body, tried, rehearsal), affected, contexts };
}

interface TriedOrders {
  readonly project: string;
  readonly environment: string;
  readonly orders: readonly Order[];
  /** Null if the changes are not stored. */
  readonly request: ChangeRequest | null;
}

function triedOrders({ state }: Services, caller: Caller, body: PreviewRequest): TriedOrders | Rejection {
  const { project, environment, changes, changeRequest } = body;
  if ((changes === undefined) === (changeRequest === undefined)) {
    return invalid('A preview needs either `changes` or `changeRequest`.', '/changes');
  }
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
  const orders = (changes ?? []).map((change) => orderOf(caller, { project, environment }, change));
  return { project, environment, orders, request: null };
}

/** The rejection of the first refused change, with its position in the request. */
function firstRefusal({ outcomes }: Rehearsal): Rejection | undefined {
  for (const [index, outcome] of outcomes.entries()) {
    if (outcome.kind === 'failed') throw outcome.error;
    if (outcome.kind === 'rejected') return atChange(outcome.rejection, index);
  }
  return undefined;
}

function atChange({ name, message, details, retryAfterS }: Rejection, index: number): Rejection {
  const positioned = details.map((detail) => ({ ...detail, path: `/changes/${index}${detail.path ?? ''}` }));
  return new Rejection(name, message, positioned, retryAfterS);
}

/** Changes of segments name no project: the caller must see the project, and it must have the environment. */
function placeProblem({ state }: Services, caller: Caller, { project, environment }: TriedOrders) {
  const refusal = accessProblem(state, caller, { required: ['READ'], project, environment: null });
  if (refusal) return refusal;
  const found = findProjectEnvironment(state, project, environment);
  return found instanceof Rejection ? found : undefined;
}

function triedChanges({ changes = [] }: PreviewRequest, { request }: TriedOrders, { reviews }: Rehearsal) {
  if (request) {
    return request.changes.map(({ action, feature }) => ({ action, feature, needsChangeRequest: false, reason: null }));
  }
  return changes.map(({ action, feature = null }, index): TriedChange => {
    const review = reviews[index];
    return { action, feature, needsChangeRequest: review !== undefined, reason: review?.message ?? null };
  });
}
