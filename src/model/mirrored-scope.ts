import { collection } from './collection.ts';
import { scopeKey } from './project-list.ts';

/**
 * A scope whose flags come from a source: one environment, and some or all of its projects. As long as this entity is stored, the state contains the
 * latest content from the source for the scope. Collection `mirroredScopes`, key: `scopeKey`.
 */
interface MirroredScope {
  readonly environment: string;
  /** Sorted, or `['*']`. */
  readonly projects: readonly string[];
  /** The source's ETag of this content; null if the source sent none. After a restart, the first request to the source contains this ETag. */
  readonly etag: string | null;
  /** When the source last sent new content, as an RFC 3339 time. */
  readonly at: string;
}

export const mirroredScopes = collection({ schema: 1, key: (scope: MirroredScope) => scopeKey(scope) });

declare module './collection.ts' {
  interface CollectionTable {
    readonly mirroredScopes: typeof mirroredScopes;
  }
}
