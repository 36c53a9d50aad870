import { randomBytes } from 'node:crypto';
import Type, { type Static } from 'typebox';
import { Rejection } from '../../../base/rejection.ts';
import { created, listAnswer, ok } from '../../../http/answer.ts';
import { secretOf } from '../../../http/authentication.ts';
import { createdResponses } from '../../../http/endpoint.ts';
import { systemCaller } from '../../../model/caller.ts';
import { NameReference } from '../../../model/primitives.ts';
import { hashedSecret, sameHash, TOKEN_LENGTH_MAX } from '../../../model/token-secret.ts';
import { routesOf } from '../../endpoint.ts';
import { change } from '../../shared/change.ts';
import { executionsBySignal } from '../actions/executions.ts';
import { ENDPOINT_OFF, receiveSignal, UNKNOWN_SENDER } from '../actions/receive.ts';
import { SIGNAL_LIMITS } from '../limits.ts';
import {
  createSignalEndpoint,
  createSignalToken,
  deleteSignalEndpoint,
  deleteSignalToken,
  findSignalEndpoint,
  signalEndpointNamed,
  switchSignalEndpoint,
  updateSignalEndpoint,
  updateSignalToken,
} from './commands.ts';
import { presentSignal, presentSignalEndpoint, presentSignalToken } from './present.ts';
import {
  AcceptedSignalSchema,
  CreatedSignalTokenSchema,
  SignalBody,
  SignalEndpointBody,
  SignalEndpointSchema,
  SignalEndpointsSchema,
  SignalsSchema,
  SignalTokenBody,
  SignalTokenSchema,
} from './schemas.ts';

const route = routesOf('Signals');

const PATH = '/api/admin/signal-endpoints';
const Id = Type.Integer({ minimum: 1 });
const params = { id: Id };
const tokenParams = { id: Id, tokenId: Id };
const ADMIN = { permission: 'ADMIN' } as const;

/** 224 random bits: the secret cannot be guessed. */
const RANDOM_BYTES = 28;

const getEndpoints = route(`GET ${PATH}`, 'getSignalEndpoints', {
  access: { permission: 'READ' },
  summary: 'The signal endpoints, which take signals from monitors',
  responses: { 200: { description: 'The endpoints', schema: SignalEndpointsSchema } },
  handle(_request, { state }) {
    const endpoints = [...state.values('signalEndpoints')].sort((left, right) => left.id - right.id);
    return listAnswer({}, 'signalEndpoints', endpoints, presentSignalEndpoint);
  },
});

const getEndpoint = route(`GET ${PATH}/:id`, 'getSignalEndpoint', {
  access: { permission: 'READ' },
  summary: 'A signal endpoint',
  params,
  responses: { 200: { description: 'The endpoint', schema: SignalEndpointSchema } },
  handle({ params: { id } }, { state }) {
    const endpoint = findSignalEndpoint(state, id);
    return endpoint instanceof Rejection ? endpoint : ok(presentSignalEndpoint(endpoint));
  },
});

function inputOf({ name, description = null, enabled = true }: Static<typeof SignalEndpointBody>) {
  return { name, description, enabled };
}

const create = route(`POST ${PATH}`, 'createSignalEndpoint', {
  access: ADMIN,
  summary: 'Creates a signal endpoint; create a token of it next',
  body: SignalEndpointBody,
  responses: createdResponses('The endpoint', SignalEndpointSchema),
  errors: [409],
  handle: ({ body, caller }, services) =>
    change(services, caller, createSignalEndpoint, inputOf(body), (endpoint) =>
      created(presentSignalEndpoint(endpoint), `${services.config.basePath}${PATH}/${endpoint.id}`),
    ),
});

const update = route(`PUT ${PATH}/:id`, 'updateSignalEndpoint', {
  access: ADMIN,
  summary: 'Changes the name, the description and the position of a signal endpoint; its tokens stay',
  params,
  body: SignalEndpointBody,
  responses: { 200: { description: 'The endpoint as it is now', schema: SignalEndpointSchema } },
  errors: [409],
  handle: ({ params: { id }, body, caller }, services) =>
    change(services, caller, updateSignalEndpoint, { id, ...inputOf(body) }, (endpoint) =>
      ok(presentSignalEndpoint(endpoint)),
    ),
});

const switchTo = (position: 'on' | 'off') =>
  route(`POST ${PATH}/:id/${position}`, `toggleSignalEndpoint${position === 'on' ? 'On' : 'Off'}`, {
    access: ADMIN,
    summary: `Switches a signal endpoint ${position}${position === 'off' ? ': its signals are refused' : ''}`,
    params,
    responses: { 200: { description: 'The endpoint as it is now', schema: SignalEndpointSchema } },
    handle: ({ params: { id }, caller }, services) =>
      change(services, caller, switchSignalEndpoint, { id, enabled: position === 'on' }, (endpoint) =>
        ok(presentSignalEndpoint(endpoint)),
      ),
  });

