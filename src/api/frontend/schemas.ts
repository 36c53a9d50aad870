import Type from 'typebox';
import { SdkContext } from '../../model/context.ts';
import { VariantPayload } from '../../model/variant.ts';

/** A context, bare or under `context`: SDKs and relays differ. */
export const FrontendBody = Type.Object(
  { context: Type.Optional(SdkContext), ...SdkContext.properties },
  { $id: 'frontendRequest', additionalProperties: true },
);

const FrontendFlag = Type.Object(
  {
    name: Type.String(),
    enabled: Type.Literal(true),
    variant: Type.Object({
      name: Type.String({ description: '`disabled` when no variant applies' }),
      enabled: Type.Boolean({ description: 'Whether a variant applies' }),
      payload: Type.Optional(VariantPayload),
      feature_enabled: Type.Boolean({ description: 'Deprecated spelling of featureEnabled' }),
      featureEnabled: Type.Boolean(),
    }),
    impressionData: Type.Boolean(),
  },
  { $id: 'frontendFlag' },
);

export const FrontendFlags = Type.Object({ toggles: Type.Array(FrontendFlag) }, { $id: 'frontendFlags' });
