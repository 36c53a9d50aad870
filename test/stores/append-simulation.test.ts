import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { begin, extend, type LogPosition, ROOT } from '../../src/stores/lineage.ts';
import { type AppendParts, appendBatch } from '../../src/stores/redis/append.ts';
import { parseConnectionString } from '../../src/stores/redis/connection-string.ts';
import type { History } from '../../src/stores/redis/history.ts';
import { keysOf, STORE_FORMAT } from '../../src/stores/redis/keys.ts';
import { DEFAULT_TIMEOUTS } from '../../src/stores/redis/options.ts';
import {
  LostAnswerError,
  NotSentError,
  RefusedError,
  type Reply,
  Session,
  script,
} from '../../src/stores/redis/session.ts';
import { TRIM } from '../../src/stores/redis/snapshot-scripts.ts';
import { StoreError } from '../../src/stores/store.ts';
import { Random } from '../evaluation/random.ts';
import { atDepth } from '../support/depth.ts';
import { RedisServer } from '../support/redis.ts';

const SCHEDULES = Number(process.env.BURGEE_SCHEDULES ?? atDepth({ quick: 100, full: 1_000 }));
const FIRST_SEED = Number(process.env.BURGEE_SEED ?? Date.now() % 2 ** 31);
const keys = keysOf('simulated');
const EPOCH = 'epoch';
const GUARD = [STORE_FORMAT, EPOCH, 'run'] as const;

/** As a service has it: longer than an append may last. */
const KEPT_MS = 2 * (DEFAULT_TIMEOUTS.appendMs + DEFAULT_TIMEOUTS.commandMs);
/** As `TRIM`, by the time of the schedule. */
const TRIM_AT = script(TRIM.source.replace("redis.call('TIME')", '{ARGV[7], ARGV[8]}'));
/** An append of somebody whose connection is good. */
const ANOTHER = script(`
local tip = redis.call('HINCRBY', KEYS[1], 'tip', 1)
local name = 'another.' .. tip
redis.call('XADD', KEYS[2], tip .. '-0', 'w', name, 'd', name)
redis.call('XADD', KEYS[3], redis.call('HINCRBY', KEYS[1], 'lastEvent', 1) .. '-0', 'd', name)
return redis.call('HSET', KEYS[1], 'tipWrite', name)
`);

type Outcome = 'appended' | 'not-appended' | 'unknown';

/** An update that a caller wants made once, and how each request for it was answered. Names of requests: `update.0`, `update.1`. */
interface Update {
  readonly name: string;
  readonly answers: Outcome[];
}

interface Conditions {
  /** How long entries stay that were trimmed. */
  readonly keptMs: number;
  /** Whether connections are good again before an append is given up, and no writer ends: then every request can be answered. */
  readonly isShort: boolean;
}

/**
 * Real scripts on a real server, over connections that lose what is sent, lose answers, and deliver late; the log is trimmed in between. Callers go
 * from writer to writer, and repeat an update of which they were not told whether it was made.
 */
class World {
  readonly random: Random;
  readonly updates: Update[] = [];
  readonly problems: string[] = [];
  /** Every entry there ever was, in order: the log itself is trimmed. */
  readonly #history: string[] = [];
  readonly #session: Session;
  readonly #conditions: Conditions;
  readonly #late: (() => Promise<unknown>)[] = [];
  #nowMs = 0;
  /** Of the append under way. */
  #faults = 0;
  #isWriterGone = false;
  conflicts = 0;
  /** How often it could not be said any more whose entry had been appended. */
  gone = 0;

  constructor(random: Random, session: Session, conditions: Conditions) {
    this.random = random;
    this.#session = session;
    this.#conditions = conditions;
  }

  async run(): Promise<void> {
    await this.#session.command('FLUSHALL');
    const begin = { format: STORE_FORMAT, epoch: EPOCH, run: 'run', tip: 0, tipWrite: '', firstSeq: 1, lastEvent: 0 };
    await this.#session.command('HSET', keys.meta, ...Object.entries(begin).flat());
    // One after the other, so that a seed always takes the same way; what others do comes in between.
    for (let index = 0; index < 8; index++) await this.#update(`update-${index}`);
    for (const deliver of this.#late.splice(0)) await deliver();
    await this.#note();
    await this.#check();
  }

  get unknown(): number {
    return this.updates.flatMap(({ answers }) => answers).filter((answer) => answer === 'unknown').length;
  }

  /** As a caller does who repeats until he is told that it was made. */
  async #update(name: string): Promise<void> {
    const answers: Outcome[] = [];
    this.updates.push({ name, answers });
    while (answers.at(-1) !== 'appended' && answers.length < 5)
      answers.push(await this.#request(`${name}.${answers.length}`));
  }

  /** As a writer does: after a conflict it decides again, on what the log holds by then. */
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

  /** Others go on, and trim: several times, while an answer is waited for. */
  async #happen(): Promise<void> {
    const { random } = this;
    const turns = random.below(4);
    for (let turn = 0; turn < turns; turn++) {
      const what = random.next();
      if (what < 0.4) await this.#appendAsAnother();
      else if (what < 0.8) await this.#trim();
      else await this.#late.shift()?.();
    }
    this.#nowMs += random.below(800);
  }

