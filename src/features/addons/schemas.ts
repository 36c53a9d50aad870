import Type, { type TSchema } from 'typebox';
import { EVENT_TYPES } from '../../model/event.ts';
import { DateTime, MapOf, Nullable } from '../../model/primitives.ts';
import { EventSchema } from '../events/schemas.ts';
import { ADDON_FIELDS, DELIVERY_STATES } from './addon.ts';
import { MASK } from './parameters.ts';

/** The schema with a description of the property that has it. */
function described<T extends TSchema>(schema: T, description: string): T {
  return { ...schema, description };
}

const EventTypes = Type.Array(Type.String({ enum: EVENT_TYPES }));

export const AddonBody = Type.Object(
  {
    provider: ADDON_FIELDS.provider,
    description: Type.Optional(ADDON_FIELDS.description),
    enabled: ADDON_FIELDS.enabled,
    parameters: MapOf(Type.Unknown(), {
      description: `Values of the provider’s parameters, by name. \`${MASK}\` keeps a stored secret`,
    }),
    events: ADDON_FIELDS.events,
    projects: Type.Optional(ADDON_FIELDS.projects),
    environments: Type.Optional(ADDON_FIELDS.environments),
  },
  { $id: 'addonCreateUpdateSchema' },
);

const Delivery = Type.Object(
  {
    state: Type.Enum(['delivering', 'failing', 'parked', 'off'], {
      description:
        '`failing`: the last attempt failed, and is repeated. `parked`: attempts failed for a day; a change of the integration continues them',
    }),
    delivered: Type.Integer({ minimum: 0, description: 'Number of events that were delivered' }),
    failingSince: described(
      Nullable(DateTime),
      'Time of the first failure since the last success; null if the last attempt did not fail',
    ),
    nextAttemptAt: described(Nullable(DateTime), 'When the failed attempt is repeated; null if no attempt waits'),
  },
  { $id: 'addonDelivery', description: 'How far the events were sent' },
);

export const AddonSchema = Type.Object(
  {
    id: Type.Integer({ minimum: 1 }),
    provider: Type.String({ description: 'Name of the provider' }),
    description: Nullable(Type.String()),
    enabled: Type.Boolean(),
    parameters: MapOf(Type.String(), { description: `Values of the parameters; secrets are \`${MASK}\`` }),
    events: Type.Array(Type.String()),
    projects: Type.Array(Type.String()),
    environments: Type.Array(Type.String()),
    createdAt: DateTime,
    delivery: Delivery,
  },
  { $id: 'addonSchema' },
);

const Parameter = Type.Object(
  {
    name: Type.String(),
    displayName: Type.String(),
    type: Type.Enum(['url', 'text', 'textfield']),
    description: Type.String(),
    placeholder: Type.Optional(Type.String({ description: 'An example of a value' })),
    required: Type.Boolean(),
    sensitive: Type.Boolean({ description: `Whether the value is a secret, which answers show as \`${MASK}\`` }),
  },
  { $id: 'addonParameterSchema' },
);

const TagType = Type.Object({ name: Type.String(), description: Type.String(), icon: Type.String() });

const Alert = Type.Object({
  type: Type.Enum(['success', 'info', 'warning', 'error']),
  text: Type.String({ description: 'A sentence for people' }),
});

const Installation = Type.Object(
  {
    url: Type.String({ description: 'Address of the page' }),
    title: Type.Optional(Type.String({ description: 'Title of the link' })),
    helpText: Type.Optional(Type.String({ description: 'What to do on the page' })),
  },
  { description: 'The page on which the destination is prepared' },
);

const Provider = Type.Object(
  {
    name: Type.String(),
    displayName: Type.String(),
    description: Type.String(),
    documentationUrl: Type.String({ description: 'Page with the documentation of the interface' }),
    howTo: Type.Optional(Type.String({ description: 'What to do at the destination' })),
    deprecated: Type.Optional(Type.String({ description: 'Why people should choose another provider' })),
    alerts: Type.Optional(Type.Array(Alert, { description: 'What people should know before they choose it' })),
    installation: Type.Optional(Installation),
    parameters: Type.Array(Parameter),
    events: EventTypes,
    tagTypes: Type.Array(TagType, { description: 'Types of tags that choose where the events of a flag are sent' }),
  },
  { $id: 'addonTypeSchema' },
);

export const AddonListSchema = Type.Object(
  {
    addons: Type.Array(AddonSchema, { description: 'The integrations, oldest first' }),
    providers: Type.Array(Provider, { description: 'The services to which integrations can send' }),
  },
  { $id: 'addonsSchema' },
);

export const AddonEventsSchema = Type.Object(
  {
    integrationEvents: Type.Array(
      Type.Object(
        {
          id: Type.String({ description: 'Number of the attempt; a newer attempt has a higher number' }),
          integrationId: Type.Integer({ description: 'Id of the integration' }),
          createdAt: DateTime,
          state: Type.Enum([...DELIVERY_STATES], {
            description: '`successWithErrors`: some channels refused the event, and it is not sent to them again',
          }),
          stateDetails: Type.String({ description: 'What happened' }),
          event: described(Nullable(EventSchema), 'The event; null if it was deleted from the audit log'),
          details: Type.Object(
            {
              eventId: Type.Integer({ description: 'Id of the event' }),
              status: Nullable(Type.Integer({ description: 'Status of the answer; null if there was none' })),
            },
            { description: 'More about the attempt' },
          ),
        },
        { $id: 'integrationEventSchema' },
      ),
      { description: 'The attempts, newest first' },
    ),
  },
  { $id: 'integrationEventsSchema' },
);
