import { begin, extend, type LogPosition, ROOT } from '../../../src/stores/lineage.ts';
import { type AppendParts, appendBatch } from '../../../src/stores/redis/append.ts';
import type { History } from '../../../src/stores/redis/history.ts';
import { keysOf, STORE_FORMAT } from '../../../src/stores/redis/keys.ts';
import { DEFAULT_TIMEOUTS } from '../../../src/stores/redis/options.ts';
import {
  LostAnswerError,
  NotSentError,
  RefusedError,
  type Reply,
  type Session,
  script,
} from '../../../src/stores/redis/session.ts';
import { TRIM } from '../../../src/stores/redis/snapshot-scripts.ts';
import { StoreError } from '../../../src/stores/store.ts';
import type { Random } from '../../evaluation/random.ts';

const keys = keysOf('simulated');
const EPOCH = 'epoch';
const GUARD = [STORE_FORMAT, EPOCH, 'run'] as const;

/** The value of a service: longer than an append may last. */
export const KEPT_MS = 2 * (DEFAULT_TIMEOUTS.appendMs + DEFAULT_TIMEOUTS.commandMs);
/** `TRIM` with the time of the schedule. */
const TRIM_AT = script(TRIM.source.replace("redis.call('TIME')", '{ARGV[7], ARGV[8]}'));
/** An append by another writer, whose connection works. */
const ANOTHER = script(`
local tip = redis.call('HINCRBY', KEYS[1], 'tip', 1)
local name = 'another.' .. tip
redis.call('XADD', KEYS[2], tip .. '-0', 'w', name, 'd', name)
redis.call('XADD', KEYS[3], redis.call('HINCRBY', KEYS[1], 'lastEvent', 1) .. '-0', 'd', name)
return redis.call('HSET', KEYS[1], 'tipWrite', name)
`);

type Outcome = 'appended' | 'not-appended' | 'unknown';

/** An update that a caller wants to make once, with the answer to each of its requests. Requests are named `update.0`, `update.1`. */
interface Update {
  readonly name: string;
  readonly answers: Outcome[];
}

/** Decides what happens next where several events are possible. */
export interface Chance {
  /** Returns one of the names, each with the probability of its weight; never a name with weight 0. */
  oneOf<Name extends string>(weights: Readonly<Record<Name, number>>): Name;
  /** Returns how much time passes: less than `limit`. */
  ms(limit: number): number;
}

/** Takes one random way. */
export class SomeWay implements Chance {
  readonly #random: Random;

  constructor(random: Random) {
    this.#random = random;
  }

  oneOf<Name extends string>(weights: Readonly<Record<Name, number>>): Name {
    const names = namesOf(weights);
    let left = this.#random.next() * names.reduce((sum, name) => sum + weights[name], 0);
    for (const name of names) {
      left -= weights[name];
      if (left < 0) return name;
    }
    return names.at(-1) as Name;
  }

  ms(limit: number): number {
    return this.#random.below(limit);
  }
}

interface Choice {
  taken: number;
  readonly width: number;
}

/** Takes every way, one after the other: `next` returns whether there is another one. Each step takes the longest time it may. */
export class EveryWay implements Chance {
  /** The choices of this way in order: for each, the option taken and the number of options. */
  readonly #choices: Choice[] = [];
  #at = 0;

  next(): boolean {
    this.#at = 0;
    while (this.#choices.length > 0) {
      const last = this.#choices.at(-1) as Choice;
      if (++last.taken < last.width) return true;
      this.#choices.pop();
    }
    return false;
  }

