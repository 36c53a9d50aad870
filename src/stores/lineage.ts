/**
 * Histories as lines. A run of the server that is confirmed begins an epoch, and remembers where the line it goes on from had come to. So a
 * history is a line through epochs, and two of them are one line, or part at a known place. Sequence numbers are compared within one line
 * only. docs/decisions/store-redis-lineage.md
 */

/** A place where a line was in an epoch: the entry `seq`, put there by the write `writeId`. */
export interface Branch {
  readonly epoch: string;
  readonly seq: number;
  readonly writeId: string;
  /** Somebody decided that the line leaves the epoch here: what others hold of it beyond is given up, whatever became of the line since. */
  readonly isDecided?: true;
}

/** A place in a history, with the way there: where the line left each earlier epoch, newest first. */
export interface LogPosition extends Branch {
  readonly ancestors: readonly Branch[];
}

/** Before the first entry: part of every history. */
export const ROOT: LogPosition = { epoch: '', seq: 0, writeId: '', ancestors: [] };

/** Ancestors that a line remembers. Who was away for longer finds a foreign history. */
export const ANCESTORS_MAX = 64;

/** How two places lie to each other. */
interface Relation {
  /** The newest entry that both lines hold; 0 when they have nothing but the root in common. */
  readonly commonSeq: number;
  /** Entries that only the left one holds. */
  readonly leftDivergent: number;
  readonly rightDivergent: number;
}

/** Null when nothing is known that both descend from: neither can tell what it has in common with the other. */
export function relate(left: LogPosition, right: LogPosition): Relation | null {
  const commonSeq = left.seq === 0 || right.seq === 0 ? 0 : newestCommon(left, right);
  if (commonSeq === null) return null;
  return { commonSeq, leftDivergent: left.seq - commonSeq, rightDivergent: right.seq - commonSeq };
}

/** Whether every entry of the right one is part of the left one's line. */
export function holds(left: LogPosition, right: LogPosition): boolean {
  return relate(left, right)?.rightDivergent === 0;
}

/**
 * Whether the left one's line went on from an earlier place of the epoch in which the right one stands: that the epoch had ended there was found
 * and agreed on when the left one's next epoch began, so what the right one holds beyond was given up then.
 */
export function supersedes(left: LogPosition, right: LogPosition): boolean {
  return left.ancestors.some(({ epoch, seq }) => epoch === right.epoch && seq < right.seq);
}

/** As `supersedes`, because somebody decided it: a backup that was restored is what counts, though others hold more. */
export function overrules(left: LogPosition, right: LogPosition): boolean {
  const path = [right, ...right.ancestors];
  return left.ancestors.some(
    ({ isDecided, epoch, seq }) => isDecided && path.some((branch) => branch.epoch === epoch && branch.seq > seq),
  );
}

/** The epoch in which the line committed the entry `seq`. Not after where it stands. */
export function epochAt(line: LogPosition, seq: number): string {
  const path = [line, ...line.ancestors];
  return path.find((_, at) => seq > (path[at + 1]?.seq ?? 0))?.epoch ?? line.epoch;
}

/** Where somebody stands who holds the line up to `seq`: in the epoch that committed that entry. */
export function positionAt(line: LogPosition, seq: number, writeId: string): LogPosition {
  if (seq === 0) return ROOT;
  // As nearly every commit: in the newest epoch.
  if (seq > (line.ancestors[0]?.seq ?? 0)) return { epoch: line.epoch, seq, writeId, ancestors: line.ancestors };
  const path = [line, ...line.ancestors];
  const at = path.findIndex((_, index) => seq > (path[index + 1]?.seq ?? 0));
  return { epoch: (path[at] as Branch).epoch, seq, writeId, ancestors: path.slice(at + 1).map(branchOf) };
}

/**
 * The line that goes on from there in an epoch of its own. An epoch in which nothing was written is part of the way as any other: who wrote in it
 * what the server lost knows by it that he shares the way, and that it was gone on without him.
 */
export function begin(epoch: string, from: LogPosition): LogPosition {
  const { seq, writeId } = from;
  const path = from.epoch === '' ? [] : [branchOf(from), ...from.ancestors];
  return { epoch, seq, writeId, ancestors: path.length > ANCESTORS_MAX ? withoutOne(path) : path };
}

/** As one entry further in the newest epoch, or several. */
export function extend(line: LogPosition, seq: number, writeId: string): LogPosition {
  return { ...line, seq, writeId };
}

function branchOf({ epoch, seq, writeId, isDecided }: Branch): Branch {
  return { epoch, seq, writeId, ...(isDecided ? { isDecided } : {}) };
}

/** Of too many, the oldest epoch in which nothing was written is forgotten, as of a server that is started again and again; else the oldest. */
function withoutOne(path: readonly Branch[]): readonly Branch[] {
  const empty = path.findLastIndex(({ seq, isDecided }, at) => !isDecided && seq === (path[at + 1]?.seq ?? 0));
  return path.toSpliced(empty, 1);
}

/** Lines share their way from the root to the place where they part: the newest epoch of one that the other knows is the last they shared. */
function newestCommon(left: LogPosition, right: LogPosition): number | null {
  for (const mine of [left, ...left.ancestors]) {
    const theirs = [right, ...right.ancestors].find(({ epoch }) => epoch === mine.epoch);
    if (!theirs) continue;
    // One place, two writes: the epoch itself has two lines, so what they share is not known. Earlier versions did not know the write of an embedded store
    // that they copied: it had one writer, and so one line.
    const areTold = mine.writeId !== '' && theirs.writeId !== '';
    if (mine.seq === theirs.seq && areTold && mine.writeId !== theirs.writeId) return null;
    return Math.min(mine.seq, theirs.seq);
  }
  return null;
}
