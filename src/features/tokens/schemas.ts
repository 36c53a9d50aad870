import Type from 'typebox';
import { API_TOKEN_TYPES } from '../../model/api-token.ts';
import { DateTime, NAME_LENGTH_MAX, Nullable } from '../../model/primitives.ts';
import { TokenName } from './commands.ts';

/** Contract: API token (apiTokensSchema item). */
export const ApiTokenSchema = Type.Object(
  {
    secret: Type.String({
      description:
        'Value of the authorization header. With `API_TOKEN_SECRETS=hashed` it is returned only once, when the token is created; ' +
        'after that, the field has a handle, `sha256:…`, which names the token in paths and gives no access',
    }),
    username: Type.String({ description: 'Deprecated: the same as tokenName' }),
    tokenName: Type.String(),
    type: Type.Enum([...API_TOKEN_TYPES, 'backend'], {
      description: '`backend` means the same as `client`: it is shown for tokens that were created as `backend`',
    }),
    environment: Type.String({ description: 'Name of the environment; `*`: all environments' }),
    project: Type.String({ description: 'Ids of the projects, separated by commas' }),
    projects: Type.Array(Type.String(), { description: 'Ids of the projects; `[*]`: all projects' }),
    expiresAt: Nullable(DateTime),
    createdAt: DateTime,
    seenAt: Nullable(DateTime),
    alias: Nullable(Type.String()),
    secure: Type.Boolean({ description: 'Whether only a hash of the secret is stored' }),
  },
  { $id: 'apiToken' },
);

export const ApiTokenListSchema = Type.Object({ tokens: Type.Array(ApiTokenSchema) }, { $id: 'apiTokens' });

const ProjectId = Type.String({ minLength: 1, maxLength: NAME_LENGTH_MAX });

export const CreateApiTokenBody = Type.Object(
  {
    type: Type.String({
      pattern:
        '^([Cc][Ll][Ii][Ee][Nn][Tt]|[Bb][Aa][Cc][Kk][Ee][Nn][Dd]|[Ff][Rr][Oo][Nn][Tt][Ee][Nn][Dd]|[Aa][Dd][Mm][Ii][Nn])$',
      description: 'client (also called backend) or frontend; upper and lower case are equal. `admin` is refused',
    }),
    tokenName: Type.Optional(TokenName),
    username: Type.Optional(Type.Intersect([TokenName], { description: 'Deprecated: use tokenName' })),
    environment: Type.Optional(Type.String({ minLength: 1, maxLength: NAME_LENGTH_MAX })),
    project: Type.Optional(ProjectId),
    projects: Type.Optional(Type.Array(ProjectId, { minItems: 1, maxItems: 10_000 })),
    expiresAt: Type.Optional(Nullable(DateTime)),
  },
  { $id: 'createApiToken' },
);

export const UpdateApiTokenBody = Type.Object(
  { expiresAt: Nullable(DateTime) },
  { $id: 'updateApiToken', description: 'null: the token does not expire' },
);
