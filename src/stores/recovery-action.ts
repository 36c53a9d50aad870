import { holds, type LogPosition, overrules, ROOT, relate, supersedes } from './lineage.ts';

/**
 * The policy for a store that has less than the replicas know. `refill`: a replica writes its state into the store. `halt`: replicas refuse writes
 * until an operator has repaired the store.
 */
export type LossPolicy = 'refill' | 'halt';

/** A reported position: the end of the history that a replica knows, as it reports it to the others. */
export interface ReportedPosition {
  readonly replica: string;
  readonly position: LogPosition;
  readonly policy: LossPolicy;
}

/** The information with which a replica decides on its recovery action. */
interface Situation {
  readonly own: ReportedPosition;
  /** The position of the server's history; null when it has none. */
  readonly server: LogPosition | null;
  /** Whether replicas agreed on this run of the server. */
  readonly isConfirmed: boolean;
  /** The positions reported since the server was last confirmed, including this replica's own; empty while the server is confirmed. */
  readonly positions: readonly ReportedPosition[];
  /** Whether every replica has had time to report its position. */
  readonly isGraceOver: boolean;
  /** Keys of the server are missing: it has the position of its history, but not all of its data. */
  readonly isIncomplete?: boolean;
}

/** A recovery action: the next action of a replica. */
export type RecoveryAction =
  /** Read and append: the server has everything that this replica has. */
  | { readonly name: 'go-on' }
  /** Report the own position. On a confirmed run, this withdraws the confirmation: no replica appends until the replicas have agreed. */
  | { readonly name: 'claim' }
  /** Other replicas may still report their positions. */
  | { readonly name: 'wait' }
  /** No replica has more than the server: its history continues, in a new epoch. */
  | { readonly name: 'confirm' }
  /** This replica has the server's history, and everything that the others have: it puts its state into the server. */
  | { readonly name: 'refill' }
  /** Another replica is about to refill the server. */
  | { readonly name: 'await'; readonly replica: string; readonly seq: number }
  /** The server's line is the valid one, and `divergent` entries of this replica after `commonSeq` are not part of it. */
  | { readonly name: 'give-up'; readonly commonSeq: number; readonly divergent: number }
  /** Neither line may be dropped without a decision of an operator. */
  | { readonly name: 'refuse'; readonly why: 'foreign' | 'contested' | 'halted' | 'incomplete' };

/**
 * Decides the recovery action of a replica. No other code decides it. docs/decisions/store-redis-lineage.md has the rules as a table. Positions are
 * compared as lines, never by number. test/stores/redis/lineage-model.test.ts tests this function exhaustively.
 */
export function recoveryActionOf(situation: Situation): RecoveryAction {
  const { own, isConfirmed, isIncomplete = false } = situation;
  const server = situation.server ?? ROOT;
  const relation = relate(own.position, server);
  if (!relation) return { name: 'refuse', why: 'foreign' };
  if (isIncomplete) return agree(situation, server, mayComplete(own.position, server));
  const { commonSeq, leftDivergent: divergent, rightDivergent: serverDivergent } = relation;
  const isServerLineValid = serverDivergent > 0 && (isConfirmed || !supersedes(own.position, server));
  if (divergent > 0 && (isServerLineValid || overrules(server, own.position))) {
    return { name: 'give-up', commonSeq, divergent };
  }
  if (isConfirmed) {
    if (divergent === 0) return { name: 'go-on' };
    return own.policy === 'halt' ? { name: 'refuse', why: 'halted' } : { name: 'claim' };
  }
  return agree(situation, server, divergent > 0);
}

/** First, every replica reports its position. Then the replicas elect the one that acts. */
function agree(situation: Situation, server: LogPosition, hasMore: boolean): RecoveryAction {
  const { own, positions, isGraceOver } = situation;
  if (!positions.some((reportedPosition) => isSame(reportedPosition, own))) return { name: 'claim' };
  if (!isGraceOver) return { name: 'wait' };
  return elect(situation, server, hasMore);
}

/**
 * Decides from the reported positions. All replicas decide the same from the same positions and policy, and act only while the positions are
 * unchanged.
 */
function elect({ own, positions, isIncomplete }: Situation, server: LogPosition, hasMore: boolean): RecoveryAction {
  // A replica with `refill` does not wait for one with `halt`, which never refills.
  const countedPositions = own.policy === 'halt' ? positions : positions.filter(({ policy }) => policy !== 'halt');
  const isCandidate = isIncomplete ? mayComplete : mayReplace;
  const candidates = countedPositions.filter(({ position }) => isCandidate(position, server));
  if (candidates.length === 0) {
    if (own.policy === 'halt' && hasMore) return { name: 'refuse', why: 'halted' };
    return isIncomplete ? { name: 'refuse', why: 'incomplete' } : { name: 'confirm' };
  }
  const bestCandidates = candidates.filter((one) =>
    candidates.every((other) => isAtLeast(one.position, other.position)),
  );
  const chosen = bestCandidates
    .filter(({ policy }) => policy !== 'halt')
    .sort((left, right) => (left.replica < right.replica ? -1 : 1))[0];
  if (chosen) {
    if (chosen.replica === own.replica) return { name: 'refill' };
    return { name: 'await', replica: chosen.replica, seq: chosen.position.seq };
  }
  const [other] = bestCandidates;
  if (!hasMore && other) return { name: 'await', replica: other.replica, seq: other.position.seq };
  return { name: 'refuse', why: bestCandidates.length > 0 ? 'halted' : 'contested' };
}

/** Whether the state at the position may replace the data of an unconfirmed server: no valid data would be lost. */
function mayReplace(position: LogPosition, server: LogPosition): boolean {
  const relation = relate(position, server);
  if (!relation || relation.leftDivergent === 0 || overrules(server, position)) return false;
  return relation.rightDivergent === 0 || supersedes(position, server);
}

/** Whether the state at the position may replace the rest of the server's history: the state contains all of that history. */
function mayComplete(position: LogPosition, server: LogPosition): boolean {
  const relation = relate(position, server);
  if (!relation || position.seq === 0 || overrules(server, position)) return false;
  return relation.rightDivergent === 0 || supersedes(position, server);
}

function isAtLeast(left: LogPosition, right: LogPosition): boolean {
  return holds(left, right) || supersedes(left, right);
}

function isSame({ replica, position, policy }: ReportedPosition, own: ReportedPosition): boolean {
  return (
    replica === own.replica &&
    policy === own.policy &&
    position.epoch === own.position.epoch &&
    position.seq === own.position.seq &&
    position.writeId === own.position.writeId
  );
}
