import { collection } from './collection.ts';

/**
 * That something was done about commits that are not part of the history any more, as stored: their loss was told, or one of them was put back.
 * Collection `surplusMarks`, key: the id. With it in the history, neither is done twice, whoever tries again.
 */
interface SurplusMark {
  readonly id: string;
  readonly at: string;
}

/** Commits that a replica had applied and gave up. */
export interface GivenUp {
  /** Where the replica stood: the epoch, and the newest write. */
  readonly epoch: string;
  readonly writeId: string;
  readonly fromSeq: number;
  readonly throughSeq: number;
  /** The name of the file that holds them; null when none could be written. */
  readonly file: string | null;
}

/** The same for everybody who gave up the same commits. */
export function toldMark({ epoch, writeId, fromSeq, throughSeq }: GivenUp): string {
  return `told:${epoch}:${fromSeq}-${throughSeq}:${writeId}`;
}

/** Of one commit that was given up. */
export function reappliedMark(writeId: string): string {
  return `reapplied:${writeId}`;
}

export const surplusMarks = collection({ schema: 1, key: (mark: SurplusMark) => mark.id });

declare module './collection.ts' {
  interface CollectionTable {
    readonly surplusMarks: typeof surplusMarks;
  }
}
