import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parseConnectionString } from '../../../src/stores/redis/connection-string.ts';
import { Session } from '../../../src/stores/redis/session.ts';
import { Random } from '../../evaluation/random.ts';
import { RedisServer } from '../../support/programs/redis.ts';
import { atDepth } from '../../support/tiers/depth.ts';
import { SEED as FIRST_SEED } from '../../support/tiers/seed.ts';
import { type Chance, type Conditions, EveryWay, KEPT_MS, SomeWay, World } from './append-world.ts';

const SCHEDULES = Number(process.env.BURGEE_SCHEDULES ?? atDepth({ quick: 25, full: 1_000 }));
const NO_BOUND = { failures: Infinity, appends: Infinity, trims: Infinity };
/** The most failed tries, and the most appends by others, when `EveryWay` takes all ways: 1 makes 291 ways, 2 makes 38,893. */
const FAULTS = Number(process.env.BURGEE_FAULTS ?? atDepth({ quick: 1, full: 2 }));
/** One failed try and one append by others are enough to show what deleted entries would cause. */
const FEWEST = { failures: 1, appends: 1, trims: 2 };

describe('appends over connections that lose, delay and duplicate messages', () => {
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

  const simulate = async (chance: Chance, conditions: Partial<Conditions>) => {
    const world = new World(chance, session, {
      updates: 8,
      most: NO_BOUND,
      turns: 3,
      faults: 2,
      isShort: true,
      keptMs: KEPT_MS,
      ...conditions,
    });
    await world.run();
    return world;
  };

  /** Runs one update in every possible order of events. The caller repeats the update while its outcome is unknown. */
  const explore = async (conditions: Partial<Conditions>) => {
    const [every, problems] = [new EveryWay(), [] as string[]];
    let ways = 0;
    let gone = 0;
    do {
      const world = await simulate(every, {
        updates: 1,
        turns: 2,
        most: { failures: FAULTS, appends: FAULTS, trims: 2 },
        ...conditions,
      });
      problems.push(...world.problems.map((problem) => `${problem}, way ${every}`));
      ways++;
      gone += world.gone;
    } while (every.next());
    return { ways, gone, problems };
  };

  it.each([
    ['end before an append is given up: each update has one audit event, also if its caller repeats it', true],
    ['last, and writers end: each acknowledged request has one audit event, each refused request has none', false],
  ])(
    `are decided once, and get a true answer, while the log is trimmed. Faults %s (${SCHEDULES} schedules)`,
    async (_, isShort) => {
      const totals = { requests: 0, conflicts: 0, unknown: 0, gone: 0 };
      for (let seed = FIRST_SEED; seed < FIRST_SEED + SCHEDULES; seed++) {
        const world = await simulate(new SomeWay(new Random(seed)), { isShort });
        expect(world.problems, `BURGEE_SEED=${seed}`).toEqual([]);
        totals.requests += world.updates.flatMap(({ answers }) => answers).length;
        totals.conflicts += world.conflicts;
        totals.unknown += world.unknown;
        totals.gone += world.gone;
      }
      // The schedules had conflicts, and trimming never hid which request appended an entry.
      expect(totals.conflicts).toBeGreaterThan(SCHEDULES);
      expect(totals.gone).toBe(0);
      if (isShort) expect(totals.unknown).toBe(0);
      else expect(totals.unknown).toBeGreaterThan(0);
      console.info(`append simulation: BURGEE_SEED=${FIRST_SEED}, ${SCHEDULES} schedules`, { isShort, ...totals });
    },
  );

  it(`are decided once in every order of failures and late deliveries (${FAULTS}), appends by others (${FAULTS}) and trims (2)`, async () => {
    const { ways, gone, problems } = await explore({});
    expect(problems).toEqual([]);
    expect(gone).toBe(0);
    expect(ways).toBeGreaterThan(200);
    console.info(`append simulation: ${ways} ways`);
  });

  it('would record two audit events of one update if trimmed entries were deleted at once: some of these ways show it', async () => {
    const { gone, problems } = await explore({ keptMs: 0, most: FEWEST });
    expect(gone).toBeGreaterThan(0);
    expect(problems.join()).toMatch(/has 2 events: (unknown,)+appended/);
  });
});
