import { SERVICE } from '../../src/base/asking/asker.ts';
import { type Logger, silentLogger } from '../../src/base/logger.ts';
import { conflict, Rejection } from '../../src/base/rejection.ts';
import { yieldControl } from '../../src/base/yield-control.ts';
import { AppendGate } from '../../src/engine/append-gate.ts';
import type { Decidable } from '../../src/engine/command.ts';
import type { Divergence } from '../../src/engine/divergent-commits.ts';
import { Follower } from '../../src/engine/follower.ts';
import { LossKeeper } from '../../src/engine/loss-keeper.ts';
import { Replica } from '../../src/engine/replica.ts';
import { Writer } from '../../src/engine/writer.ts';
import { loadGuards } from '../../src/features/guards.ts';
import type { Project } from '../../src/model/project.ts';
import { decodeCommit } from '../../src/state/commit.ts';
import { decodeSnapshot, encodeSnapshot } from '../../src/state/snapshot.ts';
import { type AppliedCommit, State } from '../../src/state/state.ts';
import { type LogPosition, relate } from '../../src/stores/lineage.ts';
import { StoreError } from '../../src/stores/store.ts';
import { ClientViews } from '../../src/views/client/client-views.ts';
import type { Random } from '../evaluation/random.ts';
import { flag } from '../support/admin.ts';
import { ManualClock } from '../support/manual-clock.ts';
import { type Holdings, MemoryServer, type SharedMemoryFaults, SharedMemoryStore } from './shared-memory-store.ts';

const GUARDS = await loadGuards();

const BY = { id: 1, name: 'simulation' };
const SCOPE = { environment: 'development', projects: null };
const AT = '2026-01-01T00:00:00.000Z';

const PROJECT: Project = {
  id: 'default',
  name: 'default',
  description: null,
  mode: 'open',
  defaultStickiness: 'default',
  featureLimit: null,
  environments: ['development'],
  createdAt: AT,
  updatedAt: AT,
  archivedAt: null,
};

const createFlag: Decidable<string, string> = {
  decide({ draft, emit }, name) {
    if (draft.get('features', name)) return conflict(`${name} exists.`);
    if (!draft.get('projects', PROJECT.id)) draft.put('projects', PROJECT);
    draft.put('features', flag(name));
    emit({ type: 'feature-created', featureName: name, project: PROJECT.id, data: { name } });
    return name;
  },
};

/** The copy of the state on the disk of a process. */
interface Copy {
  readonly pieces: readonly Uint8Array[];
  readonly position: LogPosition;
}

/** A process like a service, without HTTP and disk: the code that follows, writes and settles losses is the real code. */
class Member {
  readonly replica: Replica;
  readonly store: SharedMemoryStore;
  readonly views: ClientViews;
  readonly #world: MemberWorld;
  readonly #follower: Follower;
  readonly #losses: LossKeeper;
  readonly #writer: Writer;
  readonly #joining: Promise<void>;
  crashed = false;
  isCutOff = false;
  copy: Copy | null = null;

