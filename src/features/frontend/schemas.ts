import Type from 'typebox';
import { SdkContext } from '../../model/context.ts';
import { VariantPayload } from '../../model/variant.ts';

/** The context is either the body itself or its field `context`: SDKs and relays send it in different forms. */
export const FrontendBody = Type.Object(
  { context: Type.Optional(SdkContext), ...SdkContext.properties },
  { $id: 'frontendRequest', additionalProperties: true },
);

/** The standard fields of a context; other fields are sent as `properties[name]`. */
export const ContextQuery = Type.Object({
  appName: Type.Optional(Type.String()),
  userId: Type.Optional(Type.String()),
  sessionId: Type.Optional(Type.String()),
  remoteAddress: Type.Optional(Type.String()),
  currentTime: Type.Optional(Type.String()),
});

const FrontendVariant = Type.Object({
  name: Type.String({ description: '`disabled` if no variant applies' }),
  enabled: Type.Boolean({ description: 'Whether a variant applies' }),
  payload: Type.Optional(VariantPayload),
  feature_enabled: Type.Boolean({ description: 'Deprecated: the same as `featureEnabled`' }),
  featureEnabled: Type.Boolean(),
});

const FrontendFlag = Type.Object(
  {
    name: Type.String(),
    enabled: Type.Literal(true),
    variant: FrontendVariant,
    impressionData: Type.Boolean(),
  },
  { $id: 'frontendFlag' },
);

export const FrontendFlags = Type.Object({ toggles: Type.Array(FrontendFlag) }, { $id: 'frontendFlags' });

/** A flag that may be off. */
export const FrontendToggle = Type.Object(
  {
    name: Type.String(),
    enabled: Type.Boolean(),
    variant: FrontendVariant,
    impressionData: Type.Boolean(),
  },
  { $id: 'frontendToggle' },
);

export const AllFrontendFlags = Type.Object({ toggles: Type.Array(FrontendToggle) }, { $id: 'allFrontendFlags' });
