/**
 * Histories as lines. Each confirmed run of the server begins an epoch, and stores the position at which it continues the previous line. So a history
 * is a line through epochs. Two histories are one line, or they diverge at a known position. Sequence numbers are compared only within one line. See
 * docs/decisions/store-redis-lineage.md
 */

/** A position of a line in one epoch: the entry `seq`, which the write `writeId` appended. */
export interface Branch {
  readonly epoch: string;
  readonly seq: number;
  readonly writeId: string;
  /**
   * Set when an operator decided that the line leaves the epoch at this position. Then other replicas discard their later entries of the epoch, even
   * if the line continued there meanwhile.
   */
  readonly isDecided?: true;
}

/** A position in a history, with its path: the positions at which the line left each earlier epoch, newest first. */
export interface LogPosition extends Branch {
  readonly ancestors: readonly Branch[];
}

/** The position before the first entry. It is part of every history. */
export const ROOT: LogPosition = { epoch: '', seq: 0, writeId: '', ancestors: [] };

/** The most ancestors that a line stores. A replica that was away for more epochs finds no common ancestor: the history is foreign to it. */
export const ANCESTORS_MAX = 64;

/** The relation of two positions. */
interface Relation {
  /** The newest entry that both lines have; 0 when they have only the root in common. */
  readonly commonSeq: number;
  /** The number of entries that only the left line has. */
  readonly leftDivergent: number;
  readonly rightDivergent: number;
}

/** Returns null when no common ancestor is known: then it is not known which entries the two lines have in common. */
export function relate(left: LogPosition, right: LogPosition): Relation | null {
  const commonSeq = left.seq === 0 || right.seq === 0 ? 0 : newestCommon(left, right);
  if (commonSeq === null) return null;
  return { commonSeq, leftDivergent: left.seq - commonSeq, rightDivergent: right.seq - commonSeq };
}

/** Whether every entry of the right line is part of the left line. */
export function holds(left: LogPosition, right: LogPosition): boolean {
  return relate(left, right)?.rightDivergent === 0;
}

/**
 * Whether the left line continued from an earlier position of the epoch in which the right line ends. When the next epoch of the left line began,
 * the replicas agreed that the epoch ends there. So the entries of the right line after that position were given up then.
 */
export function supersedes(left: LogPosition, right: LogPosition): boolean {
  return left.ancestors.some(({ epoch, seq }) => epoch === right.epoch && seq < right.seq);
}

/** Same as `supersedes`, but by a decision of an operator: for example, a restored backup is valid even if other replicas have more entries. */
export function overrules(left: LogPosition, right: LogPosition): boolean {
  const path = [right, ...right.ancestors];
  return left.ancestors.some(
    ({ isDecided, epoch, seq }) => isDecided && path.some((branch) => branch.epoch === epoch && branch.seq > seq),
  );
}

/** The epoch in which the line committed the entry `seq`. The entry must not be after the end of the line. */
export function epochAt(line: LogPosition, seq: number): string {
  const path = [line, ...line.ancestors];
  return path.find((_, at) => seq > (path[at + 1]?.seq ?? 0))?.epoch ?? line.epoch;
}

/** The position of a replica that has the line up to `seq`. Its epoch is the one in which that entry was committed. */
export function positionAt(line: LogPosition, seq: number, writeId: string): LogPosition {
  if (seq === 0) return ROOT;
  // True for nearly every commit: it is in the newest epoch.
  if (seq > (line.ancestors[0]?.seq ?? 0)) return { epoch: line.epoch, seq, writeId, ancestors: line.ancestors };
  const path = [line, ...line.ancestors];
  const at = path.findIndex((_, index) => seq > (path[index + 1]?.seq ?? 0));
  return { epoch: (path[at] as Branch).epoch, seq, writeId, ancestors: path.slice(at + 1).map(branchOf) };
}

/**
 * The line that continues from `from` in a new epoch. An epoch without entries is part of the path, too: a replica whose entries in that epoch the
 * server lost finds the epoch in the path, so it knows that the lines share this path and that the server continued without its entries.
 */
export function begin(epoch: string, from: LogPosition): LogPosition {
  const { seq, writeId } = from;
  const path = from.epoch === '' ? [] : [branchOf(from), ...from.ancestors];
  return { epoch, seq, writeId, ancestors: path.length > ANCESTORS_MAX ? withoutOneAncestor(path) : path };
}

/** The line after one or more entries were appended in its newest epoch. */
export function extend(line: LogPosition, seq: number, writeId: string): LogPosition {
  return { ...line, seq, writeId };
}

function branchOf({ epoch, seq, writeId, isDecided }: Branch): Branch {
  return { epoch, seq, writeId, ...(isDecided ? { isDecided } : {}) };
}

/** Removes one ancestor: the oldest epoch without entries (many restarts of a server make many of them); if there is none, the oldest epoch. */
function withoutOneAncestor(path: readonly Branch[]): readonly Branch[] {
  const empty = path.findLastIndex(({ seq, isDecided }, at) => !isDecided && seq === (path[at + 1]?.seq ?? 0));
  return path.toSpliced(empty, 1);
}

/** Lines share their path from the root to where they diverge: the newest epoch of one line that the other also has is the last shared one. */
function newestCommon(left: LogPosition, right: LogPosition): number | null {
  for (const leftBranch of [left, ...left.ancestors]) {
    const rightBranch = [right, ...right.ancestors].find(({ epoch }) => epoch === leftBranch.epoch);
    if (!rightBranch) continue;
    // The lines have different writes at the same position: the epoch itself has two lines, so their common entries are not known.
    if (leftBranch.seq === rightBranch.seq && leftBranch.writeId !== rightBranch.writeId) return null;
    return Math.min(leftBranch.seq, rightBranch.seq);
  }
  return null;
}
