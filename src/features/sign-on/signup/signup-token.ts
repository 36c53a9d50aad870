import Type from 'typebox';
import type { Sealer } from '../../../base/sealing.ts';
import { collection } from '../../../model/collection.ts';
import type { EntityOf } from '../../../model/entity.ts';
import { DateTime } from '../../../model/primitives.ts';
import { hashedSecret } from '../../../model/token-secret.ts';

/**
 * A stored link with which people create their own account. Collection `signupTokens`, key: `secret`. Admins can read the link at any time, as in
 * Unleash, so its text must be found again: with SECRETS_KEY, the store has a hash and the sealed text, and the text itself otherwise.
 */
export const SignupToken = Type.Object({
  /** The hash of the link's token (model/token-secret.ts). Its text, if there was no SECRETS_KEY, and in links of older versions. */
  secret: Type.String({ pattern: '^(sha256:[0-9a-f]{64}|[0-9a-f]{32,128})$' }),
  /** The token, encrypted with SECRETS_KEY. Missing if `secret` is the text. */
  sealed: Type.Optional(Type.String({ maxLength: 1_000 })),
  name: Type.String({ minLength: 1, maxLength: 255, pattern: '\\S' }),
  enabled: Type.Boolean(),
  createdAt: DateTime,
  expiresAt: DateTime,
  createdBy: Type.String(),
  /** Ids of the users who signed up with it. Some may be deleted. */
  users: Type.Array(Type.Integer()),
});
export type SignupToken = EntityOf<typeof SignupToken>;

/** What the sealed texts are bound to. */
const PURPOSE = 'signup-link';

/** A new token as it is stored: the hash and the sealed text; without a key, the text. */
export function storedSecret(text: string, sealer: Sealer | null): Pick<SignupToken, 'secret' | 'sealed'> {
  return sealer ? { secret: hashedSecret(text), sealed: sealer.seal(text, PURPOSE) } : { secret: text };
}

/** The text of a stored token. Undefined if it was sealed with another key. */
export function secretText({ secret, sealed }: SignupToken, sealer: Sealer | null): string | undefined {
  return sealed === undefined ? secret : sealer?.open(sealed, PURPOSE);
}

export const signupTokens = collection({ schema: 1, key: (token: SignupToken) => token.secret });

declare module '../../../model/collection.ts' {
  interface CollectionTable {
    readonly signupTokens: typeof signupTokens;
  }
}
