import { bulk as words } from '../../words/en/flags/bulk.ts';

/** What can be done with many flags at once. */
export type BulkKind = keyof (typeof words)['titles'];
export const BULK_KINDS = Object.keys(words.titles) as BulkKind[];

/** Proxies refuse longer addresses. */
export const ADDRESS_CHARS_MAX = 6000;
