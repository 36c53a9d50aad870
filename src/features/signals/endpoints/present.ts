import type { SignalExecution } from '../actions/executions.ts';
import type { Signal, SignalEndpoint, SignalToken } from './signal-endpoint.ts';

/** A token without its secret. */
export function presentSignalToken({ id, name, createdAt, createdByUserId }: SignalToken) {
  return { id, name, createdAt, createdByUserId };
}

export function presentSignalEndpoint({ tokens, ...endpoint }: SignalEndpoint) {
  const { id, name, description, enabled, createdAt, createdByUserId } = endpoint;
  return { id, name, description, enabled, createdAt, createdByUserId, tokens: tokens.map(presentSignalToken) };
}

export function presentSignal(
  { id, endpointId, tokenId, createdAt, bytes, payload }: Signal,
  executions: readonly SignalExecution[],
) {
  return {
    id,
    createdAt,
    bytes,
    source: 'signal-endpoint',
    sourceId: endpointId,
    createdByTokenId: tokenId,
    payload: payload === null ? null : (JSON.parse(payload) as unknown),
    executions,
  };
}
