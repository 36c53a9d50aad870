import {
  type Branch,
  begin,
  epochAt,
  extend,
  type LogPosition,
  positionAt,
  ROOT,
  relate,
} from '../../../src/stores/lineage.ts';
import {
  type LossPolicy,
  type RecoveryAction,
  type ReportedPosition,
  recoveryActionOf,
} from '../../../src/stores/recovery-action.ts';
import { lineOf } from '../../../src/stores/staging.ts';

/** A line and its real content: the names of its writes. The product has the line only. */
interface Content {
  readonly line: LogPosition;
  readonly writes: readonly string[];
}

/** One run of a script on a server. `lineage-scripts.test.ts` checks it against Redis. */
export interface Step {
  readonly script: 'claim' | 'confirm' | 'refill' | 'append' | 'fill';
  readonly before: Server;
  readonly after: Server;
  readonly replica: string;
  readonly position: LogPosition;
}

export interface Server extends Content {
  /** The snapshot it was filled with, which has no entries and is read as a whole. The seq is 0 if it was not filled. */
  readonly filled: Pick<Branch, 'seq' | 'writeId'>;
  readonly isConfirmed: boolean;
  readonly isGraceOver: boolean;
  readonly positions: readonly ReportedPosition[];
  /** It lost keys: it still reports its line, but its writes cannot be read. */
  readonly isIncomplete: boolean;
}

interface Member extends Content {
  readonly name: string;
  readonly policy: LossPolicy;
  /** Which of the servers it is connected to. */
  readonly at: number;
  /** The line it follows, as of its last look at the server; null if it must not append. */
  readonly followed: LogPosition | null;
  readonly copy: Content | null;
  readonly isRefused: string;
}

export interface World {
  readonly servers: readonly Server[];
  readonly members: readonly Member[];
  readonly backups: readonly Content[];
  /** An embedded store, which keeps writing and may be copied into an empty server; null if there is none. */
  readonly embedded: Content | null;
  /** Acknowledged writes whose loss was reported by a member that had them. */
  readonly reported: readonly string[];
  /** Acknowledged writes that a new epoch began without: the members that agreed on the epoch did not have them. */
  readonly givenUp: readonly string[];
  /** Every write that was ever acknowledged. */
  readonly acknowledged: readonly string[];
  readonly epochs: number;
  /** For each epoch, the first epoch of its history. The product has the lines only. */
  readonly firsts: Readonly<Record<string, string>>;
  readonly commitsLeft: number;
  readonly faultsLeft: number;
}

export interface Move {
  readonly name: string;
  readonly next: World;
  readonly step?: Step;
}

export interface Bounds {
  readonly policies: readonly LossPolicy[];
  readonly commits: number;
  readonly faults: number;
  /** Matches the names of the faults that happen. Default: all faults except lost keys. */
  readonly only?: RegExp;
  /** Writes of the embedded store at the start. Default: there is no embedded store. */
  readonly embedded?: number;
}

/** A fault that happens only if `only` matches it: with all the others it doubles the number of worlds. */
const LOSES_KEYS = 'server loses keys';

/** A state that must never be reached. */
export class Violation extends Error {}

const NOTHING: Content = { line: ROOT, writes: [] };

export function start({ policies, commits, faults, embedded = 0 }: Bounds): World {
  const writes = Array.from({ length: embedded }, (_, at) => `e1.${at + 1}`);
  const line = { epoch: 'e1', seq: embedded, writeId: `e1.${embedded}`, ancestors: [] };
  return {
    embedded: embedded > 0 ? { line, writes } : null,
    servers: [{ ...NOTHING, filled: ROOT, isConfirmed: false, isGraceOver: false, positions: [], isIncomplete: false }],
    members: policies.map((policy, index) => ({
      ...NOTHING,
      name: 'abc'[index] ?? '',
      policy,
      at: 0,
      followed: null,
      copy: null,
      isRefused: '',
    })),
    backups: [],
    reported: [],
    givenUp: [],
    acknowledged: writes,
    epochs: embedded > 0 ? 1 : 0,
    firsts: embedded > 0 ? { e1: 'e1' } : {},
    commitsLeft: commits,
    faultsLeft: faults,
  };
}

