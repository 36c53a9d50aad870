import { silentLogger } from '../../src/base/logger.ts';
import { conflict, Rejection } from '../../src/base/rejection.ts';
import { yieldControl } from '../../src/base/yield-control.ts';
import type { CommandContext, Decidable } from '../../src/engine/command.ts';
import { type Replica, recover } from '../../src/engine/replica.ts';
import { Writer } from '../../src/engine/writer.ts';
import { loadGuards } from '../../src/features/guards.ts';
import type { Commit } from '../../src/state/commit.ts';
import { State } from '../../src/state/state.ts';
import { MemoryBacking, type MemoryFaults, MemoryStore } from '../../src/stores/memory/memory-store.ts';
import { StoreError } from '../../src/stores/store.ts';
import type { Random } from '../evaluation/random.ts';
import { ManualClock } from '../support/manual-clock.ts';

const GUARDS = await loadGuards();

const BY = { id: 1, name: 'simulation' };
const TURNS = 'turns';

/** One submitted command, and the answer to its sender. */
interface Write {
  /** Names of the tag types it creates, all or none. */
  readonly names: readonly string[];
  answer: 'accepted' | 'taken' | 'not appended' | 'unknown';
  seq: number;
}

/** One step of the total order: every accepted command takes one turn, and is decided on the state it is applied to. */
function takeTurn({ draft }: CommandContext): number {
  return draft.next(TURNS);
}

function create({ draft, emit }: CommandContext, name: string): Rejection | undefined {
  if (draft.get('tagTypes', name)) return conflict(`${name} exists.`);
  draft.put('tagTypes', { name, description: null, icon: null, color: null });
  emit({ type: 'tag-type-created', data: { name } });
  return undefined;
}

const createOne: Decidable<string, number> = { decide: (context, name) => create(context, name) ?? takeTurn(context) };

/** Reads the same counter at every step, to detect a state that changes meanwhile. */
const createMany: Decidable<readonly string[], number> = {
  decide: function* (context, names) {
    const turn = () => context.draft.get('counters', TURNS)?.value;
    const first = turn();
    for (const name of names) {
      yield;
      if (turn() !== first) throw new Error(`decided on a mixture of turn ${first} and turn ${turn()}`);
      const taken = create(context, name);
      if (taken) return taken;
    }
    return takeTurn(context);
  },
};

/** A process: a store, a replica that follows its hints, and a writer. It may crash at any moment. */
class Process {
  readonly replica: Replica;
  readonly store: MemoryStore;
  readonly #writer: Writer;
  crashed = false;

  private constructor(world: World, store: MemoryStore, replica: Replica) {
    this.store = store;
    this.replica = replica;
    const sliceBudgetMs = world.random.chance(0.7) ? 0 : Number.POSITIVE_INFINITY;
    const options = { batchLimit: 1 + world.random.below(4), sliceBudgetMs };
    this.#writer = new Writer(replica, store, world.clock, silentLogger, { guards: GUARDS, ...options });
    replica.onApplied(({ commit }) => world.onApplied(commit));
    // A failure to follow a hint does not matter: the next hint repairs it.
    store.onTip(() => void replica.catchUp().catch(() => {}));
  }

  static async start(world: World): Promise<Process> {
    const faults: MemoryFaults = {};
    const store = new MemoryStore({ backing: world.backing, faults });
    const replica = await recover(store, await store.open(), new State(), silentLogger);
    const started = new Process(world, store, replica);
    world.breakAtRandom(started, faults);
    return started;
  }

  async submit(write: Write): Promise<void> {
    const { names } = write;
    const [name = ''] = names;
    const outcome =
      names.length > 1
        ? await this.#writer.submit(createMany, names, BY)
        : await this.#writer.submit(createOne, name, BY);
    // A crashed process sends no answer.
    if (this.crashed) return;
    if (!(outcome instanceof Rejection)) {
      Object.assign(write, { answer: 'accepted', seq: outcome.seq });
      if (this.replica.state.seq < outcome.seq) throw new Error(`${name} was acknowledged before it could be read`);
    } else if (outcome.name === 'NameExistsError') write.answer = 'taken';
    else if (outcome.message.includes('nothing was changed')) write.answer = 'not appended';
  }
}

/** Several processes on one log, with random events. The same seed makes the same history. */
export class World {
  readonly backing = new MemoryBacking('epoch');
  readonly clock = new ManualClock();
  readonly random: Random;
  readonly writes: Write[] = [];
  /** Problems that were found during the run. */
  readonly problems: string[] = [];
  readonly #faultRate: number;
  #processes: Process[] = [];
  #calm = false;

  constructor(random: Random) {
    this.random = random;
    this.#faultRate = random.pick([0, 0.05, 0.2]);
  }

  async run(): Promise<void> {
    const { random } = this;
    const count = 2 + random.below(2);
    for (let index = 0; index < count; index++) this.#processes.push(await Process.start(this));
    const pending: Promise<void>[] = [];
    for (let left = 4 + random.below(10); left > 0; left--) {
      const submitted = this.#submit();
      pending.push(submitted.catch((error: unknown) => void this.problems.push(String(error))));
      for (let turns = random.below(4); turns > 0; turns--) await yieldControl();
      this.clock.advance(random.below(1_000));
      if (random.chance(this.#faultRate / 2)) await this.#crashOne();
    }
    await Promise.all(pending);
  }

  /** Ends all faults: the remaining processes catch up. Returns their states. */
  async settle(): Promise<State[]> {
    this.#calm = true;
    for (const { replica } of this.#processes) await replica.catchUp();
    return this.#processes.map(({ replica }) => replica.state);
  }

  /** Checks that a visible commit is durable. */
  onApplied({ seq, writeId }: Commit): void {
    const entry = this.backing.log[seq - this.backing.firstSeq];
    const isThere = entry && Buffer.from(entry.bytes).includes(writeId);
    if (!isThere) this.problems.push(`commit ${seq} was visible before it was in the log`);
  }

  /** Makes every store call of the process take a random number of turns, and fail at random. */
  breakAtRandom(process: Process, faults: MemoryFaults): void {
    const { random } = this;
    const step = async (outcomes: readonly ('not-appended' | 'unknown')[]) => {
      for (let turns = random.below(4); turns > 0; turns--) await yieldControl();
      if (this.#calm) return;
      if (random.chance(this.#faultRate / 4)) process.crashed = true;
      if (process.crashed) throw new StoreError('the process has ended', 'unknown');
      if (random.chance(this.#faultRate)) throw new StoreError('a random fault', random.pick(outcomes));
    };
    faults.beforeAppend = () => step(['not-appended', 'unknown']);
    faults.afterAppend = () => step(['unknown']);
    faults.beforeRead = () => step(['not-appended']);
    faults.passHint = () => !random.chance(0.3);
  }

  #submit(): Promise<void> {
    const { random } = this;
    const names = random.chance(0.3) ? random.list(2, 6, () => this.#name()) : [this.#name()];
    const write: Write = { names: [...new Set(names)], answer: 'unknown', seq: 0 };
    this.writes.push(write);
    return random.pick(this.#processes).submit(write);
  }

  /** One of few names, so that two processes sometimes want the same one. */
  #name(): string {
    return `name-${this.random.below(40)}`;
  }

  async #crashOne(): Promise<void> {
    const index = this.random.below(this.#processes.length);
    const process = this.#processes[index] as Process;
    process.crashed = true;
    this.#processes[index] = await Process.start(this);
  }
}
