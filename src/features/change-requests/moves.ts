import Type, { type Static } from 'typebox';
import { may } from '../../access/may.ts';
import type { CallerInState } from '../../access/permission-problem.ts';
import { conflict, invalid, Rejection } from '../../base/rejection.ts';
import type { Steps } from '../../base/yield-control.ts';
import { type CommandContext, longCommand } from '../../engine/command.ts';
import {
  CHANGE_REQUEST_STATES,
  type ChangeRequest,
  changesVersion,
  changeVersion,
  isSameAuthor,
} from '../../model/change-request.ts';
import { DateTime, NameReference } from '../../model/primitives.ts';
import { applyRequest } from './applying.ts';
import { ChangeRequestId, CommentText } from './commands.ts';
import {
  approvalsNeeded,
  approvalsProblem,
  emitRequestEvent,
  findForEditor,
  findVisibleRequest,
  putClosed,
  reviewProblem,
  stateProblem,
  withComment,
} from './lookup.ts';
import { withSchedule } from './schedule.ts';

export const MoveFields = {
  state: Type.Enum([...CHANGE_REQUEST_STATES], { description: 'The new state' }),
  comment: Type.Optional(CommentText),
  scheduledAt: Type.Optional(DateTime),
  changesVersion: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 100,
      description:
        'The `changesVersion` of the change request that you have read. If the changes are different now, nothing happens (409). ' +
        'Without this field, the changes are not compared',
    }),
  ),
};

const MoveInput = Type.Object({ project: NameReference, id: ChangeRequestId, ...MoveFields });
type MoveInput = Static<typeof MoveInput>;

type Reviewing = CallerInState & Pick<CommandContext, 'by'>;
type Outcome = ChangeRequest | Rejection;
type Move = (context: CommandContext, request: ChangeRequest, input: MoveInput) => Outcome | Steps<Outcome>;

/** Moves a change request from one state to another: sends it to review, approves, rejects, cancels, schedules or applies it. */
export const moveChangeRequest = longCommand({
  name: 'move-change-request',
  input: MoveInput,
  isReviewed: true,
  *decide(context, input) {
    const storedRequest = findVisibleRequest(context, input.project, input.id);
    if (storedRequest instanceof Rejection) return storedRequest;
    const versionRejection = yield* versionProblem(storedRequest, input.changesVersion);
    if (versionRejection) return versionRejection;
    const request = withComment(context, storedRequest, input.comment);
    if (input.state === 'Applied') return yield* apply(context, request);
    return MOVES[input.state](context, request, input) as Outcome;
  },
});

/** A rejection if the caller stated the version of the changes that they have seen and the changes are different now. */
function* versionProblem(request: ChangeRequest, seenVersion: string | undefined): Steps<Rejection | undefined> {
  if (seenVersion === undefined) return undefined;
  for (const change of request.changes) {
    // The result is cached, one change in each step, for `changesVersion`.
    changeVersion(change);
    yield;
  }
  if (changesVersion(request) === seenVersion) return undefined;
  return conflict(
    `The changes of the change request ${request.id} are not those with the changesVersion that you sent: changes were added, ` +
      'edited or discarded since. Nothing was changed; read the change request again.',
  );
}

function sendToReview(context: CommandContext, request: ChangeRequest): Outcome {
  const editableRequest = findForEditor(context, request.project, request.id);
  const problem = editableRequest instanceof Rejection ? editableRequest : stateProblem(request, ['Draft']);
  if (problem) return problem;
  if (request.changes.length === 0) return invalid(`The change request ${request.id} has no changes to review.`);
  return putWithEvent(
    context,
    { ...request, state: 'In review', minApprovals: approvalsNeeded(context.draft, request) },
    'change-request-sent-to-review',
  );
}

/** Returns the request to its author as a draft. */
function withdraw(context: CommandContext, request: ChangeRequest): Outcome {
  const editableRequest = findForEditor(context, request.project, request.id);
  const problem =
    editableRequest instanceof Rejection ? editableRequest : stateProblem(request, ['In review', 'Approved']);
  if (problem) return problem;
  const draft: ChangeRequest = { ...request, state: 'Draft', approvals: [] };
  context.draft.put('changeRequests', draft);
  return draft;
}

