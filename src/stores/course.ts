import { holds, type LogPosition, overrules, ROOT, relate, supersedes } from './lineage.ts';

/** What is done when a store holds less than replicas know: put it back from memory, or refuse writes until somebody has put it right. */
export type LossPolicy = 'refill' | 'halt';

/** How far a replica knows the history, as it tells the others. */
export interface Claim {
  readonly replica: string;
  readonly position: LogPosition;
  readonly policy: LossPolicy;
}

/** What a replica that wonders how to go on can know. */
interface Situation {
  readonly own: Claim;
  /** Where the server's history stands; null when it has none. */
  readonly server: LogPosition | null;
  /** Whether replicas agreed on this run of the server. */
  readonly isConfirmed: boolean;
  /** What replicas told since the server was last confirmed, this one's own included; empty while it is. */
  readonly claims: readonly Claim[];
  /** Whether every replica had time to tell. */
  readonly isGraceOver: boolean;
  /** Keys of the server are gone: it says where its history stands, and does not hold all of it. */
  readonly isIncomplete?: boolean;
}

/** How a replica goes on. */
export type Course =
  /** Read and append: the server holds all that this replica does. */
  | { readonly name: 'go-on' }
  /** Tell what is known here. On a confirmed run that takes the confirmation back: nobody appends until this is settled. */
  | { readonly name: 'claim' }
  /** Others may still tell more. */
  | { readonly name: 'wait' }
  /** Nobody holds more than the server: it goes on, in a new epoch. */
  | { readonly name: 'confirm' }
  /** This replica holds the server's history, and all that anybody else does: it puts its state there. */
  | { readonly name: 'refill' }
  /** Another replica is about to refill it. */
  | { readonly name: 'await'; readonly replica: string; readonly seq: number }
  /** The server's line counts, and `divergent` entries of this replica after `commonSeq` are not part of it. */
  | { readonly name: 'give-up'; readonly commonSeq: number; readonly divergent: number }
  /** Neither line may be dropped without somebody deciding it. */
  | { readonly name: 'refuse'; readonly why: 'foreign' | 'contested' | 'halted' | 'incomplete' };

/**
 * The one statement of what a replica may do: docs/decisions/store-redis-lineage.md has it as a table. Positions are compared as lines, never
 * by number. It is explored exhaustively by test/stores/lineage-model.test.ts.
 */
export function courseOf(situation: Situation): Course {
  const { own, isConfirmed, isIncomplete = false } = situation;
  const server = situation.server ?? ROOT;
  const relation = relate(own.position, server);
  if (!relation) return { name: 'refuse', why: 'foreign' };
  if (isIncomplete) return agree(situation, server, mayComplete(own.position, server));
  const { commonSeq, leftDivergent: divergent, rightDivergent: serverDivergent } = relation;
  const isParted = serverDivergent > 0 && (isConfirmed || !supersedes(own.position, server));
  if (divergent > 0 && (isParted || overrules(server, own.position))) {
    return { name: 'give-up', commonSeq, divergent };
  }
  if (isConfirmed) {
    if (divergent === 0) return { name: 'go-on' };
    return own.policy === 'halt' ? { name: 'refuse', why: 'halted' } : { name: 'claim' };
  }
  return agree(situation, server, divergent > 0);
}

/** Every replica claims what it holds, and then one is chosen. */
function agree(situation: Situation, server: LogPosition, hasMore: boolean): Course {
  const { own, claims, isGraceOver } = situation;
  if (!claims.some((claim) => isSame(claim, own))) return { name: 'claim' };
  if (!isGraceOver) return { name: 'wait' };
  return elect(situation, server, hasMore);
}

/** What comes of the claims. Every replica comes to the same from the same claims and policy, and acts only while they are the same. */
function elect({ own, claims, isIncomplete }: Situation, server: LogPosition, hasMore: boolean): Course {
  // Nobody who may go on waits for one that never will.
  const counted = own.policy === 'halt' ? claims : claims.filter(({ policy }) => policy !== 'halt');
  const may = isIncomplete ? mayComplete : mayReplace;
  const candidates = counted.filter(({ position }) => may(position, server));
  if (candidates.length === 0) {
    if (own.policy === 'halt' && hasMore) return { name: 'refuse', why: 'halted' };
    return isIncomplete ? { name: 'refuse', why: 'incomplete' } : { name: 'confirm' };
  }
  const best = candidates.filter((one) => candidates.every((other) => isAtLeast(one.position, other.position)));
  const chosen = best
    .filter(({ policy }) => policy !== 'halt')
    .sort((left, right) => (left.replica < right.replica ? -1 : 1))[0];
  if (chosen) {
    if (chosen.replica === own.replica) return { name: 'refill' };
    return { name: 'await', replica: chosen.replica, seq: chosen.position.seq };
  }
  const [other] = best;
  if (!hasMore && other) return { name: 'await', replica: other.replica, seq: other.position.seq };
  return { name: 'refuse', why: best.length > 0 ? 'halted' : 'contested' };
}

/** Whether the state at the position may take the place of what an unconfirmed server holds: nothing that counts would be lost with that. */
function mayReplace(position: LogPosition, server: LogPosition): boolean {
  const relation = relate(position, server);
  if (!relation || relation.leftDivergent === 0 || overrules(server, position)) return false;
  return relation.rightDivergent === 0 || supersedes(position, server);
}

/** Whether the state at the position may take the place of what is left of the server's history: it holds all of it. */
function mayComplete(position: LogPosition, server: LogPosition): boolean {
  const relation = relate(position, server);
  if (!relation || position.seq === 0 || overrules(server, position)) return false;
  return relation.rightDivergent === 0 || supersedes(position, server);
}

function isAtLeast(left: LogPosition, right: LogPosition): boolean {
  return holds(left, right) || supersedes(left, right);
}

function isSame({ replica, position, policy }: Claim, own: Claim): boolean {
  return (
    replica === own.replica &&
    policy === own.policy &&
    position.epoch === own.position.epoch &&
    position.seq === own.position.seq &&
    position.writeId === own.position.writeId
  );
}
