/**
 * Says that a divergent commit was applied again, so that it is not applied twice. Stored in the collection `surplusMarks`, which in older stores
 * also has ids that begin with `told:`: nothing reads them.
 */
export interface ReappliedMark {
  readonly id: string;
  readonly at: string;
}

export function reappliedMark(writeId: string): string {
  return `reapplied:${writeId}`;
}