/** Every possible next move: of the replicas, of time, of the embedded store, and faults. */
export function* movesOf(world: World, only?: RegExp): Generator<Move, void, void> {
  for (const member of world.members) {
    yield* lookMoves(world, member);
    yield* followMoves(world, member);
    yield* appendMoves(world, member);
  }
  yield* timeMoves(world);
  yield* embeddedMoves(world);
  if (world.faultsLeft === 0) return;
  for (const move of faultMoves({ ...world, faultsLeft: world.faultsLeft - 1 })) {
    if (only ? only.test(move.name) : move.name !== LOSES_KEYS) yield move;
  }
}

/** The move that a member makes next, if it has one. */
export function moveOf(world: World, name: string): Move | undefined {
  const member = world.members.find((each) => each.name === name) as Member;
  for (const move of lookMoves(world, member)) return move;
  for (const move of followMoves(world, member)) return move;
  return undefined;
}

function serverOf(world: World, member: Member): Server {
  return world.servers[member.at] as Server;
}

function reportOf({ name, line, policy }: Member): ReportedPosition {
  return { replica: name, position: line, policy };
}

export function courseFor(world: World, member: Member): RecoveryAction {
  const { isConfirmed, isGraceOver, isIncomplete, positions, line } = serverOf(world, member);
  const own = reportOf(member);
  const server = line.epoch === '' ? null : line;
  return recoveryActionOf({
    own,
    server,
    isConfirmed,
    isGraceOver,
    isIncomplete,
    positions: isConfirmed ? [] : positions,
  });
}

function* lookMoves(world: World, member: Member): Generator<Move, void, void> {
  const action = courseFor(world, member);
  const server = serverOf(world, member);
  const name = `${member.name} ${action.name}`;
  if (action.name === 'go-on') {
    if (member.followed?.epoch === server.line.epoch) return;
    yield { name, next: withMember(world, { ...member, followed: server.line, isRefused: '' }) };
  } else if (action.name === 'claim') {
    const positions = [...server.positions.filter(({ replica }) => replica !== member.name), reportOf(member)];
    const after = { ...server, isConfirmed: false, positions: positions.sort(byReplica) };
    yield change(name, world, { ...member, followed: null }, after, 'claim');
  } else if (action.name === 'confirm') {
    const line = begin(newEpoch(world), server.line);
    yield change(name, began(world, server), member, confirmed({ ...server, line }), 'confirm');
  } else if (action.name === 'refill') {
    const line = begin(newEpoch(world), member.line);
    const dropped = server.writes.filter((write) => !member.writes.includes(write));
    // Each write that it drops must have been given up or reported before.
    const silent = dropped.filter((write) => !world.givenUp.includes(write) && !world.reported.includes(write));
    if (silent.length > 0) throw new Violation(`${member.name} refills over ${silent}`);
    yield change(name, began(world, member), member, filledWith({ line, writes: member.writes }), 'refill');
  } else if (action.name === 'give-up' && member.policy === 'refill') {
    const lost = member.writes.slice(action.commonSeq);
    if (lost.length !== action.divergent) throw new Violation(`${lost.length} given up, ${action.divergent} reported`);
    const next = withMember(world, { ...member, ...NOTHING, followed: null });
    yield { name, next: { ...next, reported: union(world.reported, lost) } };
  } else if (action.name === 'refuse' || action.name === 'give-up') {
    const isRefused = action.name === 'refuse' ? action.why : 'halted';
    const { firsts } = world;
    if (isRefused === 'foreign' && firsts[member.line.epoch] === firsts[server.line.epoch]) {
      throw new Violation(`${member.name} takes a line of its own history for a foreign one`);
    }
    if (member.isRefused === isRefused && !member.followed) return;
    yield { name, next: withMember(world, { ...member, followed: null, isRefused }) };
  } else if (member.followed) {
    yield { name, next: withMember(world, { ...member, followed: null }) };
  }
}

/** A member reads from a server only while it follows the server's epoch: the scripts check this. */
function* followMoves(world: World, member: Member): Generator<Move, void, void> {
  const server = serverOf(world, member);
  if (!mayUse(member, server) || member.line.seq >= server.line.seq) return;
  const seq = Math.max(member.line.seq + 1, server.filled.seq);
  if (member.writes.some((own, at) => own !== server.writes[at]))
    throw new Violation(`${member.name} follows another line`);
  const writes = server.writes.slice(0, seq);
  const line = positionAt(server.line, seq, writeAt(server, seq));
  yield { name: `${member.name} follows`, next: withMember(world, { ...member, line, writes }) };
}

