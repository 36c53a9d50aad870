import { collection } from '../../../model/collection.ts';
/** A user has seen a splash screen. Collection `seenSplashes`, key: `splashKey`. */
export interface SeenSplash {
  readonly userId: number;
  readonly splashId: string;
}

export function splashKey(userId: number, splashId: string): string {
  return `${userId}/${splashId}`;
}

export const seenSplashes = collection({
  schema: 1,
  key: ({ userId, splashId }: SeenSplash) => splashKey(userId, splashId),
  indexes: { seenSplashesByUser: ({ userId }) => [String(userId)] },
});

declare module '../../../model/collection.ts' {
  interface CollectionTable {
    readonly seenSplashes: typeof seenSplashes;
  }
}