/** A rejection if the caller may not approve the request, or has approved it already. */
export function approvalProblem(context: Reviewing, request: ChangeRequest): Rejection | undefined {
  const needsMoreApprovals = approvalsProblem(context.draft, request) !== undefined;
  const problem =
    reviewProblem(context, request, 'APPROVE_CHANGE_REQUEST') ??
    // The required number of approvals may have grown since the request was approved.
    stateProblem(request, needsMoreApprovals ? REVIEWABLE : ['In review']) ??
    ownRequestProblem(context, request, 'approve');
  if (problem) return problem;
  if (request.approvals.some((approval) => isSameAuthor(approval.by, context.by))) {
    return conflict(`You have approved the change request ${request.id} already.`);
  }
  return undefined;
}

function approve(context: CommandContext, request: ChangeRequest): Outcome {
  const { by, now } = context;
  const problem = approvalProblem(context, request);
  if (problem) return problem;
  const approvals = [...request.approvals, { by, at: now }];
  const minApprovals = Math.max(request.minApprovals, approvalsNeeded(context.draft, request));
  const isEnough = request.state === 'In review' && approvals.length >= minApprovals;
  const state = isEnough ? 'Approved' : request.state;
  const approved = putWithEvent(
    context,
    { ...request, approvals, minApprovals, state },
    'change-request-approval-added',
  );
  if (isEnough) emitRequestEvent(context, approved, 'change-request-approved');
  return approved;
}

function reject(context: CommandContext, request: ChangeRequest): Outcome {
  const { by, now } = context;
  const problem =
    reviewProblem(context, request, 'APPROVE_CHANGE_REQUEST') ??
    stateProblem(request, REVIEWABLE) ??
    ownRequestProblem(context, request, 'reject');
  if (problem) return problem;
  const rejections = [...request.rejections, { by, at: now }];
  const rejected = putClosed(context, { ...request, rejections }, 'Rejected');
  emitRequestEvent(context, rejected, 'change-request-rejected');
  return rejected;
}

/** The states in which other users than the author see the request and may approve or reject it. */
const REVIEWABLE = ['In review', 'Approved', 'Scheduled'] as const;

function cancel(context: CommandContext, request: ChangeRequest): Outcome {
  const { draft, caller } = context;
  const editableRequest = may(draft, caller, 'UPDATE_PROJECT', request.project, null)
    ? request
    : findForEditor(context, request.project, request.id);
  if (editableRequest instanceof Rejection) return editableRequest;
  if (request.state === 'Draft') return invalid(`The change request ${request.id} is a draft: discard it instead.`);
  const problem = stateProblem(request, REVIEWABLE);
  if (problem) return problem;
  const cancelled = putClosed(context, request, 'Cancelled');
  emitRequestEvent(context, cancelled, 'change-request-cancelled');
  return cancelled;
}

function schedule(context: CommandContext, request: ChangeRequest, { scheduledAt }: MoveInput): Outcome {
  const problem =
    reviewProblem(context, request, 'APPLY_CHANGE_REQUEST') ??
    stateProblem(request, ['Approved', 'Scheduled']) ??
    approvalsProblem(context.draft, request);
  if (problem) return problem;
  if (scheduledAt === undefined)
    return invalid('Send the time at which the change request will be applied.', '/scheduledAt');
  return withSchedule(context, request, scheduledAt);
}

function* apply(context: CommandContext, request: ChangeRequest): Steps<Outcome> {
  const problem =
    reviewProblem(context, request, 'APPLY_CHANGE_REQUEST') ?? stateProblem(request, ['Approved', 'Scheduled']);
  return problem ?? (yield* applyRequest(context, request));
}

const MOVES: Readonly<Record<Exclude<ChangeRequest['state'], 'Applied'>, Move>> = {
  Draft: withdraw,
  'In review': sendToReview,
  Approved: approve,
  Rejected: reject,
  Cancelled: cancel,
  Scheduled: schedule,
};

/** Four-eyes principle: authors of a request cannot approve or reject it. */
function ownRequestProblem(
  { by }: Reviewing,
  { id, createdBy, changes }: ChangeRequest,
  verb: string,
): Rejection | undefined {
  const isOwn = isSameAuthor(createdBy, by) || changes.some((change) => isSameAuthor(change.createdBy, by));
  return isOwn
    ? new Rejection('NoAccessError', `You cannot ${verb} the change request ${id}: it, or a part of it, is your own.`)
    : undefined;
}

function putWithEvent(
  context: CommandContext,
  request: ChangeRequest,
  type: Parameters<typeof emitRequestEvent>[2],
  data: object = {},
): ChangeRequest {
  context.draft.put('changeRequests', request);
  emitRequestEvent(context, request, type, data);
  return request;
}
