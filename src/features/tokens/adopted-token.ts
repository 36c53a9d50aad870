import Type from 'typebox';
import { collection } from '../../model/collection.ts';
import type { EntityOf } from '../../model/entity.ts';
import { DateTime } from '../../model/primitives.ts';

/**
 * Records that a token of an Unleash was adopted once. The record stays when the token is deleted here, so that the next request with the token does
 * not adopt it again. Collection `adoptedTokens`, key: `selector`.
 */
const AdoptedToken = Type.Object({
  /** The part of the token by which Unleash finds it. It gives no access. */
  selector: Type.String(),
  adoptedAt: DateTime,
});
type AdoptedToken = EntityOf<typeof AdoptedToken>;

export const adoptedTokens = collection({ schema: 1, key: (token: AdoptedToken) => token.selector });

declare module '../../model/collection.ts' {
  interface CollectionTable {
    readonly adoptedTokens: typeof adoptedTokens;
  }
}
