import Type from 'typebox';
import { DateTime, NameReference, Nullable } from '../../model/primitives.ts';
import { CHANGE_ACTIONS, CHANGE_REQUEST_STATES, SCHEDULE_STATUSES } from './change-request.ts';
import { CommentText, RequestTitle, WantedChange } from './commands.ts';
import { CHANGE_REQUEST_LIMITS } from './limits.ts';
import { Reviewers } from './reviewers.ts';
import { MoveFields } from './state.ts';

const described = <T extends object>(schema: T, description: string): T => ({ ...schema, description });

const Person = Type.Object({
  id: Type.Integer({ description: 'Id of the user; below 0: an admin token' }),
  username: Nullable(Type.String({ description: 'Username or email; of an admin token its name' })),
  imageUrl: Nullable(Type.String({ format: 'uri', description: 'Where a picture is' })),
});

const Verdict = Type.Object({
  createdBy: described(Person, 'Who it was'),
  createdAt: described(DateTime, 'When'),
});

const Payload = Type.Unknown({ description: 'What the action needs to know: docs/change-requests.md' });

const Change = Type.Object({
  id: Type.Integer({ description: 'Of the change' }),
  action: Type.Enum([...CHANGE_ACTIONS], { description: 'What it does' }),
  conflict: Type.Optional(
    Type.String({ description: 'What keeps it from being made, or has happened since it was asked for' }),
  ),
  payload: Payload,
  createdBy: described(Person, 'Who asked for it'),
  createdAt: described(DateTime, 'When'),
});

const ChangedFeature = Type.Object({
  name: Type.String({ description: 'Of the flag' }),
  conflict: Type.Optional(Type.String({ description: 'Why nothing of the flag can be changed' })),
  changes: Type.Array(Change, { description: 'In the order in which they are made; none in listings' }),
  defaultChange: Type.Optional(
    Type.Object(
      {
        action: Type.Enum([...CHANGE_ACTIONS], { description: 'What it does' }),
        payload: Payload,
      },
      {
        description:
          'What applying the request adds by itself: a flag that is switched on without an active strategy gets one',
      },
    ),
  ),
});

const ChangedSegment = Type.Object({
  name: Type.String({ description: 'Of the segment' }),
  conflict: Type.Optional(Type.String({ description: 'Why nothing of the segment can be changed' })),
  changes: Type.Array(Change, { description: 'In the order in which they are made; none in listings' }),
});

const Schedule = Type.Object({
  scheduledAt: described(DateTime, 'When it is to be applied, was to be, or was tried last'),
  status: Type.Enum([...SCHEDULE_STATUSES], { description: 'Whether it waits for its time, failed, or was suspended' }),
  reason: Type.Optional(Type.String({ description: 'Why it failed or was suspended' })),
  failureReason: Type.Optional(Nullable(Type.String({ description: 'Deprecated: as `reason`' }))),
});

/** Contract: Change request. */
export const ChangeRequestSchema = Type.Object(
  {
    id: Type.Integer({ description: 'Unique in the instance' }),
    title: Type.String({ description: 'For people' }),
    environment: Type.String({ description: 'Where its changes are made' }),
    minApprovals: Type.Integer({ description: 'How many people have to approve it' }),
    project: Type.String({ description: 'Id of the project' }),
    features: Type.Array(ChangedFeature, { description: 'The flags that it changes' }),
    segments: Type.Array(ChangedSegment, { description: 'The segments that it changes' }),
    approvals: Type.Array(Verdict, { description: 'Who has approved it' }),
    rejections: Type.Array(Verdict, { description: 'Who has rejected it' }),
    comments: Type.Array(
      Type.Object({
        id: Type.Integer({ description: 'Unique in the change request' }),
        text: Type.String({ description: 'What was said' }),
        createdBy: described(Person, 'By whom'),
        createdAt: described(DateTime, 'When'),
      }),
      { description: 'Oldest first' },
    ),
    createdBy: described(Person, 'Whose it is'),
    createdAt: described(DateTime, 'When it was begun'),
    state: Type.Enum([...CHANGE_REQUEST_STATES], { description: 'How far it has come' }),
    schedule: Type.Optional(described(Schedule, 'Of a request that is scheduled')),
    changesVersion: Type.Optional(
      Type.String({
        description:
          'Names its changes as they are: another text as soon as one is added, edited or discarded. None in listings',
      }),
    ),
  },
  {
    $id: 'changeRequest',
    description: 'Changes that are made together, or not at all, once people have approved them',
  },
);

