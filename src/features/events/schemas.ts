import Type from 'typebox';
import { EVENT_TYPES } from '../../model/event.ts';
import { DateTime, Nullable } from '../../model/primitives.ts';
import { EVENT_FIELDS } from './present.ts';

export const Fields = Type.Optional(
  Type.Enum([...EVENT_FIELDS], {
    default: 'all',
    description:
      '`summary`: events without `data`, `preData`, `tags`, `ip`, `groupType`, `groupId` and `neverUndone`. Such a page is small and cheap, whatever the events contain',
  }),
);

/** Contract: Event (eventsSchema item). */
export const EventSchema = Type.Object(
  {
    id: Type.Integer({ minimum: 1, description: 'Increases from event to event' }),
    createdAt: DateTime,
    type: Type.Enum(EVENT_TYPES),
    createdBy: Type.String(),
    createdByUserId: Nullable(Type.Number()),
    environment: Nullable(Type.String()),
    project: Nullable(Type.String()),
    featureName: Nullable(Type.String()),
    data: Type.Optional(
      Type.Unknown({
        description: 'The changed object after the event; null if it was deleted. Missing only with `fields=summary`',
      }),
    ),
    preData: Type.Optional(
      Type.Unknown({
        description:
          'The changed object before the event; null if it did not exist. Missing only with `fields=summary`',
      }),
    ),
    tags: Type.Optional(Type.Array(Type.Object({ type: Type.String(), value: Type.String() }))),
    ip: Type.Optional(
      Nullable(
        Type.String({
          description: 'Address from which the request came; null if the service itself caused the event',
        }),
      ),
    ),
    revision: Type.Optional(
      Nullable(
        Type.Integer({
          minimum: 1,
          description: 'Revision whose commit contains the event; null for events of older versions',
        }),
      ),
    ),
    reason: Type.Optional(
      Nullable(
        Type.String({
          description:
            'Why the change was made, from the header `burgee-reason` of its request; null if the request had none',
        }),
      ),
    ),
    groupType: Type.Optional(
      Nullable(
        Type.String({
          description:
            '`request`: the events of one request, or of one action of the service itself, are a group; null if `revision` is null',
        }),
      ),
    ),
    groupId: Type.Optional(
      Nullable(Type.String({ description: 'Same for all events of a group: the revision, as text' })),
    ),
    neverUndone: Type.Optional(
      Nullable(
        Type.String({
          description:
            'Why an undo of the revision does not restore what this event changed; null if it does (docs/use/history.md). Missing with `fields=summary`',
        }),
      ),
    ),
    label: Type.Optional(Nullable(Type.String({ description: 'Name of the event type, for people' }))),
    summary: Type.Optional(Nullable(Type.String({ description: 'What happened, in a sentence of Markdown' }))),
    undoneRevision: Type.Optional(
      Type.Integer({ minimum: 1, description: 'Only for `feature-change-undone`: the revision that was undone' }),
    ),
  },
  { $id: 'event' },
);

export const EventListSchema = Type.Object(
  {
    version: Type.Literal(1),
    events: Type.Array(EventSchema),
    totalEvents: Type.Integer({ description: 'Number of events on all pages' }),
    firstEventId: Type.Integer({
      minimum: 1,
      description:
        'Id of the oldest stored event: older events were deleted (`EVENTS_KEEP_…`). If no event is stored, the id of the next event',
    }),
  },
  { $id: 'events' },
);
