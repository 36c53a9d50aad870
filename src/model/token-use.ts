import Type, { type Static } from 'typebox';
import { DateTime } from './primitives.ts';

export const TokenUse = Type.Object(
  { secret: Type.String({ description: 'Stored form of the secret' }), seenAt: DateTime },
  { description: 'When a token was last used' },
);
export type TokenUse = Static<typeof TokenUse>;
