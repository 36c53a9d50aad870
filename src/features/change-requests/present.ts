import type { Steps } from '../../base/yield-control.ts';
import {
  type ChangeRequest,
  changesVersion,
  changeVersion,
  featuresOf,
  type RequestedChange,
  type Verdict,
} from '../../model/change-request.ts';
import type { Author } from '../../model/primitives.ts';
import type { User } from '../../model/user.ts';
import type { StateReader } from '../../state/collections.ts';
import { imageUrlOf } from '../people/users/present.ts';
import { payloadOf } from './actions.ts';
import { changeConflict, defaultChange, featureConflict } from './conflicts.ts';

/** The change request for an answer (contract: Change request). Compares each change with the current state, one change in each step. */
export function* presentChangeRequest(request: ChangeRequest, reader: StateReader) {
  const features = [];
  for (const name of featuresOf(request)) {
    const changes = yield* presentChanges(request, reader, ({ feature }) => feature === name);
    const defaultStrategy = defaultChange(reader, request, name);
    const conflict = featureConflict(reader, request, name);
    features.push({
      name,
      ...(conflict !== undefined && { conflict }),
      changes,
      ...(defaultStrategy && { defaultChange: defaultStrategy }),
    });
  }
  const segments = [];
  for (const [id, name] of segmentsOf(request)) {
    const changes = yield* presentChanges(request, reader, ({ segment }) => segment?.id === id);
    const conflict = changes.find((change) => change.conflict !== undefined)?.conflict;
    segments.push({ name, ...(conflict !== undefined && { conflict }), changes });
  }
  return { ...presentDetails(request, reader), changesVersion: changesVersion(request), features, segments };
}

/** The change request as lists show it: without its changes and comments. */
export function presentWithoutChanges(request: ChangeRequest, reader: StateReader) {
  const features = featuresOf(request).map((name) => ({ name, changes: [] }));
  const segments = [...segmentsOf(request).values()].map((name) => ({ name, changes: [] }));
  return { ...presentDetails({ ...request, comments: [] }, reader), features, segments };
}

/** The change request as the search over all projects shows it. */
export function presentSearchResult(request: ChangeRequest, reader: StateReader) {
  const { id, title, environment, project, createdAt, state } = request;
  return {
    id,
    title,
    environment,
    projectId: project,
    projectName: reader.get('projects', project)?.name ?? project,
    features: featuresOf(request),
    segments: [...segmentsOf(request).values()],
    createdBy: presentPerson(request.createdBy, reader),
    createdAt,
    state,
  };
}

function presentDetails(request: ChangeRequest, reader: StateReader) {
  const { id, title, environment, minApprovals, project, createdAt, state } = request;
  const verdict = ({ by, at }: Verdict) => ({ createdBy: presentPerson(by, reader), createdAt: at });
  return {
    id,
    title,
    environment,
    minApprovals,
    project,
    approvals: request.approvals.map(verdict),
    rejections: request.rejections.map(verdict),
    comments: request.comments.map(({ id: commentId, text, by, at }) => ({
      id: commentId,
      text,
      createdBy: presentPerson(by, reader),
      createdAt: at,
    })),
    createdBy: presentPerson(request.createdBy, reader),
    createdAt,
    state,
    ...(request.schedule && { schedule: presentSchedule(request.schedule) }),
    ...(request.closedAt !== null && { closedAt: request.closedAt }),
  };
}

function presentSchedule({ scheduledAt, status, reason }: NonNullable<ChangeRequest['schedule']>) {
  if (status === 'pending') return { scheduledAt, status };
  return { scheduledAt, status, reason: reason ?? '', ...(status === 'failed' && { failureReason: reason }) };
}

function* presentChanges(request: ChangeRequest, reader: StateReader, isWanted: (change: RequestedChange) => boolean) {
  const changes = [];
  for (const change of request.changes) {
    if (!isWanted(change)) continue;
    // The result is cached, one change in each step. `changesVersion` needs the versions of all changes later.
    changeVersion(change);
    const { id, action, createdBy, createdAt } = change;
    const conflict = changeConflict(reader, request, change);
    changes.push({
      id,
      action,
      ...(conflict !== undefined && { conflict }),
      payload: payloadOf(change),
      createdBy: presentPerson(createdBy, reader),
      createdAt,
    });
    yield;
  }
  return changes;
}

function segmentsOf({ changes }: ChangeRequest): ReadonlyMap<number, string> {
  const names = new Map<number, string>();
  for (const { segment } of changes) if (segment) names.set(segment.id, segment.name);
  return names;
}

/** A deleted user is shown with the name that is stored in the request. */
function presentPerson({ id, name }: Author, reader: StateReader) {
  const user = id > 0 ? reader.get('users', String(id)) : undefined;
  if (!user) return { id, username: name, imageUrl: imageUrlOf({ id, email: null, username: name }) };
  return { id, username: user.username ?? user.email, imageUrl: imageUrlOf(user) };
}

/** Yields the JSON of a list of change requests in pieces. */
export function* changeRequestsJson<T>(
  requests: Iterable<ChangeRequest>,
  present: (request: ChangeRequest) => Steps<T>,
): Generator<string> {
  let separator = '[';
  for (const request of requests) {
    const steps = present(request);
    let step = steps.next();
    // The empty piece lets the sender pause between two steps.
    for (; !step.done; step = steps.next()) yield '';
    yield separator + JSON.stringify(step.value);
    separator = ',';
  }
  yield separator === '[' ? '[]' : ']';
}

/** A user who can be asked to review. */
export function presentReviewer(user: User) {
  const { id, name, username, email } = user;
  return { id, name, username, email, imageUrl: imageUrlOf(user) };
}

/** The users who were asked to review, with their verdicts; deleted users are left out. */
export function presentApprovers({ reviewers = [], approvals, rejections }: ChangeRequest, reader: StateReader) {
  const includesUser = (verdicts: readonly Verdict[], id: number) => verdicts.some(({ by }) => by.id === id);
  return reviewers.flatMap((id) => {
    const user = reader.get('users', String(id));
    if (!user) return [];
    const status = includesUser(rejections, id) ? 'rejected' : includesUser(approvals, id) ? 'approved' : 'unknown';
    return [{ ...presentReviewer(user), status }];
  });
}
