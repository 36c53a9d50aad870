import { collection } from './collection.ts';

/**
 * Records that a divergent commit was applied again, so that it is not applied twice. Stored in the collection `surplusMarks`. In older stores, this
 * collection also has entities whose ids begin with `told:`. No code reads these.
 */
interface ReappliedMark {
  readonly id: string;
  readonly at: string;
}

export function reappliedMark(writeId: string): string {
  return `reapplied:${writeId}`;
}

export const surplusMarks = collection({ schema: 1, key: (mark: ReappliedMark) => mark.id });

declare module './collection.ts' {
  interface CollectionTable {
    readonly surplusMarks: typeof surplusMarks;
  }
}
