import Type from 'typebox';
import { conflict, notFound, Rejection } from '../../../base/rejection.ts';
import { type CommandContext, command } from '../../../engine/command.ts';
import type { StateReader } from '../../../state/collections.ts';
import { writtenFields } from '../../shared/entity-fields.ts';
import { limitRejection } from '../../shared/limit-checks.ts';
import { ENDPOINT_FIELDS, SignalEndpoint, SignalToken } from './signal-endpoint.ts';

const EndpointId = SignalEndpoint.properties.id;
const TokenId = SignalToken.properties.id;

export function findSignalEndpoint(reader: StateReader, id: number): SignalEndpoint | Rejection {
  return reader.get('signalEndpoints', String(id)) ?? notFound(`There is no signal endpoint with the id ${id}.`);
}

export function signalEndpointNamed(reader: StateReader, name: string): SignalEndpoint | undefined {
  for (const endpoint of reader.lookup('signalEndpointsByName', name)) return endpoint;
  return undefined;
}

export const createSignalEndpoint = command({
  name: 'create-signal-endpoint',
  input: Type.Object(ENDPOINT_FIELDS),
  decide({ draft, now, by, emit }, { name, description, enabled }) {
    if (signalEndpointNamed(draft, name)) return nameTaken(name);
    const endpoint: SignalEndpoint = {
      id: draft.next('signalEndpoints'),
      name,
      description,
      enabled,
      tokens: [],
      createdAt: now,
      createdByUserId: by.id,
    };
    draft.put('signalEndpoints', endpoint);
    emit({ type: 'signal-endpoint-created', data: audited(endpoint) });
    return endpoint;
  },
});

export const updateSignalEndpoint = command({
  name: 'update-signal-endpoint',
  input: Type.Object({ id: EndpointId, ...ENDPOINT_FIELDS }),
  decide(context, { id, name, description, enabled }) {
    const before = findSignalEndpoint(context.draft, id);
    if (before instanceof Rejection) return before;
    if (name !== before.name && signalEndpointNamed(context.draft, name)) return nameTaken(name);
    return replace(context, before, { ...before, name, description, enabled });
  },
});

export const switchSignalEndpoint = command({
  name: 'switch-signal-endpoint',
  input: Type.Object({ id: EndpointId, enabled: Type.Boolean() }),
  decide(context, { id, enabled }) {
    const before = findSignalEndpoint(context.draft, id);
    return before instanceof Rejection ? before : replace(context, before, { ...before, enabled });
  },
});

/** Deletes an endpoint with its tokens and its signals. Executions that wait are still made. */
export const deleteSignalEndpoint = command({
  name: 'delete-signal-endpoint',
  input: Type.Object({ id: EndpointId }),
  decide({ draft, emit }, { id }) {
    const endpoint = findSignalEndpoint(draft, id);
    if (endpoint instanceof Rejection) return endpoint;
    const users = draft.count('actionSetsByEndpoint', String(id));
    if (users > 0)
      return conflict(`The signal endpoint ${endpoint.name} is the source of ${users} action sets. Change them first.`);
    for (const signal of [...draft.lookup('signalsByEndpoint', String(id))]) draft.remove('signals', String(signal.id));
    draft.remove('signalEndpoints', String(id));
    emit({ type: 'signal-endpoint-deleted', preData: audited(endpoint) });
    return undefined;
  },
});

export const createSignalToken = command({
  name: 'create-signal-token',
  input: Type.Object({ endpointId: EndpointId, ...writtenFields(SignalToken, 'name', 'secret') }),
  decide({ draft, now, by, emit, limits }, { endpointId, name, secret }) {
    const endpoint = findSignalEndpoint(draft, endpointId);
    if (endpoint instanceof Rejection) return endpoint;
    if (endpoint.tokens.some((token) => token.name === name)) return tokenNameTaken(name);
    const count = endpoint.tokens.length + 1;
    if (count > limits.signalTokensPerEndpoint)
      return limitRejection(`The signal endpoint ${endpoint.name}`, 'signalTokensPerEndpoint', count, limits);
    const token: SignalToken = {
      id: draft.next('signalTokens'),
      name,
      secret,
      createdAt: now,
      createdByUserId: by.id,
    };
    draft.put('signalEndpoints', { ...endpoint, tokens: [...endpoint.tokens, token] });
    emit({ type: 'signal-endpoint-token-created', data: auditedToken(endpoint, token) });
    return token;
  },
});

const TokenReference = { endpointId: EndpointId, tokenId: TokenId };

export const updateSignalToken = command({
  name: 'update-signal-token',
  input: Type.Object({ ...TokenReference, ...writtenFields(SignalToken, 'name') }),
  decide({ draft, emit }, { endpointId, tokenId, name }) {
    const found = findToken(draft, endpointId, tokenId);
    if (found instanceof Rejection) return found;
    const { endpoint, token } = found;
    if (token.name === name) return token;
    if (endpoint.tokens.some((other) => other.name === name)) return tokenNameTaken(name);
    const after = { ...token, name };
    const tokens = endpoint.tokens.map((other) => (other === token ? after : other));
    draft.put('signalEndpoints', { ...endpoint, tokens });
    emit({
      type: 'signal-endpoint-token-updated',
      data: auditedToken(endpoint, after),
      preData: auditedToken(endpoint, token),
    });
    return after;
  },
});

export const deleteSignalToken = command({
  name: 'delete-signal-token',
  input: Type.Object(TokenReference),
  decide({ draft, emit }, { endpointId, tokenId }) {
    const found = findToken(draft, endpointId, tokenId);
    if (found instanceof Rejection) return found;
    const { endpoint, token } = found;
    draft.put('signalEndpoints', { ...endpoint, tokens: endpoint.tokens.filter((other) => other !== token) });
    emit({ type: 'signal-endpoint-token-deleted', preData: auditedToken(endpoint, token) });
    return undefined;
  },
});

function findToken(
  reader: StateReader,
  endpointId: number,
  tokenId: number,
): { readonly endpoint: SignalEndpoint; readonly token: SignalToken } | Rejection {
  const endpoint = findSignalEndpoint(reader, endpointId);
  if (endpoint instanceof Rejection) return endpoint;
  const token = endpoint.tokens.find(({ id }) => id === tokenId);
  return token
    ? { endpoint, token }
    : notFound(`The signal endpoint ${endpoint.name} has no token with the id ${tokenId}.`);
}

function replace({ draft, emit }: CommandContext, before: SignalEndpoint, after: SignalEndpoint): SignalEndpoint {
  const isSame =
    before.name === after.name && before.description === after.description && before.enabled === after.enabled;
  if (isSame) return before;
  draft.put('signalEndpoints', after);
  emit({ type: 'signal-endpoint-updated', data: audited(after), preData: audited(before) });
  return after;
}

function nameTaken(name: string): Rejection {
  return conflict(`A signal endpoint with the name ${name} already exists.`);
}

function tokenNameTaken(name: string): Rejection {
  return conflict(`The signal endpoint already has a token with the name ${name}.`);
}

/** The endpoint for the audit log, without its tokens. */
function audited({ id, name, description, enabled }: SignalEndpoint): object {
  return { id, name, description, enabled };
}

/** The token for the audit log, without its secret. */
function auditedToken(endpoint: SignalEndpoint, { id, name }: SignalToken): object {
  return { id, name, signalEndpoint: endpoint.name };
}