  async #appendAsAnother(): Promise<void> {
    await this.#session.run(ANOTHER, [keys.meta, keys.log, keys.events], []);
    await this.#note();
  }

  async #trim(): Promise<void> {
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
        const told = `${name}.${index} was answered ${answers[index]} and has ${count} events`;
        if (count > 1 || (answers[index] === 'appended' && count !== 1)) this.problems.push(told);
        if (answers[index] === 'not-appended' && count !== 0) this.problems.push(told);
      }
      const total = counts.reduce((sum, count) => sum + count, 0);
      if (this.#conditions.isShort && total !== 1) this.problems.push(`${name} has ${total} events: ${answers}`);
    }
  }

  /** A connection of a writer that knows the log up to its tip. */
  #parts(tip: number): AppendParts {
    const lineage: LogPosition = extend(begin(EPOCH, ROOT), tip, '');
    const session = { run: (...call: Parameters<Session['run']>) => this.#send(() => this.#session.run(...call)) };
    const line = { session: session as unknown as Session, epoch: EPOCH, lineage, guard: GUARD };
    const { isShort } = this.#conditions;
    const history = {
      known: { ...lineage, writeId: '' },
      reason: 'away',
      refusal: 'unreachable',
      ready: async () => (this.#isWriterGone || (!isShort && this.random.chance(0.05)) ? null : line),
      failed: async () => {
        this.#nowMs += this.random.below(isShort ? 800 : 2_000);
        this.#isWriterGone ||= !isShort && this.random.chance(0.1);
        await this.#happen();
      },
      recheck: () => {
        this.#nowMs += 100;
      },
      advance: () => {},
    } as unknown as History;
    const clock = { nowMs: () => this.#nowMs } as AppendParts['clock'];
    const standing = { refused: null };
    return { history, keys, clock, timeouts: DEFAULT_TIMEOUTS, replicaId: 'r', waitReplicas: 0, standing };
  }

  async #send(deliver: () => Promise<unknown>): Promise<never> {
    const { random } = this;
    const what = this.#conditions.isShort && ++this.#faults > 2 ? 1 : random.next();
    if (what < 0.3) throw new LostAnswerError('lost on the way');
    if (what < 0.35) throw new NotSentError('the connection was closed');
    if (what < 0.4) throw new RefusedError('BUSY not now');
    if (what < 0.55) {
      this.#late.push(deliver);
      throw new LostAnswerError('comes late');
    }
    const answer = await deliver();
    if (String((answer as Reply[])[2]) === 'gone') this.gone++;
    await this.#note();
    if (what < 0.8) throw new LostAnswerError('the answer was lost');
    return answer as never;
  }
}

describe('appends over connections that lose, delay and double', () => {
  let server: RedisServer;
  let session: Session;

  beforeAll(async () => {
    server = await RedisServer.start({ args: ['--appendonly', 'no', '--save', ''] });
    const address = { host: '127.0.0.1', port: server.port };
    session = await Session.open(parseConnectionString(server.url), address, { connectMs: 2_000, commandMs: 20_000 });
  });
  afterAll(async () => {
    session.drop('done');
    await server.dispose();
  });

  const simulate = async (seed: number, conditions: Conditions) => {
    const world = new World(new Random(seed), session, conditions);
    await world.run();
    return world;
  };

  it.each([
    ['end before an append is given up: each update has one audit event, also of callers who repeat it', true],
    ['last, and writers end: each request that was acknowledged has one audit event, and none that was refused', false],
  ])(
    `are decided once, and answered truly, while the log is trimmed. Faults %s (${SCHEDULES} schedules)`,
    async (_, isShort) => {
      const totals = { requests: 0, conflicts: 0, unknown: 0, gone: 0 };
      for (let seed = FIRST_SEED; seed < FIRST_SEED + SCHEDULES; seed++) {
        const world = await simulate(seed, { keptMs: KEPT_MS, isShort });
        expect(world.problems, `BURGEE_SEED=${seed}`).toEqual([]);
        totals.requests += world.updates.flatMap(({ answers }) => answers).length;
        totals.conflicts += world.conflicts;
        totals.unknown += world.unknown;
        totals.gone += world.gone;
      }
      // That it was about something, and that trimming never hides whose entry it was.
      expect(totals.conflicts).toBeGreaterThan(SCHEDULES);
      expect(totals.gone).toBe(0);
      if (isShort) expect(totals.unknown).toBe(0);
      else expect(totals.unknown).toBeGreaterThan(0);
      console.info(`append simulation: BURGEE_SEED=${FIRST_SEED}, ${SCHEDULES} schedules`, { isShort, ...totals });
    },
  );

  it('would have two audit events of one update if trimmed entries went at once: the simulation finds that', async () => {
    let found: readonly string[] = [];
    for (let seed = 1; seed < 100 && found.length === 0; seed++)
      found = (await simulate(seed, { keptMs: 0, isShort: true })).problems;
    expect(found.join()).toMatch(/has 2 events: (unknown,)+appended/);
  });
});
