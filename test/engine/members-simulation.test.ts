import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Random } from '../evaluation/random.ts';
import { stateDigest } from '../support/state-digest.ts';
import { atDepth } from '../support/tiers/depth.ts';
import { SEED as FIRST_SEED } from '../support/tiers/seed.ts';
import { MemberWorld } from './simulated-members.ts';

const SCHEDULES = Number(process.env.BURGEE_SCHEDULES ?? atDepth({ quick: 25, full: 1_000 }));

async function simulate(seed: number) {
  const world = new MemberWorld(new Random(seed));
  await world.run();
  const members = await world.settle();
  const problems = [...world.problems];
  const digests = members.map(({ replica }) => stateDigest(replica.state));
  if (new Set(digests).size > 1) problems.push('replicas differ');
  const losses = members.map((member) => member.losses);
  await world.close();
  const sum = (field: 'refilled' | 'adopted') => losses.reduce((total, counts) => total + counts[field], 0);
  const accepted = [...world.accepted];
  return {
    problems,
    accepted,
    refilled: sum('refilled'),
    adopted: sum('adopted'),
    digests,
    endedMs: world.clock.nowMs(),
  };
}

describe('replicas whose server crashes, goes back to older data and loses data', () => {
  beforeEach(() => {
    // Slices end where the schedule ends them, not where a busy machine does.
    vi.spyOn(performance, 'now').mockReturnValue(0);
  });
  afterEach(() => {
    vi.restoreAllMocks();
  });

  it(`agree, lose nothing without a report, and use no ETag for two different lists, in ${SCHEDULES} schedules`, async () => {
    const totals = { accepted: 0, refilled: 0, adopted: 0 };
    for (let seed = FIRST_SEED; seed < FIRST_SEED + SCHEDULES; seed++) {
      const { problems, accepted, refilled, adopted } = await simulate(seed);
      expect(problems, `BURGEE_SEED=${seed} BURGEE_SCHEDULES=1`).toEqual([]);
      totals.accepted += accepted.length;
      totals.refilled += refilled;
      totals.adopted += adopted;
    }
    console.info(`members simulation: BURGEE_SEED=${FIRST_SEED}, ${SCHEDULES} schedules`, totals);
    if (SCHEDULES < 100) return;
    // The schedules had enough of these events.
    expect(totals.accepted, `BURGEE_SEED=${FIRST_SEED}`).toBeGreaterThan(2 * SCHEDULES);
    expect(totals.refilled, `BURGEE_SEED=${FIRST_SEED}`).toBeGreaterThan(SCHEDULES / 20);
    expect(totals.adopted, `BURGEE_SEED=${FIRST_SEED}`).toBeGreaterThan(SCHEDULES / 50);
  }, 1_200_000);

  it.each([
    // Writes of an epoch, when the history continued from before its first write.
    2131586627,
    // A list that was built while its state was replaced by another one.
    4649950,
    // An append whose answer came after later appends of others.
    287845083,
    // Two continuations of the history of a third replica.
    649669270,
  ])('agree in schedule %i, which failed once', async (seed) => {
    expect((await simulate(seed)).problems).toEqual([]);
  });

  it('have the same result again with the same seed', async () => {
    for (let seed = FIRST_SEED; seed < FIRST_SEED + 4; seed++)
      expect(await simulate(seed)).toEqual(await simulate(seed));
  });
});