function* appendMoves(world: World, member: Member): Generator<Move, void, void> {
  const server = serverOf(world, member);
  if (world.commitsLeft === 0 || !mayUse(member, server)) return;
  if (member.line.seq !== server.line.seq || member.line.writeId !== server.line.writeId) return;
  if (`${member.writes}` !== `${server.writes}`)
    throw new Violation(`${member.name} appends to a line that is not its own`);
  const seq = server.line.seq + 1;
  const write = `${server.line.epoch}.${seq}`;
  // The ETag has the revision and the mark of its epoch: no two writes may share it.
  if (world.acknowledged.includes(write)) throw new Violation(`two lists have the ETag ${write}`);
  const writes = [...server.writes, write];
  const line = extend(server.line, seq, write);
  const next = { ...world, acknowledged: union(world.acknowledged, [write]), commitsLeft: world.commitsLeft - 1 };
  const own = { ...member, writes, line: positionAt(line, seq, write) };
  yield change(`${member.name} appends`, next, own, { ...server, line, writes }, 'append');
}

/** The embedded store's one writer appends, or an empty server is filled with its content. */
function* embeddedMoves(world: World): Generator<Move, void, void> {
  const { embedded, commitsLeft } = world;
  if (!embedded) return;
  if (commitsLeft > 0) {
    const seq = embedded.line.seq + 1;
    const write = `${embedded.line.epoch}.${seq}`;
    const next = { line: extend(embedded.line, seq, write), writes: [...embedded.writes, write] };
    const acknowledged = union(world.acknowledged, [write]);
    yield { name: 'embedded appends', next: { ...world, embedded: next, acknowledged, commitsLeft: commitsLeft - 1 } };
  }
  yield* fillMoves(world, embedded);
}

/** A fill decides that the history ends at the copied position. */
function* fillMoves(world: World, from: Content): Generator<Move, void, void> {
  for (const [at, before] of world.servers.entries()) {
    if (before.line.epoch !== '' || before.positions.length > 0) continue;
    const { seq } = from.line;
    const line = lineOf({ seq, lastEventId: 0, ancestor: from.line }, newEpoch(world), 'w-filled');
    const after = filledWith({ line, writes: from.writes });
    const step = { script: 'fill' as const, before, after, replica: '', position: ROOT };
    yield { name: 'server is filled', next: withServer(began(world, from), at, after), step };
  }
}

/** Grace may end at any time: correctness must not depend on speed. Reported positions expire, also those of crashed members. */
export function* timeMoves(world: World): Generator<Move, void, void> {
  for (const [at, server] of world.servers.entries()) {
    if (server.isConfirmed || server.positions.length === 0) continue;
    if (!server.isGraceOver)
      yield { name: 'grace ends', next: withServer(world, at, { ...server, isGraceOver: true }) };
    else
      yield {
        name: 'positions expire',
        next: withServer(world, at, { ...server, isGraceOver: false, positions: [] }),
      };
  }
}

function* faultMoves(world: World): Generator<Move, void, void> {
  for (const [at, server] of world.servers.entries()) {
    yield { name: 'server starts again', next: withServer(world, at, unconfirmed(server)) };
    if (server.writes.length > 0)
      yield { name: 'server is emptied', next: withServer(world, at, unconfirmed(NOTHING)) };
    // It does not restart: only the missing keys show the loss.
    if (server.writes.length > 0 && !server.isIncomplete)
      yield { name: LOSES_KEYS, next: withServer(world, at, { ...server, isIncomplete: true }) };
    if (server.writes.length > server.filled.seq) {
      yield {
        name: 'server loses its last write',
        next: withServer(world, at, unconfirmed({ ...server, ...shorter(server), isIncomplete: false })),
      };
    }
    for (const backup of world.backups) {
      yield { name: 'server is put back', next: withServer(world, at, unconfirmed(backup)) };
      yield* fillMoves(world, backup);
    }
    const { line, writes, isIncomplete } = server;
    if (world.backups.length === 0 && writes.length > 0 && !isIncomplete) {
      // A backup does not count as a fault.
      yield { name: 'backup', next: { ...world, faultsLeft: world.faultsLeft + 1, backups: [{ line, writes }] } };
    }
  }
  yield* splitMoves(world);
  for (const member of world.members) {
    const { line, writes, copy } = member;
    const gone = { ...member, ...NOTHING, followed: null, isRefused: '' };
    yield { name: `${member.name} crashes`, next: withMember(world, gone) };
    if (copy) yield { name: `${member.name} comes back`, next: withMember(world, { ...gone, ...copy }) };
    if (copy?.line.seq !== line.seq && writes.length > 0) {
      const next = withMember(world, { ...member, copy: { line, writes } });
      yield { name: `${member.name} saves`, next: { ...next, faultsLeft: world.faultsLeft + 1 } };
    }
  }
}

