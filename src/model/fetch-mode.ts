/** The ways in which SDKs of servers get changes. The words are those of the header and the event `fetch-mode`. */
export const FETCH_MODES = ['streaming', 'polling'] as const;

/** How SDKs should get changes: the service asks those that do it in the other way to change. */
export type FetchMode = (typeof FETCH_MODES)[number];

export function isFetchMode(value: unknown): value is FetchMode {
  return (FETCH_MODES as readonly unknown[]).includes(value);
}

/** The name of the header of an answer, and of the event of a stream. */
export const FETCH_MODE_NAME = 'fetch-mode';