export const ChangeRequestListSchema = Type.Array(ChangeRequestSchema);

export const ChangeRequestConfigSchema = Type.Array(
  Type.Object({
    environment: Type.String({ description: 'One of the project’s' }),
    type: Type.String({ description: 'Of the environment' }),
    changeRequestEnabled: Type.Boolean({ description: 'Whether its changes have to be reviewed' }),
    requiredApprovals: Nullable(Type.Integer({ description: 'By how many people; null when they need not be' })),
  }),
  { $id: 'changeRequestConfig' },
);

export const UpdateChangeRequestConfigBody = Type.Object(
  {
    changeRequestsEnabled: Type.Boolean({ description: 'Whether changes there have to be reviewed' }),
    requiredApprovals: Type.Optional(
      Type.Integer({
        description: 'By how many people: from 1 to 10, and what is beyond that is taken as 1, or as 10',
      }),
    ),
  },
  { $id: 'updateChangeRequestConfig' },
);

const NewChange = Type.Object(
  {
    ...WantedChange.properties,
    feature: Type.Optional(Nullable(described(NameReference, 'The flag that is changed; left out where a segment is'))),
  },
  { $id: 'newChange' },
);

export const NewChangesBody = Type.Union(
  [NewChange, Type.Array(NewChange, { minItems: 1, maxItems: CHANGE_REQUEST_LIMITS.changeRequestChanges.max })],
  { $id: 'newChanges', description: 'One change, or several at once: all of them are added, or none' },
);

export const EditChangeBody = Type.Omit(WantedChange, ['feature']);

export const TitleBody = Type.Object({ title: described(RequestTitle, 'For people') }, { $id: 'changeRequestTitle' });

export const CommentBody = Type.Object(
  { text: described(CommentText, 'What is to be said') },
  { $id: 'changeRequestComment' },
);

export const MoveBody = Type.Object(
  {
    ...MoveFields,
    comment: Type.Optional(described(CommentText, 'Added to its comments')),
    scheduledAt: Type.Optional(described(DateTime, 'When it is to be applied: needed for `Scheduled`')),
  },
  { $id: 'changeRequestState' },
);

const reviewer = {
  id: Type.Integer({ description: 'Id of the user' }),
  name: Nullable(Type.String({ description: 'Name of the user' })),
  username: Nullable(Type.String({ description: 'Username of the user' })),
  email: Nullable(Type.String({ description: 'Email of the user' })),
  imageUrl: Nullable(Type.String({ format: 'uri', description: 'Where a picture is' })),
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
        status: Type.Enum(['approved', 'rejected', 'unknown'], { description: 'What they said so far' }),
      }),
      { description: 'Those who were asked, in the order in which they were named' },
    ),
  },
  { $id: 'changeRequestApprovers' },
);

export const ReviewersBody = Type.Object({ reviewers: Reviewers }, { $id: 'changeRequestReviewers' });

export const ScheduledSchema = Type.Array(
  Type.Object({
    id: Type.Integer({ description: 'Unique in the instance' }),
    title: Type.String({ description: 'For people' }),
    environment: Type.String({ description: 'Where its changes will be made' }),
  }),
  { $id: 'changeRequestScheduledResult' },
);

export const ChangeRequestCountSchema = Type.Object(
  {
    total: Type.Integer({ description: 'All but drafts' }),
    approved: Type.Integer({ description: 'Approved, and not applied yet' }),
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
        title: Type.String({ description: 'For people' }),
        environment: Type.String({ description: 'Where its changes are made' }),
        projectId: Type.String({ description: 'Id of the project' }),
        projectName: Type.String({ description: 'Name of the project' }),
        features: Type.Array(Type.String(), { description: 'Names of the flags that it changes' }),
        segments: Type.Array(Type.String(), { description: 'Names of the segments that it changes' }),
        createdBy: described(Person, 'Whose it is'),
        createdAt: described(DateTime, 'When it was begun'),
        state: Type.Enum([...CHANGE_REQUEST_STATES], { description: 'How far it has come' }),
      }),
      { description: 'A page of them, newest first' },
    ),
    total: Type.Integer({ description: 'How many there are on all pages' }),
  },
  { $id: 'changeRequestSearch' },
);