/** A split: two servers that both act as the primary, each with its content, and replicas on both sides. And the end of a split. */
function* splitMoves(world: World): Generator<Move, void, void> {
  const [first, second] = world.servers;
  if (!first) return;
  if (!second) {
    for (const member of world.members) {
      const members = world.members.map((other) => (other === member ? { ...member, at: 1 } : other));
      yield {
        name: `split, ${member.name} elsewhere`,
        next: { ...world, members, servers: [first, unconfirmed(first)] },
      };
      if (first.writes.length === 0) continue;
      yield {
        name: `split behind, ${member.name} elsewhere`,
        next: { ...world, members, servers: [first, unconfirmed(shorter(first))] },
      };
    }
    return;
  }
  for (const kept of [first, second]) {
    const members = world.members.map((member) => ({ ...member, at: 0 }));
    yield { name: 'heal', next: { ...world, members, servers: [kept] } };
  }
}

function mayUse({ followed }: Member, server: Server): boolean {
  return server.isConfirmed && !server.isIncomplete && followed?.epoch === server.line.epoch;
}

function change(name: string, world: World, member: Member, after: Server, script: Step['script']): Move {
  const before = serverOf(world, member);
  const step = { script, before, after, replica: member.name, position: member.line };
  return { name, next: withServer(withMember(world, member), member.at, after), step };
}

/** A new epoch begins with this content: every other acknowledged write is given up. */
function began(world: World, { line, writes }: Content): World {
  const givenUp = world.acknowledged.filter((write) => !writes.includes(write));
  const epoch = newEpoch(world);
  const firsts = { ...world.firsts, [epoch]: world.firsts[line.epoch] ?? epoch };
  return { ...world, epochs: world.epochs + 1, firsts, givenUp: union(world.givenUp, givenUp) };
}

function newEpoch({ epochs }: World): string {
  return `e${epochs + 1}`;
}

/** A server keeps `filled` when its content changes. */
type ServerContent = Content & Partial<Pick<Server, 'filled' | 'isIncomplete'>>;

function confirmed({ line, writes, filled = ROOT }: ServerContent): Server {
  return { line, writes, filled, isConfirmed: true, isGraceOver: false, positions: [], isIncomplete: false };
}

/** Filled by a replica, or with a copy of another store. */
function filledWith({ line, writes }: Content): Server {
  return { ...confirmed({ line, writes }), filled: { seq: line.seq, writeId: line.writeId } };
}

function unconfirmed({ line, writes, filled = ROOT, isIncomplete = false }: ServerContent): Server {
  return { line, writes, filled, isConfirmed: false, isGraceOver: false, positions: [], isIncomplete };
}

/** The content before the last write: the meta key had another tip, and perhaps another epoch. */
function shorter(server: Server): Content {
  const { line, writes } = server;
  const seq = writes.length - 1;
  if (seq === 0) {
    const { epoch } = line.ancestors.at(-1) ?? line;
    return { line: { epoch, seq: 0, writeId: '', ancestors: [] }, writes: [] };
  }
  return { line: positionAt(line, seq, writeAt(server, seq)), writes: writes.slice(0, -1) };
}

/** The id of the write that made this entry on the server. */
function writeAt({ writes, filled }: Server, seq: number): string {
  return seq === filled.seq ? filled.writeId : (writes[seq - 1] as string);
}

function withServer(world: World, at: number, server: Server): World {
  return { ...world, servers: world.servers.map((other, index) => (index === at ? server : other)) };
}

