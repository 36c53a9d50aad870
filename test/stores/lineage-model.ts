import {
  type Branch,
  begin,
  epochAt,
  extend,
  type LogPosition,
  positionAt,
  ROOT,
  relate,
} from '../../src/stores/lineage.ts';
import {
  type LossPolicy,
  type RecoveryAction,
  type ReportedPosition,
  recoveryActionOf,
} from '../../src/stores/recovery-action.ts';
import { lineOf } from '../../src/stores/staging.ts';

/** A line and what it truly holds: the names of its writes. The product knows the line only. */
interface Held {
  readonly line: LogPosition;
  readonly writes: readonly string[];
}

/** One script that changed a server or asked it, as it is checked against Redis. */
export interface Step {
  readonly script: 'claim' | 'confirm' | 'refill' | 'append' | 'fill';
  readonly before: Server;
  readonly after: Server;
  readonly replica: string;
  readonly position: LogPosition;
}

export interface Server extends Held {
  /** What it was filled with: a snapshot without entries, which is taken whole. The seq is 0 when it was not. */
  readonly filled: Pick<Branch, 'seq' | 'writeId'>;
  readonly isConfirmed: boolean;
  readonly isGraceOver: boolean;
  readonly positions: readonly ReportedPosition[];
  /** It lost keys: what it held is said, and cannot be read. */
  readonly isIncomplete: boolean;
}

interface Member extends Held {
  readonly name: string;
  readonly policy: LossPolicy;
  /** Which of the servers it is connected to. */
  readonly at: number;
  /** The line it goes on with, as of when it last looked; null when it must not append. */
  readonly followed: LogPosition | null;
  readonly copy: Held | null;
  readonly isRefused: string;
}

export interface World {
  readonly servers: readonly Server[];
  readonly members: readonly Member[];
  readonly backups: readonly Held[];
  /** A store of one process, which goes on by itself and may be copied into an empty server; null when there is none. */
  readonly embedded: Held | null;
  /** Acknowledged writes whose loss was told by one that held them. */
  readonly told: readonly string[];
  /** What an epoch began without, though a server had acknowledged it: those who agreed on it did not hold it. */
  readonly givenUp: readonly string[];
  /** Every write that was ever acknowledged. */
  readonly acknowledged: readonly string[];
  readonly epochs: number;
  /** By epoch: the first one of its history. The product knows the lines only. */
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
  /** The faults that happen, by name; all of them but lost keys without. */
  readonly only?: RegExp;
  /** Writes of the embedded store at the start; none without. */
  readonly embedded?: number;
  /** As earlier versions copied: they did not know the write of an embedded store. */
  readonly isUntold?: boolean;
}

/** A fault that happens only where it is asked for: with all others it makes twice as many worlds. */
const LOSES_KEYS = 'server loses keys';

/** What must never be seen. */
export class Violation extends Error {}

const NOTHING: Held = { line: ROOT, writes: [] };

export function start({ policies, commits, faults, embedded = 0, isUntold = false }: Bounds): World {
  const writes = Array.from({ length: embedded }, (_, at) => `e1.${at + 1}`);
  const line = { epoch: 'e1', seq: embedded, writeId: isUntold ? '' : `e1.${embedded}`, ancestors: [] };
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
    told: [],
    givenUp: [],
    acknowledged: writes,
    epochs: embedded > 0 ? 1 : 0,
    firsts: embedded > 0 ? { e1: 'e1' } : {},
    commitsLeft: commits,
    faultsLeft: faults,
  };
}

/** Everything that may happen next: what replicas do of themselves, and what happens to them. */
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

/** What replicas do when nothing goes wrong any more. */
export function* calmMovesOf(world: World): Generator<Move, void, void> {
  for (const member of world.members) {
    yield* lookMoves(world, member);
    yield* followMoves(world, member);
  }
  yield* timeMoves(world);
}

function serverOf(world: World, member: Member): Server {
  return world.servers[member.at] as Server;
}

function claimOf({ name, line, policy }: Member): ReportedPosition {
  return { replica: name, position: line, policy };
}

