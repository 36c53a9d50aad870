import Type from 'typebox';
import { API_TOKEN_TYPES, ApiToken } from '../../model/api-token.ts';
import { NameReference } from '../../model/primitives.ts';
import { answeredFields, writtenFields } from '../shared/entity-fields.ts';

/** Contract: API token (apiTokensSchema item). */
export const ApiTokenSchema = Type.Object(
  {
    secret: Type.String({
      description:
        'Value of the authorization header. With `API_TOKEN_SECRETS=hashed` it is returned only once, when the token is created; ' +
        'after that, the field has a handle, `sha256:…`, which names the token in paths and gives no access',
    }),
    username: Type.String({ description: 'Deprecated: the same as tokenName' }),
    ...answeredFields(ApiToken, 'tokenName'),
    type: Type.Enum([...API_TOKEN_TYPES, 'backend'], {
      description: '`backend` means the same as `client`: it is shown for tokens that were created as `backend`',
    }),
    ...answeredFields(ApiToken, 'environment'),
    project: Type.String({ description: 'Ids of the projects, separated by commas' }),
    ...answeredFields(ApiToken, 'projects', 'expiresAt', 'createdAt', 'seenAt', 'alias'),
    secure: Type.Boolean({ description: 'Whether only a hash of the secret is stored' }),
  },
  { $id: 'apiToken' },
);

export const ApiTokenListSchema = Type.Object({ tokens: Type.Array(ApiTokenSchema) }, { $id: 'apiTokens' });

export const CreateApiTokenBody = Type.Object(
  {
    type: Type.String({
      pattern:
        '^([Cc][Ll][Ii][Ee][Nn][Tt]|[Bb][Aa][Cc][Kk][Ee][Nn][Dd]|[Ff][Rr][Oo][Nn][Tt][Ee][Nn][Dd]|[Aa][Dd][Mm][Ii][Nn])$',
      description: 'client (also called backend) or frontend; upper and lower case are equal. `admin` is refused',
    }),
    ...writtenFields(ApiToken, 'tokenName?'),
    username: Type.Optional(
      Type.Intersect([ApiToken.properties.tokenName], { description: 'Deprecated: use tokenName' }),
    ),
    ...writtenFields(ApiToken, 'environment?'),
    project: Type.Optional(NameReference),
    projects: Type.Optional(Type.Array(NameReference, { minItems: 1, maxItems: 10_000 })),
    ...writtenFields(ApiToken, 'expiresAt?'),
  },
  { $id: 'createApiToken' },
);

export const UpdateApiTokenBody = Type.Object(writtenFields(ApiToken, 'expiresAt'), {
  $id: 'updateApiToken',
  description: 'null: the token does not expire',
});
