import { collection } from './collection.ts';
import { scopeKey } from './project-list.ts';

/**
 * A part of what a source says, as a service that has its flags from elsewhere holds it: one environment, and some of its projects or all of them.
 * As long as it is stored, the state holds for it what its source said last. Collection `mirroredScopes`, key: `scopeKey`.
 */
interface MirroredScope {
  readonly environment: string;
  /** Sorted, or `['*']`. */
  readonly projects: readonly string[];
  /** What the source called this content; null when it does not say. Another start begins from it. */
  readonly etag: string | null;
  /** RFC 3339; when the source last said something new. */
  readonly at: string;
}

export const mirroredScopes = collection({ schema: 1, key: (scope: MirroredScope) => scopeKey(scope) });

declare module './collection.ts' {
  interface CollectionTable {
    readonly mirroredScopes: typeof mirroredScopes;
  }
}