export function courseFor(world: World, member: Member): RecoveryAction {
  const { isConfirmed, isGraceOver, isIncomplete, positions, line } = serverOf(world, member);
  const own = claimOf(member);
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
    const positions = [...server.positions.filter(({ replica }) => replica !== member.name), claimOf(member)];
    const after = { ...server, isConfirmed: false, positions: positions.sort(byReplica) };
    yield change(name, world, { ...member, followed: null }, after, 'claim');
  } else if (action.name === 'confirm') {
    const line = begin(newEpoch(world), server.line);
    yield change(name, began(world, server), member, confirmed({ ...server, line }), 'confirm');
  } else if (action.name === 'refill') {
    const line = begin(newEpoch(world), member.line);
    const dropped = server.writes.filter((write) => !member.writes.includes(write));
    // What it drops was given up before, or it holds the line.
    const silent = dropped.filter((write) => !world.givenUp.includes(write) && !world.told.includes(write));
    if (silent.length > 0) throw new Violation(`${member.name} refills over ${silent}`);
    yield change(name, began(world, member), member, filledWith({ line, writes: member.writes }), 'refill');
  } else if (action.name === 'give-up' && member.policy === 'refill') {
    const given = member.writes.slice(action.commonSeq);
    if (given.length !== action.divergent) throw new Violation(`${given.length} given up, ${action.divergent} told`);
    const next = withMember(world, { ...member, ...NOTHING, followed: null });
    yield { name, next: { ...next, told: union(world.told, given) } };
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

/** What it reads is what the server has while its epoch is the one that is followed: the scripts' guard. */
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
  // The revision and the mark of its epoch make the ETag: never given twice.
  if (world.acknowledged.includes(write)) throw new Violation(`two lists have the ETag ${write}`);
  const writes = [...server.writes, write];
  const line = extend(server.line, seq, write);
  const next = { ...world, acknowledged: union(world.acknowledged, [write]), commitsLeft: world.commitsLeft - 1 };
  const own = { ...member, writes, line: positionAt(line, seq, write) };
  yield change(`${member.name} appends`, next, own, { ...server, line, writes }, 'append');
}

/** Its one writer goes on; and somebody has an empty server filled with what it holds. */
function* embeddedMoves(world: World): Generator<Move, void, void> {
  const { embedded, commitsLeft } = world;
  if (!embedded) return;
  if (commitsLeft > 0) {
    const seq = embedded.line.seq + 1;
    const write = `${embedded.line.epoch}.${seq}`;
    const writeId = embedded.line.writeId === '' ? '' : write;
    const next = { line: extend(embedded.line, seq, writeId), writes: [...embedded.writes, write] };
    const acknowledged = union(world.acknowledged, [write]);
    yield { name: 'embedded appends', next: { ...world, embedded: next, acknowledged, commitsLeft: commitsLeft - 1 } };
  }
  yield* fillMoves(world, embedded);
}

/** Whoever fills a place decides that the history ends where it was taken. */
function* fillMoves(world: World, from: Held): Generator<Move, void, void> {
  for (const [at, before] of world.servers.entries()) {
    if (before.line.epoch !== '' || before.positions.length > 0) continue;
    const { seq } = from.line;
    const line = lineOf({ seq, lastEventId: 0, ancestor: from.line }, newEpoch(world), 'w-filled');
    // An epoch that nothing was known of: as earlier versions left it.
    const [newest, ...older] = line.ancestors;
    const ancestors = newest ? [{ ...newest, writeId: from.line.writeId }, ...older] : [];
    const after = filledWith({ line: { ...line, ancestors }, writes: from.writes });
    const step = { script: 'fill' as const, before, after, replica: '', position: ROOT };
    yield { name: 'server is filled', next: withServer(began(world, from), at, after), step };
  }
}

/** Grace ends whenever it likes: what is right must not rest on how fast anybody is. Claims expire, also those of the dead. */
function* timeMoves(world: World): Generator<Move, void, void> {
  for (const [at, server] of world.servers.entries()) {
    if (server.isConfirmed || server.positions.length === 0) continue;
    if (!server.isGraceOver)
      yield { name: 'grace ends', next: withServer(world, at, { ...server, isGraceOver: true }) };
    else
      yield {
        name: 'claims expire',
        next: withServer(world, at, { ...server, isGraceOver: false, positions: [] }),
      };
  }
}

