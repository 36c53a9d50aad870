/**
 * Histories as lines. Each confirmed run of the server begins an epoch, and stores the position at which it continues the previous line. So a
 * history is a line through epochs. Two histories are one line, or they diverge at a known position. Sequence numbers are compared within one
 * line only. docs/decisions/store-redis-lineage.md
 */

/** A position of a line in one epoch: the entry `seq`, which the write `writeId` appended. */
export interface Branch {
  readonly epoch: string;
  readonly seq: number;
  readonly writeId: string;
  /** An operator decided that the line leaves the epoch here: others give up what they have of the epoch after it, whatever the line did since. */
  readonly isDecided?: true;
}

/** A position in a history, with its path: where the line left each earlier epoch, newest first. */
export interface LogPosition extends Branch {
  readonly ancestors: readonly Branch[];
}

/** Before the first entry: part of every history. */
export const ROOT: LogPosition = { epoch: '', seq: 0, writeId: '', ancestors: [] };

/** Most ancestors that a line stores. For a replica that was away for more epochs, the history is foreign. */
export const ANCESTORS_MAX = 64;

/** How two positions relate. */
interface Relation {
  /** The newest entry that both lines hold; 0 when they have nothing but the root in common. */
  readonly commonSeq: number;
  /** Entries that only the left one holds. */
  readonly leftDivergent: number;
  readonly rightDivergent: number;
}

/** Null when no common ancestor is known: then it is not known either what the two have in common. */
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

/** As `supersedes`, but by a decision of an operator: a restored backup is valid, even if others have more. */
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

/** The position of a replica that has the line up to `seq`: in the epoch that committed that entry. */
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
  return { epoch, seq, writeId, ancestors: path.length > ANCESTORS_MAX ? withoutOne(path) : path };
}

/** The line, one or more entries further in its newest epoch. */
export function extend(line: LogPosition, seq: number, writeId: string): LogPosition {
  return { ...line, seq, writeId };
}

function branchOf({ epoch, seq, writeId, isDecided }: Branch): Branch {
  return { epoch, seq, writeId, ...(isDecided ? { isDecided } : {}) };
}

/** Removes one ancestor: the oldest epoch without entries (many restarts of a server make many of them); if there is none, the oldest epoch. */
function withoutOne(path: readonly Branch[]): readonly Branch[] {
  const empty = path.findLastIndex(({ seq, isDecided }, at) => !isDecided && seq === (path[at + 1]?.seq ?? 0));
  return path.toSpliced(empty, 1);
}

/** Lines share their path from the root to where they diverge: the newest epoch of one line that the other also has is the last shared one. */
function newestCommon(left: LogPosition, right: LogPosition): number | null {
  for (const mine of [left, ...left.ancestors]) {
    const theirs = [right, ...right.ancestors].find(({ epoch }) => epoch === mine.epoch);
    if (!theirs) continue;
    // One position, two writes: the epoch itself has two lines, so what they share is not known. Earlier versions did not store the write when they
    // copied an embedded store: that store had one writer, and so one line.
    const areKnown = mine.writeId !== '' && theirs.writeId !== '';
    if (mine.seq === theirs.seq && areKnown && mine.writeId !== theirs.writeId) return null;
    return Math.min(mine.seq, theirs.seq);
  }
  return null;
}