const remove = route(`DELETE ${PATH}/:id`, 'deleteSignalEndpoint', {
  access: ADMIN,
  summary: 'Deletes a signal endpoint with its tokens and signals; refused while an action set uses it',
  params,
  responses: { 200: { description: 'The endpoint was deleted' } },
  errors: [409],
  handle: ({ params: { id }, caller }, services) => change(services, caller, deleteSignalEndpoint, { id }),
});

const getSignals = route(`GET ${PATH}/:id/signals`, 'getSignalEndpointSignals', {
  access: ADMIN,
  summary: 'The newest signals of an endpoint with the executions that they started, newest first',
  description: `The last ${SIGNAL_LIMITS.signalsKept.max} signals are kept.`,
  params,
  responses: { 200: { description: 'The signals', schema: SignalsSchema } },
  handle({ params: { id } }, { state }) {
    const endpoint = findSignalEndpoint(state, id);
    if (endpoint instanceof Rejection) return endpoint;
    const signals = [...state.lookup('signalsByEndpoint', String(id))].sort((left, right) => right.id - left.id);
    const executions = executionsBySignal(state, id);
    return listAnswer({}, 'signalEndpointSignals', signals, (signal) =>
      presentSignal(signal, executions.get(signal.id) ?? []),
    );
  },
});

const createToken = route(`POST ${PATH}/:id/tokens`, 'createSignalEndpointToken', {
  access: ADMIN,
  summary: 'Creates a token with which a monitor sends signals to the endpoint',
  hasSecrets: true,
  params,
  body: SignalTokenBody,
  responses: createdResponses('The token with its secret', CreatedSignalTokenSchema, 'Path at which it can be deleted'),
  errors: [409],
  handle({ params: { id }, body: { name }, caller }, services) {
    const token = `signal:${randomBytes(RANDOM_BYTES).toString('hex')}`;
    const input = { endpointId: id, name, secret: hashedSecret(token) };
    return change(services, caller, createSignalToken, input, (stored) =>
      created({ ...presentSignalToken(stored), token }, `${services.config.basePath}${PATH}/${id}/tokens/${stored.id}`),
    );
  },
});

const updateToken = route(`PUT ${PATH}/:id/tokens/:tokenId`, 'updateSignalEndpointToken', {
  access: ADMIN,
  summary: 'Changes the name of a token',
  params: tokenParams,
  body: SignalTokenBody,
  responses: { 200: { description: 'The token as it is now', schema: SignalTokenSchema } },
  errors: [409],
  handle: ({ params: { id: endpointId, tokenId }, body: { name }, caller }, services) =>
    change(services, caller, updateSignalToken, { endpointId, tokenId, name }, (token) =>
      ok(presentSignalToken(token)),
    ),
});

const removeToken = route(`DELETE ${PATH}/:id/tokens/:tokenId`, 'deleteSignalEndpointToken', {
  access: ADMIN,
  summary: 'Deletes a token: signals with it are refused from now on',
  params: tokenParams,
  responses: { 200: { description: 'The token was deleted' } },
  handle: ({ params: { id: endpointId, tokenId }, caller }, services) =>
    change(services, caller, deleteSignalToken, { endpointId, tokenId }),
});

const TOO_LARGE = new Rejection(
  'PayloadTooLargeError',
  `A signal may have at most ${SIGNAL_LIMITS.signalBytes.max} bytes, as JSON without spaces.`,
);

const receive = route('POST /api/signal-endpoint/:name', 'sendSignal', {
  access: { permission: 'NONE' },
  summary: 'Takes a signal from a monitor',
  description:
    'Needs a token of the endpoint: `Authorization: Bearer <token>`. The answer is sent when the signal is stored with the executions of all action ' +
    'sets whose filters it passes. The actions follow directly after it, also if the process is killed meanwhile.',
  params: { name: NameReference },
  body: SignalBody,
  responses: { 202: { description: 'The signal is stored', schema: AcceptedSignalSchema } },
  errors: [401, 403, 413, 429],
  neverMissing: true,
  async handle({ params: { name }, body, header }, services) {
    const endpoint = signalEndpointNamed(services.state, name);
    const secret = secretOf(header('authorization') ?? '');
    if (secret === '' || secret.length > TOKEN_LENGTH_MAX) return UNKNOWN_SENDER;
    const hash = hashedSecret(secret);
    const token = endpoint?.tokens.find((candidate) => sameHash(candidate.secret, hash));
    if (!endpoint || !token) return UNKNOWN_SENDER;
    if (!endpoint.enabled) return ENDPOINT_OFF;
    const payload = JSON.stringify(body);
    if (Buffer.byteLength(payload) > SIGNAL_LIMITS.signalBytes.max) return TOO_LARGE;
    const input = { endpointId: endpoint.id, tokenId: token.id, payload };
    return change(services, systemCaller(), receiveSignal, input, ({ id }) => ({ status: 202, body: { id } }));
  },
});

export const signalEndpointEndpoints = [
  getEndpoints,
  getEndpoint,
  create,
  update,
  switchTo('on'),
  switchTo('off'),
  remove,
  getSignals,
  createToken,
  updateToken,
  removeToken,
  receive,
];
