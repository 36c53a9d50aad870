import { DAY_MS } from './milliseconds.ts';

/** A flag in the list: only what the list shows and filters by. */
export interface FlagRow {
  readonly name: string;
  readonly project: string;
  readonly type: string;
  readonly description: string;
  readonly stale: boolean;
  readonly potentiallyStale: boolean;
  readonly favorite: boolean;
  readonly createdAt: string | null;
  readonly lastSeenAt: string | null;
  /** `type:value` */
  readonly tags: readonly string[];
  /** Whether the flag is on, for each environment of its project. Rows with the same states share one map. */
  readonly environments: ReadonlyMap<string, boolean>;
  /** Name, description and tags in lower case, for the search. */
  readonly text: string;
}

/** SDKs report at least every few minutes: a flag that was asked for within two days is in use. */
export const IN_USE_MS = 2 * DAY_MS;
