import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { Random } from '../evaluation/random.ts';
import { stateDigest } from '../support/state-digest.ts';
import { MemberWorld } from './simulated-members.ts';

const SCHEDULES = Number(process.env.BURGEE_SCHEDULES ?? 300);
/**
 * The suite walks the same schedules every time. BURGEE_SEED walks others: about one schedule in some thousands still fails, 2131586627 for one
 * (docs/decisions/store-redis-lineage.md, "What is still open").
 */
const FIRST_SEED = Number(process.env.BURGEE_SEED ?? 2131658747);

async function simulate(seed: number, directory: string) {
  const world = new MemberWorld(new Random(seed), directory);
  await world.run();
  const members = await world.settle();
  const problems = [...world.problems];
  if (new Set(members.map(({ replica }) => stateDigest(replica.state))).size > 1) problems.push('replicas differ');
  const losses = members.map((member) => member.losses);
  await world.close();
  const sum = (field: 'refilled' | 'adopted') => losses.reduce((total, counts) => total + counts[field], 0);
  return { problems, accepted: world.accepted.size, refilled: sum('refilled'), adopted: sum('adopted') };
}

describe('replicas whose server crashes, goes back in time and forgets', () => {
  it(`agree, lose nothing in silence, and tell no two lists apart by one ETag, through ${SCHEDULES} schedules`, async () => {
    const firstSeed = FIRST_SEED;
    const directory = mkdtempSync(join(tmpdir(), 'burgee-surplus-'));
    const totals = { accepted: 0, refilled: 0, adopted: 0 };
    for (let seed = firstSeed; seed < firstSeed + SCHEDULES; seed++) {
      const { problems, accepted, refilled, adopted } = await simulate(seed, directory);
      expect(problems, `BURGEE_SEED=${seed} BURGEE_SCHEDULES=1`).toEqual([]);
      totals.accepted += accepted;
      totals.refilled += refilled;
      totals.adopted += adopted;
    }
    rmSync(directory, { recursive: true });
    console.info(`members simulation: BURGEE_SEED=${firstSeed}, ${SCHEDULES} schedules`, totals);
    // That it was about something.
    expect(totals.accepted, `BURGEE_SEED=${firstSeed}`).toBeGreaterThan(2 * SCHEDULES);
    expect(totals.refilled, `BURGEE_SEED=${firstSeed}`).toBeGreaterThan(SCHEDULES / 20);
    expect(totals.adopted, `BURGEE_SEED=${firstSeed}`).toBeGreaterThan(SCHEDULES / 50);
  }, 300_000);
});
