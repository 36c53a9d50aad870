import Type from 'typebox';
import { collection } from '../../../model/collection.ts';
import type { EntityOf } from '../../../model/entity.ts';
import { DateTime, HashedSecret, Nullable, Text, UrlSafeName } from '../../../model/primitives.ts';
import { SIGNAL_LIMITS } from '../limits.ts';

const Id = Type.Integer({ minimum: 1 });

/** A token with which a monitor sends signals to one endpoint. The first id is 1. An id is never reused. */
export const SignalToken = Type.Object({
  id: Id,
  name: Type.String({
    minLength: 1,
    maxLength: 100,
    pattern: '\\S',
    description: 'Name of the token, unique in its endpoint',
    answer: 'Name of the token',
  }),
  secret: HashedSecret,
  createdAt: DateTime,
  createdByUserId: Type.Integer(),
});
export type SignalToken = EntityOf<typeof SignalToken>;

/** The fields of an endpoint that callers choose. */
export const ENDPOINT_FIELDS = {
  name: UrlSafeName,
  description: Nullable(Text),
  enabled: Type.Boolean({ description: 'Whether signals are accepted' }),
};

/** The address to which a monitor sends signals. Collection `signalEndpoints`, key: the id as text. */
export const SignalEndpoint = Type.Object({
  /** The first id is 1. An id is never reused. */
  id: Id,
  ...ENDPOINT_FIELDS,
  tokens: Type.Array(SignalToken, { maxItems: SIGNAL_LIMITS.signalTokensPerEndpoint.max }),
  createdAt: DateTime,
  createdByUserId: Type.Integer(),
});
export type SignalEndpoint = EntityOf<typeof SignalEndpoint>;

/** A signal that was accepted. Collection `signals`, key: the id as text. The newest signals of each endpoint are kept. */
export const Signal = Type.Object({
  id: Id,
  endpointId: Id,
  tokenId: Id,
  createdAt: DateTime,
  /** The content as JSON text; null if it is too large to be kept. */
  payload: Nullable(Type.String({ maxLength: SIGNAL_LIMITS.signalBytesKept.max })),
  bytes: Type.Integer({ minimum: 0 }),
});
export type Signal = EntityOf<typeof Signal>;

export const signalEndpoints = collection({
  schema: 1,
  key: (endpoint: SignalEndpoint) => String(endpoint.id),
  indexes: { signalEndpointsByName: ({ name }: SignalEndpoint) => [name] },
});

export const signals = collection({
  schema: 1,
  key: (signal: Signal) => String(signal.id),
  indexes: { signalsByEndpoint: ({ endpointId }: Signal) => [String(endpointId)] },
});

declare module '../../../model/collection.ts' {
  interface CollectionTable {
    readonly signalEndpoints: typeof signalEndpoints;
    readonly signals: typeof signals;
  }
}