function* faultMoves(world: World): Generator<Move, void, void> {
  for (const [at, server] of world.servers.entries()) {
    yield { name: 'server starts again', next: withServer(world, at, unconfirmed(server)) };
    if (server.writes.length > 0)
      yield { name: 'server is emptied', next: withServer(world, at, unconfirmed(NOTHING)) };
    // It goes on running: nothing but its keys says so.
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
      // Free: taking a backup is no fault.
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

/** Two servers that both believe that they are the one, with what they had, and replicas on both sides; and back again. */
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

/** An epoch begins with what is held: what else was acknowledged, and could have been there, is given up. */
function began(world: World, { line, writes }: Held): World {
  const givenUp = world.acknowledged.filter((write) => !writes.includes(write));
  const epoch = newEpoch(world);
  const firsts = { ...world.firsts, [epoch]: world.firsts[line.epoch] ?? epoch };
  return { ...world, epochs: world.epochs + 1, firsts, givenUp: union(world.givenUp, givenUp) };
}

function newEpoch({ epochs }: World): string {
  return `e${epochs + 1}`;
}

/** A filled server stays one. */
type Holding = Held & Partial<Pick<Server, 'filled' | 'isIncomplete'>>;

function confirmed({ line, writes, filled = ROOT }: Holding): Server {
  return { line, writes, filled, isConfirmed: true, isGraceOver: false, positions: [], isIncomplete: false };
}

/** By a replica, or from another place. */
function filledWith({ line, writes }: Held): Server {
  return { ...confirmed({ line, writes }), filled: { seq: line.seq, writeId: line.writeId } };
}

function unconfirmed({ line, writes, filled = ROOT, isIncomplete = false }: Holding): Server {
  return { line, writes, filled, isConfirmed: false, isGraceOver: false, positions: [], isIncomplete };
}

/** As it was before its last write: the meta key knew another tip, and maybe another epoch. */
function shorter(server: Server): Held {
  const { line, writes } = server;
  const seq = writes.length - 1;
  if (seq === 0) {
    const { epoch } = line.ancestors.at(-1) ?? line;
    return { line: { epoch, seq: 0, writeId: '', ancestors: [] }, writes: [] };
  }
  return { line: positionAt(line, seq, writeAt(server, seq)), writes: writes.slice(0, -1) };
}

/** By which write a server has the entry. */
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

/** Everybody who holds anything: what the lines say of each other is what is true of the writes. @throws Violation */
export function checkLines(world: World): void {
  const copies = world.members.flatMap(({ copy }) => (copy ? [copy] : []));
  const embedded = world.embedded ? [world.embedded] : [];
  const all: readonly Held[] = [...world.servers, ...world.members, ...copies, ...world.backups, ...embedded];
  for (const { line, writes } of all) {
    if (line.seq !== writes.length) throw new Violation(`${line.seq} said, ${writes.length} held`);
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
        throw new Violation(`${relation.commonSeq} in common said, ${shared} shared`);
      }
    }
  }
}

/** A write that nobody holds any more, and nobody who held it was told: only a fault may do that, never a move of the replicas. @throws Violation */
export function checkNoSilence(before: World, { name, next }: Move): void {
  for (const write of next.acknowledged) {
    if (!isHeld(before, write) || isHeld(next, write) || next.told.includes(write)) continue;
    throw new Violation(`${name}: ${write} vanished in silence`);
  }
}

function isHeld({ servers, members, embedded }: World, write: string): boolean {
  return [
    ...servers.filter(({ isIncomplete }) => !isIncomplete),
    ...members,
    ...(embedded ? [embedded] : []),
    ...members.flatMap(({ copy }) => (copy ? [copy] : [])),
  ].some(({ writes }) => writes.includes(write));
}

/**
 * The same for worlds that differ in the names of epochs only, and in epochs in which nobody ever wrote and nobody stands any more: what would
 * tell them apart cannot happen again.
 */
export function keyOf(world: World): string {
  const { told, givenUp, acknowledged, ...rest } = world;
  const stood = epochsStoodIn(world);
  const mayMatter = ({ epoch, seq }: Branch, at: number, path: readonly Branch[]) =>
    stood.has(epoch) || seq !== path[at + 1]?.seq;
  // Of what was ever acknowledged, only what somebody still holds can matter.
  const held = acknowledged.filter(
    (write) => isHeld(world, write) || world.backups.some(({ writes }) => writes.includes(write)),
  );
  const facts = held.map((write) => `${write}${told.includes(write) ? 't' : ''}${givenUp.includes(write) ? 'g' : ''}`);
  const text = JSON.stringify(
    [rest.servers, rest.members, rest.backups, rest.embedded, facts, rest.commitsLeft, rest.faultsLeft],
    (name, value) => (name === 'ancestors' ? value.filter(mayMatter) : value),
  );
  const names = new Map<string, string>();
  return text.replace(/\be\d+\b/g, (epoch) => {
    const name = names.get(epoch) ?? `x${names.size}`;
    names.set(epoch, name);
    return name;
  });
}

function epochsStoodIn({ servers, members, backups, embedded }: World): ReadonlySet<string> {
  const lines = [
    embedded?.line,
    ...[...servers, ...members, ...backups].map(({ line }) => line),
    ...members.flatMap(({ copy, followed }) => [copy?.line, followed]),
    ...servers.flatMap(({ positions }) => positions.map(({ position }) => position)),
  ];
  return new Set(lines.map((line) => line?.epoch ?? ''));
}
