import Type from 'typebox';
import { MapOf, Nullable } from '../../../model/primitives.ts';
import { answeredFields, writtenFields } from '../../shared/entity-fields.ts';
import { ActionRun } from '../actions/action-set.ts';
import { SIGNAL_LIMITS } from '../limits.ts';
import { ENDPOINT_FIELDS, Signal, SignalEndpoint, SignalToken } from './signal-endpoint.ts';

export const SignalEndpointBody = Type.Object(
  {
    name: ENDPOINT_FIELDS.name,
    description: Type.Optional(ENDPOINT_FIELDS.description),
    enabled: Type.Optional(Type.Boolean({ default: true, description: 'Whether signals are accepted' })),
  },
  { $id: 'signalEndpointCreateUpdateSchema' },
);

export const SignalTokenBody = Type.Object(writtenFields(SignalToken, 'name'), { $id: 'signalEndpointTokenBody' });

const tokenFields = answeredFields(SignalToken, 'id', 'name', 'createdAt', 'createdByUserId');

export const SignalTokenSchema = Type.Object(tokenFields, { $id: 'signalEndpointTokenSchema' });

export const CreatedSignalTokenSchema = Type.Object(
  {
    ...tokenFields,
    token: Type.String({
      description: 'The secret, which is returned only once: send it as `Authorization: Bearer …`',
    }),
  },
  { $id: 'createdSignalEndpointTokenSchema' },
);

export const SignalEndpointSchema = Type.Object(
  {
    ...answeredFields(SignalEndpoint, 'id', 'name', 'description', 'enabled', 'createdAt', 'createdByUserId'),
    tokens: Type.Array(SignalTokenSchema, { description: 'The tokens, without their secrets' }),
  },
  { $id: 'signalEndpointSchema' },
);

export const SignalEndpointsSchema = Type.Object(
  { signalEndpoints: Type.Array(SignalEndpointSchema, { description: 'The endpoints, oldest first' }) },
  { $id: 'signalEndpointsSchema' },
);

const SignalExecutionSchema = Type.Object(
  {
    ...answeredFields(ActionRun, 'id', 'actionSetId', 'project', 'state'),
    actionSetName: Type.String({ description: 'Name of the action set' }),
  },
  { $id: 'signalExecutionSchema' },
);

const SignalSchema = Type.Object(
  {
    ...answeredFields(Signal, 'id', 'createdAt', 'bytes'),
    source: Type.Enum(['signal-endpoint']),
    sourceId: Type.Integer({ description: 'Id of the endpoint' }),
    createdByTokenId: Type.Integer({ description: 'Id of the token with which it was sent' }),
    payload: Nullable(
      MapOf(Type.Unknown(), {
        description: `The content; null if it has more than ${SIGNAL_LIMITS.signalBytesKept.max} bytes`,
      }),
    ),
    executions: Type.Array(SignalExecutionSchema, {
      description:
        'What it started or would have started, oldest first, as far as the action sets of the endpoint still list it',
    }),
  },
  { $id: 'signalEndpointSignalSchema' },
);

export const SignalsSchema = Type.Object(
  { signalEndpointSignals: Type.Array(SignalSchema, { description: 'The signals, newest first' }) },
  { $id: 'signalEndpointSignalsSchema' },
);

/** Whatever a monitor sends. */
export const SignalBody = MapOf(Type.Unknown(), { description: 'The signal: any JSON object' });

export const AcceptedSignalSchema = Type.Object(
  { id: Type.Integer({ description: 'Id of the signal' }) },
  { $id: 'acceptedSignal' },
);