  constructor(world: MemberWorld, state: State, known: LogPosition | undefined) {
    this.#world = world;
    const { clock } = world;
    const faults: SharedMemoryFaults = {};
    const newEpoch = () => world.newEpoch();
    const options = { server: world.server, clock, faults, newEpoch, replica: newEpoch(), ...(known ? { known } : {}) };
    this.store = new SharedMemoryStore(options);
    world.breakAtRandom(this, faults);
    this.replica = new Replica(state, this.store);
    this.views = new ClientViews(state);
    this.replica.onApplied((applied) => this.views.apply(applied));
    this.replica.prepareWith(async (next) => {
      const lists = await this.views.successor(next);
      return { apply: (applied) => lists.apply(applied), takeOver: () => this.views.takeOver(lists) };
    });
    const gate = new AppendGate(this.store, this.replica);
    this.#follower = new Follower(this.replica, this.store, clock, silentLogger);
    this.#losses = new LossKeeper({
      replica: this.replica,
      store: this.store,
      gate,
      clock,
      // Commits that are given up are logged, with the path of their file.
      logger: { debug() {}, info() {}, warn() {}, fatal() {}, error: (line: object) => world.onLoss(line) } as Logger,
      policy: 'refill',
      hasJoined: () => this.#follower.hasJoined,
      saveDivergentCommits: (divergence, commits, states) => world.writeDown(this, divergence, commits, states),
      setCopyAside: () => world.putAside(this),
    });
    const sliceBudgetMs = world.random.chance(0.7) ? 0 : Number.POSITIVE_INFINITY;
    this.#writer = new Writer(this.replica, gate, clock, silentLogger, {
      guards: GUARDS,
      sliceBudgetMs,
      batchLimit: 3,
    });
    this.#joining = this.#join();
  }

  get seq(): number {
    return this.replica.state.seq;
  }

  get isLevel(): boolean {
    const { server } = this.#world;
    const isFollowed = this.store.status().reachable && this.#follower.hasJoined && !this.replica.isForeign;
    return server.isConfirmed && isFollowed && this.seq === server.line.seq && this.#follower.lag.commits === 0;
  }

  get defect() {
    return this.#follower.defect;
  }

  get losses() {
    return this.#losses.counts;
  }

  names(): string[] {
    return [...this.replica.state.values('features')].map(({ name }) => name);
  }

  submit(name: string) {
    return this.#writer.submit(createFlag, name, BY);
  }

  /** Acts as a client: reads the current list and its ETag. */
  async poll(): Promise<void> {
    const view = this.views.view(SCOPE, 2);
    await view.refresh();
    this.#world.onAnswer(view.etag, Buffer.concat(view.identity.parts).toString());
  }

  /** Acts as a client that has seen a revision on another replica. */
  async pollAfter(revision: number): Promise<void> {
    if (await this.replica.waiters.wait(revision, 60_000)) await this.poll();
  }

  async saveCopy(): Promise<void> {
    const { position } = this.store;
    const { state } = this.replica;
    const { seq, generation } = state;
    if (this.replica.isForeign || position.seq !== seq) return;
    const pieces: Uint8Array[] = [];
    for await (const piece of encodeSnapshot(state, SERVICE)) pieces.push(piece);
    if (state.seq === seq && state.generation === generation) this.copy = { pieces, position };
  }

  async snapshot(): Promise<void> {
    const info = await this.store.saveSnapshot(this.seq, this.replica.snapshot());
    await this.store.trim(info.seq);
  }

  async close(): Promise<void> {
    this.replica.waiters.close();
    const closing = [this.#writer.close(), this.#losses.close(), this.#follower.close(), this.store.close()];
    await this.#world.passTimeUntil(Promise.all(closing));
    await this.#joining;
  }

  async #join(): Promise<void> {
    for (let isOpen = false; !this.crashed && !this.#world.isOver; ) {
      try {
        if (!isOpen) await this.store.open();
        isOpen = true;
        await this.#follower.join();
        return;
      } catch (error) {
        if (!(error instanceof StoreError)) this.#world.problems.push(`joining: ${error}`);
        await this.#world.clock.sleep(200);
      }
    }
  }
}

/** Several members on one server, with random events. The same seed makes the same history. */
export class MemberWorld {
  readonly server = new MemoryServer();
  readonly clock = new ManualClock();
  readonly random: Random;
  readonly problems: string[] = [];
  readonly accepted = new Set<string>();
  /** Names that a member reported as given up, or that have no copy left. */
  readonly #accountedFor = new Set<string>();
  /** The files on the disks: for each path, the names in the file. */
  readonly #files = new Map<string, readonly string[]>();
  readonly #accounts: Promise<void>[] = [];
  readonly #unread: string[] = [];
  readonly #answers = new Map<string, string>();
  readonly #saved: MemoryServer['holdings'][] = [];
  readonly #faultRate: number;
  readonly #polls: Promise<unknown>[] = [];
  #members: Member[] = [];
  #epochs = 0;
  #names = 0;
  #calm = false;
  isOver = false;

