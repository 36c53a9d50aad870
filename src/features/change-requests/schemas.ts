import Type from 'typebox';
import { CHANGE_ACTIONS, CHANGE_REQUEST_STATES, SCHEDULE_STATUSES } from '../../model/change-request.ts';
import { DateTime, NameReference, Nullable } from '../../model/primitives.ts';
import { CommentText, RequestTitle } from './commands.ts';
import { CHANGE_REQUEST_LIMITS } from './limits.ts';
import { MoveFields } from './moves.ts';
import { Reviewers } from './reviewers.ts';
import { WantedChange } from './trying.ts';

const withDescription = <T extends object>(schema: T, description: string): T => ({ ...schema, description });

const Person = Type.Object({
  id: Type.Integer({ description: 'Id of the user; negative for an admin token' }),
  username: Nullable(Type.String({ description: 'Username or email; for an admin token its name' })),
  imageUrl: Nullable(Type.String({ format: 'uri', description: 'Address of a picture' })),
});

const Verdict = Type.Object({
  createdBy: withDescription(Person, 'The reviewer'),
  createdAt: withDescription(DateTime, 'When the reviewer approved or rejected the request'),
});

const Payload = Type.Unknown({ description: 'Details of the action: docs/use/change-requests.md' });

const Change = Type.Object({
  id: Type.Integer({ description: 'Id of the change' }),
  action: Type.Enum([...CHANGE_ACTIONS], { description: 'What the change does' }),
  conflict: Type.Optional(
    Type.String({ description: 'Why the change cannot be made, or how its target has changed since the request' }),
  ),
  payload: Payload,
  createdBy: withDescription(Person, 'The user or token that requested the change'),
  createdAt: withDescription(DateTime, 'When the change was requested'),
});

const ChangedFeature = Type.Object({
  name: Type.String({ description: 'Name of the flag' }),
  conflict: Type.Optional(Type.String({ description: 'Why the flag cannot be changed' })),
  changes: Type.Array(Change, { description: 'The changes, in the order in which they are made; empty in lists' }),
  defaultChange: Type.Optional(
    Type.Object(
      {
        action: Type.Enum([...CHANGE_ACTIONS], { description: 'What the change does' }),
        payload: Payload,
      },
      {
        description:
          'The strategy that is added when the request is applied, because a flag is switched on without an active strategy',
      },
    ),
  ),
});

const ChangedSegment = Type.Object({
  name: Type.String({ description: 'Name of the segment' }),
  conflict: Type.Optional(Type.String({ description: 'Why the segment cannot be changed' })),
  changes: Type.Array(Change, { description: 'The changes, in the order in which they are made; empty in lists' }),
});

const Schedule = Type.Object({
  scheduledAt: withDescription(
    DateTime,
    'When the request will be applied; if `failed`, when it was last tried; if `suspended`, the planned time',
  ),
  status: Type.Enum([...SCHEDULE_STATUSES], {
    description: 'Whether the schedule is pending, has failed, or was suspended',
  }),
  reason: Type.Optional(Type.String({ description: 'Why the schedule failed or was suspended' })),
  failureReason: Type.Optional(Nullable(Type.String({ description: 'Deprecated: the same as `reason`' }))),
});

/** Contract: Change request. */
export const ChangeRequestSchema = Type.Object(
  {
    id: Type.Integer({ description: 'Unique in the instance' }),
    title: Type.String({ description: 'Title' }),
    environment: Type.String({ description: 'Environment of the changes' }),
    minApprovals: Type.Integer({ description: 'Number of required approvals' }),
    project: Type.String({ description: 'Id of the project' }),
    features: Type.Array(ChangedFeature, { description: 'The flags that the request changes' }),
    segments: Type.Array(ChangedSegment, { description: 'The segments that the request changes' }),
    approvals: Type.Array(Verdict, { description: 'Approvals so far' }),
    rejections: Type.Array(Verdict, { description: 'Rejections' }),
    comments: Type.Array(
      Type.Object({
        id: Type.Integer({ description: 'Unique in the change request' }),
        text: Type.String({ description: 'Text of the comment' }),
        createdBy: withDescription(Person, 'Author of the comment'),
        createdAt: withDescription(DateTime, 'When the comment was written'),
      }),
      { description: 'Oldest first' },
    ),
    createdBy: withDescription(Person, 'Author of the request'),
    createdAt: withDescription(DateTime, 'When the request was created'),
    state: Type.Enum([...CHANGE_REQUEST_STATES], { description: 'State of the request' }),
    schedule: Type.Optional(
      withDescription(Schedule, 'When the request will be applied; only for a scheduled request'),
    ),
    closedAt: Type.Optional(
      withDescription(DateTime, 'When the request was applied, cancelled or rejected; left out while it is open'),
    ),
    changesVersion: Type.Optional(
      Type.String({
        description:
          'Version of the changes: another text after a change was added, edited or discarded. Left out in lists',
      }),
    ),
  },
  {
    $id: 'changeRequest',
    description: 'Changes that are made together, or not at all, after they were approved',
  },
);

export const ChangeRequestListSchema = Type.Array(ChangeRequestSchema);