function withMember(world: World, member: Member): World {
  return { ...world, members: world.members.map((other) => (other.name === member.name ? member : other)) };
}

function union(left: readonly string[], right: readonly string[]): readonly string[] {
  return [...new Set([...left, ...right])].sort();
}

function byReplica(left: ReportedPosition, right: ReportedPosition): number {
  return left.replica < right.replica ? -1 : 1;
}

/** Checks for all lines that their relations match those of their real writes. @throws Violation */
export function checkLines(world: World): void {
  const copies = world.members.flatMap(({ copy }) => (copy ? [copy] : []));
  const embedded = world.embedded ? [world.embedded] : [];
  const all: readonly Content[] = [...world.servers, ...world.members, ...copies, ...world.backups, ...embedded];
  for (const { line, writes } of all) {
    if (line.seq !== writes.length) throw new Violation(`the line ends at ${line.seq}, with ${writes.length} writes`);
    for (const [at, write] of writes.entries()) {
      if (`${epochAt(line, at + 1)}.${at + 1}` !== write) throw new Violation(`${write} has another mark`);
    }
  }
  for (const left of all) {
    for (const right of all) {
      const relation = relate(left.line, right.line);
      const common = left.writes.findIndex((write, at) => write !== right.writes[at]);
      const shared = common < 0 ? left.writes.length : common;
      if (relation && relation.commonSeq !== Math.min(shared, right.writes.length)) {
        throw new Violation(`the lines report ${relation.commonSeq} common writes, but share ${shared}`);
      }
    }
  }
}

/** Only a fault may remove the last copy of a write without a report, never a move of the replicas. @throws Violation */
export function checkNoSilence(before: World, { name, next }: Move): void {
  for (const write of next.acknowledged) {
    if (!isStored(before, write) || isStored(next, write) || next.reported.includes(write)) continue;
    throw new Violation(`${name}: ${write} was lost without a report`);
  }
}

function isStored({ servers, members, embedded }: World, write: string): boolean {
  return [
    ...servers.filter(({ isIncomplete }) => !isIncomplete),
    ...members,
    ...(embedded ? [embedded] : []),
    ...members.flatMap(({ copy }) => (copy ? [copy] : [])),
  ].some(({ writes }) => writes.includes(write));
}

/**
 * Equal for worlds that differ only in the names of epochs, and in epochs without writes that no line is in any more: such a difference has no
 * effect on later moves.
 */
export function keyOf(world: World): string {
  const { reported, givenUp, acknowledged, ...rest } = world;
  const lines = linesOf(world);
  const current = new Set(lines.map((line) => line?.epoch ?? ''));
  const mayMatter = ({ epoch, seq }: Branch, at: number, path: readonly Branch[]) =>
    current.has(epoch) || seq !== path[at + 1]?.seq;
  // Of the acknowledged writes, only those that are still stored somewhere can matter.
  const stored = acknowledged.filter(
    (write) => isStored(world, write) || world.backups.some(({ writes }) => writes.includes(write)),
  );
  const states = stored.map(
    (write) => `${write}${reported.includes(write) ? 't' : ''}${givenUp.includes(write) ? 'g' : ''}`,
  );
  const parts = [rest.servers, rest.members, rest.backups, rest.embedded, states, rest.commitsLeft, rest.faultsLeft];
  // Most worlds have no ancestor that makes no difference, and JSON without a replacer takes a fraction of the time.
  const isWhole = lines.every((line) => !line || line.ancestors.every(mayMatter));
  const text = isWhole
    ? JSON.stringify(parts)
    : JSON.stringify(parts, (name, value) => (name === 'ancestors' ? value.filter(mayMatter) : value));
  const names = new Map<string, string>();
  return text.replace(/\be\d+\b/g, (epoch) => {
    const name = names.get(epoch) ?? `x${names.size}`;
    names.set(epoch, name);
    return name;
  });
}

/** Every line of the world, with those of copies. */
function linesOf({ servers, members, backups, embedded }: World): (LogPosition | null | undefined)[] {
  return [
    embedded?.line,
    ...[...servers, ...members, ...backups].map(({ line }) => line),
    ...members.flatMap(({ copy, followed }) => [copy?.line, followed]),
    ...servers.flatMap(({ positions }) => positions.map(({ position }) => position)),
  ];
}
