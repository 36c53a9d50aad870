/** The ways in which SDKs of servers get changes. The words are those of the header and the event `fetch-mode`. */
export const FETCH_MODES = ['streaming', 'polling'] as const;

/** How SDKs should get changes: the service asks those that do it in the other way to change. */
export type FetchMode = (typeof FETCH_MODES)[number];

export function isFetchMode(value: unknown): value is FetchMode {
  return (FETCH_MODES as readonly unknown[]).includes(value);
}

/** The name of the header of an answer, and of the event of a stream. */
export const FETCH_MODE_NAME = 'fetch-mode';

/** The option of the instance. */
export const FETCH_MODE_OPTIONS = {
  fetchMode: {
    env: ['FETCH_MODE'],
    kind: ['as-configured', ...FETCH_MODES],
    default: 'as-configured',
    description:
      'How SDKs of servers get changes, in environments without a setting of their own. `streaming`: polling SDKs are asked to open streams. ' +
      '`polling`: SDKs with streams are asked to poll. `as-configured`: each SDK does what it is configured for (docs/reach/sdk-modes.md).',
  },
} as const;