  oneOf<Name extends string>(weights: Readonly<Record<Name, number>>): Name {
    const names = namesOf(weights);
    if (this.#at === this.#choices.length) this.#choices.push({ taken: 0, width: names.length });
    return names[this.#choices[this.#at++]?.taken ?? 0] as Name;
  }

  ms(limit: number): number {
    return limit - 1;
  }

  /** The way that was taken last, for messages. */
  toString(): string {
    return this.#choices.map(({ taken }) => taken).join(' ');
  }
}

function namesOf<Name extends string>(weights: Readonly<Record<Name, number>>): Name[] {
  return (Object.keys(weights) as Name[]).filter((name) => weights[name] > 0);
}

export interface Conditions {
  readonly updates: number;
  /** The most events of others between two tries of an append. */
  readonly turns: number;
  /** How many tries of an append may fail if `isShort`. */
  readonly faults: number;
  /** Limits for the whole run. */
  readonly most: { readonly failures: number; readonly appends: number; readonly trims: number };
  /** How long trimmed entries are kept. */
  readonly keptMs: number;
  /** Whether connections recover before an append is given up, and no writer ends: then every request gets an answer. */
  readonly isShort: boolean;
}

/**
 * Real scripts on a real server, over connections that lose requests, lose answers and deliver late; the log is trimmed in between. Callers
 * change writers, and repeat an update whose outcome is unknown.
 */
export class World {
  readonly #chance: Chance;
  readonly updates: Update[] = [];
  readonly problems: string[] = [];
  /** Every entry that was ever appended, in order: the log itself is trimmed. */
  readonly #history: string[] = [];
  readonly #session: Session;
  readonly #conditions: Conditions;
  readonly #left: { failures: number; appends: number; trims: number };
  readonly #late: (() => Promise<unknown>)[] = [];
  #nowMs = 0;
  /** The failed tries of the append in progress. */
  #faults = 0;
  #isWriterGone = false;
  conflicts = 0;
  /** How often the log no longer showed which request had appended an entry. */
  gone = 0;

  constructor(chance: Chance, session: Session, conditions: Conditions) {
    this.#chance = chance;
    this.#session = session;
    this.#conditions = conditions;
    this.#left = { ...conditions.most };
  }

  async run(): Promise<void> {
    await this.#session.command('FLUSHALL');
    const begin = { format: STORE_FORMAT, epoch: EPOCH, run: 'run', tip: 0, tipWrite: '', firstSeq: 1, lastEvent: 0 };
    await this.#session.command('HSET', keys.meta, ...Object.entries(begin).flat());
    // One after the other, so that a seed always takes the same way. Appends and trims by others happen in between.
    for (let index = 0; index < this.#conditions.updates; index++) await this.#update(`update-${index}`);
    for (const deliver of this.#late.splice(0)) await deliver();
    await this.#note();
    await this.#check();
  }

  get unknown(): number {
    return this.updates.flatMap(({ answers }) => answers).filter((answer) => answer === 'unknown').length;
  }

  /** Acts as a caller that repeats the update until it is acknowledged, at most 5 times. */
  async #update(name: string): Promise<void> {
    const answers: Outcome[] = [];
    this.updates.push({ name, answers });
    while (answers.at(-1) !== 'appended' && answers.length < 5)
      answers.push(await this.#request(`${name}.${answers.length}`));
  }

  /** Acts as a writer: after a conflict it decides again, on the current log. */
  async #request(name: string): Promise<Outcome> {
    for (let tries = 0; ; tries++) {
      const [tip, lastEvent] = ((await this.#session.command('HMGET', keys.meta, 'tip', 'lastEvent')) as Reply[]).map(
        Number,
      );
      if (tip === undefined || lastEvent === undefined) throw new Error('there is no log');
      const bytes = Buffer.from(name);
      await this.#happen();
      this.#faults = 0;
      this.#isWriterGone = false;
      try {
        const entries = [{ seq: tip + 1, bytes }];
        const events = [{ id: lastEvent + 1, bytes }];
        const batch = { expectedTip: tip, writeId: `${name} ${tries}`, entries, events };
        const { status } = await appendBatch(this.#parts(tip), batch);
        if (status === 'appended') return 'appended';
        this.conflicts++;
      } catch (error) {
        if (!(error instanceof StoreError)) throw error;
        return error.outcome;
      }
    }
  }

  /** Others append and trim, several times, while the writer waits for an answer. */
  async #happen(): Promise<void> {
    for (let turn = 0; turn < this.#conditions.turns; turn++) {
      const what = this.#chance.oneOf({
        nothing: 25,
        another: this.#left.appends > 0 ? 30 : 0,
        trim: this.#left.trims > 0 ? 30 : 0,
        'what is late': this.#late.length > 0 ? 15 : 0,
      });
      if (what === 'nothing') break;
      if (what === 'another') await this.#appendAsAnother();
      else if (what === 'trim') await this.#trim();
      else await this.#late.shift()?.();
    }
    this.#nowMs += this.#chance.ms(800);
  }

  async #appendAsAnother(): Promise<void> {
    this.#left.appends--;
    await this.#session.run(ANOTHER, [keys.meta, keys.log, keys.events], []);
    await this.#note();
  }

  async #trim(): Promise<void> {
    this.#left.trims--;
    await this.#note();
    const tip = Number(String(await this.#session.command('HGET', keys.meta, 'tip')));
    await this.#session.command('HSET', keys.meta, 'snapshot', JSON.stringify({ id: 's', seq: tip, pieceCount: 0 }));
    const time = [Math.floor(this.#nowMs / 1_000), (this.#nowMs % 1_000) * 1_000];
    await this.#session.run(TRIM_AT, [keys.meta, keys.log], [...GUARD, tip, 1_000, this.#conditions.keptMs, ...time]);
  }

  async #note(): Promise<void> {
    const from = `${this.#history.length + 1}-0`;
    for (const [id, fields] of await this.#range(keys.log, from)) {
      if (Number.parseInt(id, 10) !== this.#history.length + 1)
        this.problems.push(`${id} follows ${this.#history.length}`);
      this.#history.push(fields[3] ?? '');
    }
  }

  async #range(key: string, from: string): Promise<[id: string, fields: string[]][]> {
    const entries = (await this.#session.command('XRANGE', key, from, '+')) as [Buffer, Buffer[]][];
    return entries.map(([id, fields]) => [String(id), fields.map(String)]);
  }

  async #check(): Promise<void> {
    const events = (await this.#range(keys.events, '-')).map(([, fields]) => fields[1] ?? '');
    if (events.join() !== this.#history.join()) this.problems.push('the events are not those of the entries');
    const countOf = (request: string) => events.filter((event) => event === request).length;
    for (const { name, answers } of this.updates) {
      const counts = answers.map((_, index) => countOf(`${name}.${index}`));
      for (const [index, count] of counts.entries()) {
        const problem = `${name}.${index} was answered ${answers[index]} and has ${count} events`;
        if (count > 1 || (answers[index] === 'appended' && count !== 1)) this.problems.push(problem);
        if (answers[index] === 'not-appended' && count !== 0) this.problems.push(problem);
      }
      const total = counts.reduce((sum, count) => sum + count, 0);
      if (this.#conditions.isShort && total !== 1) this.problems.push(`${name} has ${total} events: ${answers}`);
    }
  }

  /** The connection of a writer that has read the log up to `tip`. */
  #parts(tip: number): AppendParts {
    const lineage: LogPosition = extend(begin(EPOCH, ROOT), tip, '');
    const session = { run: (...call: Parameters<Session['run']>) => this.#send(() => this.#session.run(...call)) };
    const line = { session: session as unknown as Session, epoch: EPOCH, lineage, guard: GUARD };
    const { isShort } = this.#conditions;
    const history = {
      knownPosition: { ...lineage, writeId: '' },
      reason: 'away',
      refusal: 'unreachable',
      awaitConfirmedSession: async () =>
        this.#isWriterGone || (!isShort && this.#chance.oneOf({ there: 95, away: 5 }) === 'away') ? null : line,
      handleFailure: async () => {
        this.#nowMs += this.#chance.ms(isShort ? 800 : 2_000);
        this.#isWriterGone ||= !isShort && this.#chance.oneOf({ lives: 9, ends: 1 }) === 'ends';
        await this.#happen();
      },
      recheck: () => {
        this.#nowMs += 100;
      },
      advance: () => {},
    } as unknown as History;
    const clock = { nowMs: () => this.#nowMs } as AppendParts['clock'];
    const serverRefusal = { current: null };
    return { history, keys, clock, timeouts: DEFAULT_TIMEOUTS, replicaId: 'r', waitReplicas: 0, serverRefusal };
  }

  async #send(deliver: () => Promise<unknown>): Promise<never> {
    const { isShort, faults } = this.#conditions;
    const fault = this.#left.failures === 0 || (isShort && ++this.#faults > faults) ? 0 : 1;
    const what = this.#chance.oneOf({
      answered: 20,
      lost: 30 * fault,
      'not sent': 5 * fault,
      refused: 5 * fault,
      late: 15 * fault,
      'answer lost': 25 * fault,
    });
    if (what !== 'answered') this.#left.failures--;
    if (what === 'lost') throw new LostAnswerError('lost on the way');
    if (what === 'not sent') throw new NotSentError('the connection was closed');
    if (what === 'refused') throw new RefusedError('BUSY not now');
    if (what === 'late') {
      this.#late.push(deliver);
      throw new LostAnswerError('comes late');
    }
    const answer = await deliver();
    if (String((answer as Reply[])[2]) === 'gone') this.gone++;
    await this.#note();
    if (what === 'answer lost') throw new LostAnswerError('the answer was lost');
    return answer as never;
  }
}
