import Type from 'typebox';
import { eventTypes } from '../../model/event.ts';
import { DateTime, Nullable } from '../../model/primitives.ts';

/** Contract: Event (eventsSchema item). */
export const EventSchema = Type.Object(
  {
    id: Type.Integer({ minimum: 1, description: 'Increases from event to event' }),
    createdAt: DateTime,
    type: Type.Enum([...eventTypes()]),
    createdBy: Type.String(),
    createdByUserId: Nullable(Type.Number()),
    environment: Nullable(Type.String()),
    project: Nullable(Type.String()),
    featureName: Nullable(Type.String()),
    data: Type.Unknown({ description: 'State after the event; null when nothing is left' }),
    preData: Type.Unknown({ description: 'State before the event; null when there was nothing' }),
    tags: Nullable(Type.Array(Type.Object({ type: Type.String(), value: Type.String() }))),
    ip: Type.Optional(
      Nullable(
        Type.String({ description: 'Address the request came from; null when the service itself caused the event' }),
      ),
    ),
    groupType: Type.Optional(Type.Null({ description: 'Always null: events are not grouped' })),
    groupId: Type.Optional(Type.Null()),
    label: Type.Optional(Nullable(Type.String({ description: 'What the event is called' }))),
    summary: Type.Optional(Nullable(Type.String({ description: 'What happened, in a sentence of Markdown' }))),
  },
  { $id: 'event' },
);

export const EventListSchema = Type.Object(
  {
    version: Type.Literal(1),
    events: Type.Array(EventSchema),
    totalEvents: Type.Integer({ description: 'How many events there are on all pages' }),
    firstEventId: Type.Integer({
      minimum: 1,
      description:
        'Id of the oldest event that is kept: those before it were dropped (`EVENTS_KEEP_…`). The id of the next event when none is kept',
    }),
  },
  { $id: 'events' },
);
