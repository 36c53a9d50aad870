/** What can be done with many flags at once. */
export const BULK_KINDS = ['on', 'off', 'tag', 'stale', 'active', 'archive'] as const;
export type BulkKind = (typeof BULK_KINDS)[number];

/** Proxies refuse longer addresses. */
export const ADDRESS_CHARS_MAX = 6000;
