import Type, { type Static } from 'typebox';
import { MODEL_LIMITS } from './limits.ts';
import { DateTime, MapOf } from './primitives.ts';

const CONTEXT_PROPERTIES_MAX = MODEL_LIMITS.contextProperties.max;

/** SDKs in loosely typed languages send numbers and booleans instead of text; these are converted to text. */
const LooseText = Type.Union([Type.String(), Type.Number(), Type.Boolean(), Type.Null()]);

/**
 * The context that an SDK sends for evaluation. All fields are optional. Fields that are not listed here count as properties; a property that is a
 * list or an object counts as missing.
 */
export const SdkContext = Type.Object(
  {
    appName: Type.Optional(LooseText),
    userId: Type.Optional(LooseText),
    sessionId: Type.Optional(LooseText),
    remoteAddress: Type.Optional(LooseText),
    currentTime: Type.Optional(LooseText),
    environment: Type.Optional(LooseText),
    properties: Type.Optional(Type.Record(Type.String(), Type.Unknown(), { maxProperties: CONTEXT_PROPERTIES_MAX })),
  },
  { $id: 'sdkContext', maxProperties: CONTEXT_PROPERTIES_MAX },
);
export type SdkContext = Static<typeof SdkContext>;

/** The context of the playground (contract: Playground request, context fields). */
export const PlaygroundContext = Type.Object(
  {
    appName: Type.String({ minLength: 1 }),
    userId: Type.Optional(Type.String()),
    sessionId: Type.Optional(Type.String()),
    remoteAddress: Type.Optional(Type.String()),
    currentTime: Type.Optional(DateTime),
    environment: Type.Optional(
      Type.String({ description: 'Deprecated: the environment is a field next to the context' }),
    ),
    properties: Type.Optional(MapOf(Type.String(), { maxProperties: CONTEXT_PROPERTIES_MAX })),
  },
  { $id: 'playgroundContext', additionalProperties: true, maxProperties: CONTEXT_PROPERTIES_MAX },
);