export const ChangeRequestConfigSchema = Type.Array(
  Type.Object({
    environment: Type.String({ description: 'Name of the environment' }),
    type: Type.String({ description: 'Type of the environment' }),
    changeRequestEnabled: Type.Boolean({ description: 'Whether its changes must be reviewed' }),
    requiredApprovals: Nullable(
      Type.Integer({ description: 'Number of required approvals; null if changes need no review' }),
    ),
    safeguardsSkipReview: Type.Boolean({
      description: 'Whether safeguards switch flags off without a review. Otherwise they open change requests',
    }),
  }),
  { $id: 'changeRequestConfig' },
);

export const UpdateChangeRequestConfigBody = Type.Object(
  {
    changeRequestsEnabled: Type.Boolean({ description: 'Whether changes in the environment must be reviewed' }),
    requiredApprovals: Type.Optional(
      Type.Integer({
        description:
          'Number of required approvals, from 1 to 10; a number outside the range is replaced by the nearest bound',
      }),
    ),
    safeguardsSkipReview: Type.Optional(
      Type.Boolean({
        description:
          'Whether safeguards of flags switch them off without a review. Otherwise they open change requests, which is the default',
      }),
    ),
  },
  { $id: 'updateChangeRequestConfig' },
);

const NewChange = Type.Object(
  {
    ...WantedChange.properties,
    feature: Type.Optional(
      Nullable(withDescription(NameReference, 'The flag that is changed; left out if a segment is changed')),
    ),
  },
  { $id: 'newChange' },
);

export const NewChangesBody = Type.Union(
  [NewChange, Type.Array(NewChange, { minItems: 1, maxItems: CHANGE_REQUEST_LIMITS.changeRequestChanges.max })],
  { $id: 'newChanges', description: 'One change, or a list of changes: all of them are added, or none' },
);

export const EditChangeBody = Type.Omit(WantedChange, ['feature']);

export const TitleBody = Type.Object(
  { title: withDescription(RequestTitle, 'The new title') },
  { $id: 'changeRequestTitle' },
);

export const CommentBody = Type.Object(
  { text: withDescription(CommentText, 'Text of the comment') },
  { $id: 'changeRequestComment' },
);

export const MoveBody = Type.Object(
  {
    ...MoveFields,
    comment: Type.Optional(withDescription(CommentText, 'A comment that is added to the request')),
    scheduledAt: Type.Optional(withDescription(DateTime, 'When the request will be applied; required for `Scheduled`')),
  },
  { $id: 'changeRequestState' },
);

const reviewer = {
  id: Type.Integer({ description: 'Id of the user' }),
  name: Nullable(Type.String({ description: 'Name of the user' })),
  username: Nullable(Type.String({ description: 'Username of the user' })),
  email: Nullable(Type.String({ description: 'Email of the user' })),
  imageUrl: Nullable(Type.String({ format: 'uri', description: 'Address of a picture' })),
};

export const ReviewersSchema = Type.Object(
  { reviewers: Type.Array(Type.Object(reviewer), { description: 'People who may approve' }) },
  { $id: 'changeRequestAvailableReviewers' },
);

export const ApproversSchema = Type.Object(
  {
    reviewers: Type.Array(
      Type.Object({
        ...reviewer,
        status: Type.Enum(['approved', 'rejected', 'unknown'], { description: 'Verdict so far' }),
      }),
      { description: 'The users who were asked to review, in the order of the request that named them' },
    ),
  },
  { $id: 'changeRequestApprovers' },
);

export const ReviewersBody = Type.Object({ reviewers: Reviewers }, { $id: 'changeRequestReviewers' });

export const ScheduledSchema = Type.Array(
  Type.Object({
    id: Type.Integer({ description: 'Unique in the instance' }),
    title: Type.String({ description: 'Title' }),
    environment: Type.String({ description: 'Environment of the changes' }),
  }),
  { $id: 'changeRequestScheduledResult' },
);

export const ChangeRequestCountSchema = Type.Object(
  {
    total: Type.Integer({ description: 'All change requests, except drafts' }),
    approved: Type.Integer({ description: 'Approved, but not applied yet' }),
    applied: Type.Integer({ description: 'Applied' }),
    rejected: Type.Integer({ description: 'Rejected' }),
    reviewRequired: Type.Integer({ description: 'In review' }),
    scheduled: Type.Integer({ description: 'Scheduled' }),
  },
  { $id: 'changeRequestCount' },
);

export const ChangeRequestSearchSchema = Type.Object(
  {
    changeRequests: Type.Array(
      Type.Object({
        id: Type.Integer({ description: 'Unique in the instance' }),
        title: Type.String({ description: 'Title' }),
        environment: Type.String({ description: 'Environment of the changes' }),
        projectId: Type.String({ description: 'Id of the project' }),
        projectName: Type.String({ description: 'Name of the project' }),
        features: Type.Array(Type.String(), { description: 'Names of the flags that the request changes' }),
        segments: Type.Array(Type.String(), { description: 'Names of the segments that the request changes' }),
        createdBy: withDescription(Person, 'Author of the request'),
        createdAt: withDescription(DateTime, 'When the request was created'),
        state: Type.Enum([...CHANGE_REQUEST_STATES], { description: 'State of the request' }),
      }),
      { description: 'One page of change requests, newest first' },
    ),
    total: Type.Integer({ description: 'Number of change requests on all pages' }),
  },
  { $id: 'changeRequestSearch' },
);