  constructor(random: Random) {
    this.random = random;
    this.#faultRate = random.pick([0, 0.02, 0.1]);
  }

  newEpoch(): string {
    return String(++this.#epochs).padStart(8, '0');
  }

  async run(): Promise<void> {
    const { random } = this;
    const count = 2 + random.below(2);
    for (let index = 0; index < count; index++) this.#members.push(new Member(this, new State(), undefined));
    await this.#pass(3_000);
    const writes: Promise<unknown>[] = [];
    for (let left = 12 + random.below(20); left > 0; left--) {
      const member = random.pick(this.#members);
      const what = random.next();
      if (what < 0.5) writes.push(this.#write(member));
      else if (what < 0.62) this.#polls.push(member.poll(), member.pollAfter(this.server.line.seq));
      else if (what < 0.7) this.#saved.push(this.server.holdings);
      else if (what < 0.77) await member.snapshot().catch(() => {});
      else if (what < 0.81) await member.saveCopy();
      else if (what < 0.85) member.isCutOff = !member.isCutOff;
      else if (what < 0.88) await this.#tear(member);
      else if (what < 0.91) await this.#comeBack();
      else if (what < 0.92) this.#loseKeys();
      else if (what < 0.94) await this.#crash(member);
      else await this.#pass(random.pick([300, 3_000, 40_000]));
      for (let turns = random.below(6); turns > 0; turns--) await yieldControl();
      if (random.chance(0.3)) await this.#pass(random.below(2_500));
    }
    await this.passTimeUntil(Promise.all(writes));
  }

  /** Ends all faults: every member must become level, and accept writes. */
  async settle(): Promise<readonly Member[]> {
    this.#calm = true;
    // Lost keys are noticed at the next look. Until they are restored, it is right to refuse writes.
    const isCalm = () => !this.server.isIncomplete && this.#members.every(({ isLevel }) => isLevel);
    for (let tries = 0; tries < 60 && !isCalm(); tries++) {
      await this.#pass(2_500);
      if (tries >= 30) await this.#decideForThem();
    }
    for (const member of this.#members) if (!member.isLevel) this.problems.push(`not level: ${describe(member)}`);
    if (this.problems.length === 0) await this.#expectWrites();
    const polls = Promise.all([...this.#polls, ...this.#members.map((member) => member.poll())]);
    for (const member of this.#members) member.replica.waiters.close();
    await this.passTimeUntil(polls);
    await Promise.all(this.#accounts);
    const present = new Set(this.#members.flatMap((member) => member.names()));
    for (const name of this.accepted) {
      if (!present.has(name) && !this.#accountedFor.has(name)) this.problems.push(`${name} was lost without a report`);
    }
    for (const name of this.#unread) {
      if (!this.#accountedFor.has(name)) this.problems.push(`${name} was acknowledged and could not be read`);
    }
    return this.#members;
  }

  async close(): Promise<void> {
    this.isOver = true;
    for (const member of this.#members) await member.close();
  }

  /** Advances the clock until `work` has ended. */
  async passTimeUntil(work: Promise<unknown>): Promise<void> {
    let isDone = false;
    void work.then(
      () => (isDone = true),
      (error: unknown) => {
        isDone = true;
        this.problems.push(String(error));
      },
    );
    for (let turns = 0; !isDone && turns < 2_000; turns++) await this.#pass(100);
    if (!isDone) this.problems.push('something waits for ever');
  }

  onAnswer(etag: string, list: string): void {
    const before = this.#answers.get(etag);
    if (before !== undefined && before !== list) this.problems.push(`one ETag, two lists: ${etag}`);
    this.#answers.set(etag, list);
  }

  /** Like `saveDivergentCommits`, on a disk that stores only names, to check what was reported. */
  async writeDown(
    member: Member,
    { position, commonSeq }: Divergence,
    divergent: Iterable<AppliedCommit> | null,
    { before, after }: { readonly before: State; readonly after: State },
  ): Promise<string> {
    const commits = divergent && [...divergent];
    const seqs = commits?.map(({ commit }) => commit.seq);
    if (seqs && !(seqs[0] === commonSeq + 1 && seqs.at(-1) === position.seq)) {
      this.problems.push(`saved: ${seqs}; given up: after ${commonSeq}, through ${position.seq}`);
    }
    const had = (state: State) => new Set([...state.values('features')].map(({ name }) => name));
    const there = had(after);
    const names = commits
      ? commits.flatMap(({ changes }) => changes.filter(({ collection }) => collection === 'features'))
      : [...had(before)].filter((name) => !there.has(name)).map((key) => ({ key }));
    return this.#put(
      member,
      names.map(({ key }) => key),
    );
  }

  putAside(member: Member): Promise<string> {
    return this.#put(member, member.names());
  }

  /** Called for an error that a member logs. The names in its file count as reported, unless the current history has them. */
  onLoss({ file, err }: { file?: string | null; err?: Error }): void {
    if (err && !(err instanceof StoreError)) this.problems.push(`a loss is not settled: ${err.stack}`);
    const names = file ? this.#files.get(file) : undefined;
    if (names) this.#accounts.push(this.#account(names, []));
  }

  breakAtRandom(member: Member, faults: SharedMemoryFaults): void {
    const { random } = this;
    const step = async (outcome: 'not-appended' | 'unknown') => {
      for (let turns = random.below(3); turns > 0; turns--) await yieldControl();
      if (member.crashed) throw new StoreError('the process has ended', 'unknown');
      if (!this.#calm && random.chance(this.#faultRate)) throw new StoreError('a random fault', outcome);
    };
    faults.beforeAppend = () => step('not-appended');
    faults.afterAppend = () => step('unknown');
    faults.beforeRead = () => step('not-appended');
    faults.isCutOff = () => member.isCutOff && !this.#calm;
    faults.passHint = () => this.#calm || !random.chance(0.3);
  }

  async #write(member: Member): Promise<void> {
    const name = `flag-${++this.#names}`;
    const outcome = await member.submit(name);
    if (member.crashed || outcome instanceof Rejection) return;
    this.accepted.add(name);
    if (!member.names().includes(name)) this.#unread.push(name);
  }

  /** Restarts the server: with its current content, with earlier content, or empty. */
  async #comeBack(): Promise<void> {
    const { random, server } = this;
    const earlier = this.#saved.length > 0 ? random.pick(this.#saved) : undefined;
    const holdings = random.pick([server.holdings, earlier, undefined]);
    server.comeBackWith(holdings);
    await this.#noteGone();
  }

  /** The server keeps running. Members with its whole line refill it. If there are none, an operator restores it. */
  #loseKeys(): void {
    if (this.server.line.seq > 0) this.server.isIncomplete = true;
  }

  /** Acts as an operator: of unrelated lines, keeps that of the server, or that of one member if the server has none. */
  async #decideForThem(): Promise<void> {
    if (this.server.isIncomplete && this.#members.some(({ store }) => store.loss?.kind === 'incomplete')) {
      this.server.comeBackWith(this.server.holdings);
      return;
    }
    // The one with the most commits: the line of a member that is behind may have two different continuations.
    const [chosen] = this.#members
      .filter(({ store }) => store.position.seq > 0)
      .sort((left, right) => right.store.position.seq - left.store.position.seq);
    for (const [index, member] of this.#members.entries()) {
      const { loss, position } = member.store;
      const isOther = !this.server.isConfirmed && chosen && !isOneLine(chosen.store.position, position);
      if (loss?.kind !== 'foreign' && !isOther) continue;
      await this.#account(member.names(), isOther ? chosen.names() : []);
      member.crashed = true;
      void member.close();
      this.#members[index] = new Member(this, new State(), undefined);
    }
  }

  /** The server loses writes that only one member has, and the others write while that one is disconnected. */
  async #tear(member: Member): Promise<void> {
    const others = this.#members.filter((other) => other !== member);
    const holdings = this.server.holdings;
    for (const other of others) other.isCutOff = true;
    for (let left = 1 + this.random.below(3); left > 0; left--) await this.passTimeUntil(this.#write(member));
    member.isCutOff = true;
    for (const other of others) other.isCutOff = false;
    this.server.comeBackWith(holdings);
    await this.#pass(3_500);
    for (let left = this.random.below(4); left > 0; left--)
      await this.passTimeUntil(this.#write(this.random.pick(others)));
  }

  async #crash(member: Member): Promise<void> {
    const index = this.#members.indexOf(member);
    member.crashed = true;
    const copy = this.random.chance(0.6) ? member.copy : null;
    void member.close();
    const state = copy ? await decodeSnapshot(iterate(copy.pieces)) : new State();
    this.#members[index] = new Member(this, state, copy?.position);
    await this.#noteGone();
  }

  /** Accounts for writes without a copy in any process or on the server: no member can report their loss. */
  async #noteGone(): Promise<void> {
    await this.#account(
      [...this.accepted],
      this.#members.flatMap((member) => member.names()),
    );
  }

  /** Accounts for the names that are neither on the server now nor in `kept`. */
  async #account(names: readonly string[], kept: readonly string[]): Promise<void> {
    const there = await namesIn(this.server.holdings);
    for (const name of names) if (!there.has(name) && !kept.includes(name)) this.#accountedFor.add(name);
  }

  /** Writes a file, after a random delay. */
  async #put(member: Member, names: readonly string[]): Promise<string> {
    for (let turns = this.random.below(3); turns > 0; turns--) await yieldControl();
    if (member.crashed) throw new StoreError('the process has ended', 'unknown');
    const path = `file-${this.#files.size}`;
    this.#files.set(path, names);
    return path;
  }

  async #expectWrites(): Promise<void> {
    for (const member of this.#members) {
      const name = `last-${++this.#names}`;
      const outcome = member.submit(name);
      await this.passTimeUntil(outcome);
      const answer = await outcome;
      if (answer instanceof Rejection) this.problems.push(`writes do not resume: ${answer.message}`);
    }
    for (let tries = 0; tries < 20 && !this.#members.every(({ isLevel }) => isLevel); tries++) await this.#pass(1_000);
  }

  /** Advances the clock in steps that are small enough for all members to act in between. */
  async #pass(ms: number): Promise<void> {
    for (let left = ms; left > 0; left -= 500) {
      this.clock.advance(Math.min(500, left));
      for (let turns = 0; turns < 4; turns++) await yieldControl();
    }
  }
}

function describe(member: Member): string {
  return JSON.stringify({
    seq: member.seq,
    position: member.store.position,
    foreign: member.replica.isForeign,
    defect: member.defect,
    status: member.store.status(),
    loss: member.store.loss,
    line: member.store.server.line,
    firstSeq: member.store.server.holdings.firstSeq,
    snap: member.store.server.holdings.snapshot?.info.seq,
  });
}

function isOneLine(left: LogPosition, right: LogPosition): boolean {
  const relation = relate(left, right);
  return relation !== null && Math.min(relation.leftDivergent, relation.rightDivergent) === 0;
}

async function namesIn({ snapshot, log }: Holdings): Promise<ReadonlySet<string>> {
  const state = snapshot ? await decodeSnapshot(iterate(snapshot.pieces)) : new State();
  for (const { seq, bytes } of log) if (seq > state.seq) state.apply(decodeCommit(bytes));
  return new Set([...state.values('features')].map(({ name }) => name));
}

async function* iterate<T>(items: readonly T[]): AsyncGenerator<T, void, void> {
  for (const item of items) yield item;
}
