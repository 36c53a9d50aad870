import { randomBytes } from 'node:crypto';
import Type from 'typebox';
import { PersonalToken } from '../../../model/personal-token.ts';
import { hashedSecret } from '../../../model/token-secret.ts';
import { PERSONAL_PREFIX } from '../../../views/user-credentials.ts';
import { answeredFields, writtenFields } from '../../shared/entity-fields.ts';

/** 224 random bits: the secret cannot be guessed. */
const RANDOM_BYTES = 28;

/** Contract: Personal access token. */
export const PersonalTokenSchema = Type.Object(
  {
    id: PersonalToken.properties.id,
    secret: Type.Optional(
      Type.String({
        description: 'Value of the authorization header that tools send; returned only once, when the token is created',
      }),
    ),
    ...answeredFields(PersonalToken, 'createdAt', 'seenAt', 'userId', 'description', 'expiresAt'),
  },
  { $id: 'personalToken' },
);

export const PersonalTokenListSchema = Type.Object(
  { pats: Type.Array(PersonalTokenSchema) },
  { $id: 'personalTokens' },
);

export const CreatePersonalTokenBody = Type.Object(writtenFields(PersonalToken, 'description', 'expiresAt'), {
  $id: 'createPersonalToken',
});

/** Returns a token as lists show it, without the secret. */
export function presentPersonalToken({ id, createdAt, seenAt, userId, description, expiresAt }: PersonalToken) {
  return { id, createdAt, seenAt, userId, description, expiresAt };
}

/** Creates the text of a new token, and the hash that is stored as `secret`. */
export function newPersonalSecret(): { readonly text: string; readonly secret: string } {
  const text = PERSONAL_PREFIX + randomBytes(RANDOM_BYTES).toString('hex');
  return { text, secret: hashedSecret(text) };
}
