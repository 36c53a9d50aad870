import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { collectionNames } from '../../src/state/collections.ts';
import { type Commit, decodeCommit, decodeEvent } from '../../src/state/commit.ts';
import { State } from '../../src/state/state.ts';
import { Random } from '../evaluation/random.ts';
import { atDepth } from '../support/tiers/depth.ts';
import { SEED } from '../support/tiers/seed.ts';
import { World } from './simulated-replicas.ts';

const SCHEDULES = atDepth({ quick: 200, full: 10_000 });

/** A digest of the whole state, independent of the order of its content. */
function digest(state: State): string {
  const hash = createHash('sha256').update(JSON.stringify([state.seq, state.lastEventId]));
  for (const name of collectionNames()) {
    hash.update(JSON.stringify([...state.entries(name)].sort(([left], [right]) => (left < right ? -1 : 1))));
  }
  return hash.update(JSON.stringify(state.revisions.entries().sort())).digest('hex');
}

function names({ changes }: Commit): string[] {
  return changes.filter(({ collection }) => collection === 'tagTypes').map(({ key }) => key);
}

/** Reads the log, and checks that it has no gaps and that each commit follows from the previous one. */
function readLog({ backing }: World, problems: string[]): { commits: Commit[]; state: State } {
  const state = new State();
  const commits = backing.log.map(({ bytes }) => decodeCommit(bytes));
  let nextEventId = 1;
  for (const [index, commit] of commits.entries()) {
    if (commit.seq !== index + 1) problems.push(`commit ${commit.seq} is at position ${index + 1}`);
    const turn = commit.changes.find(({ collection }) => collection === 'counters')?.entity;
    if (JSON.stringify(turn) !== `{"value":${commit.seq}}`) problems.push(`commit ${commit.seq} has another turn`);
    for (const name of names(commit)) if (state.get('tagTypes', name)) problems.push(`${name} was created twice`);
    const { firstId, count } = commit.events;
    if (firstId !== nextEventId || count !== names(commit).length)
      problems.push(`commit ${commit.seq} has other events`);
    nextEventId += count;
    state.apply(commit);
  }
  const actual = backing.events.map(({ id, bytes }) => [id, decodeEvent(bytes).id]);
  const expected = Array.from({ length: nextEventId - 1 }, (_, index) => [index + 1, index + 1]);
  if (JSON.stringify(actual) !== JSON.stringify(expected)) problems.push('the audit events have gaps or doubles');
  return { commits, state };
}

/** Checks that every answer is true. */
function checkAnswers({ writes }: World, commits: readonly Commit[], problems: string[]): void {
  const bySet = new Map(commits.map((commit) => [names(commit).sort().join(), commit.seq]));
  const created = new Set(commits.flatMap(names));
  const accepted = new Set<number>();
  for (const { names: wanted, answer, seq } of writes) {
    const found = bySet.get([...wanted].sort().join());
    if (answer === 'accepted' && (found !== seq || accepted.has(seq))) problems.push(`${wanted}: accepted, not kept`);
    if (answer === 'accepted') accepted.add(seq);
    if (answer === 'taken' && !wanted.some((name) => created.has(name))) problems.push(`${wanted}: taken, not created`);
  }
  for (const { names: wanted, answer } of writes) {
    const found = bySet.get([...wanted].sort().join());
    // Another write may have wanted the same names, in any order. Then it is unknown which write stored them.
    const sorted = [...wanted].sort().join();
    const others = writes.filter((other) => [...other.names].sort().join() === sorted).length > 1;
    if (answer === 'not appended' && found !== undefined && !others) problems.push(`${wanted}: refused, but kept`);
  }
}

async function simulate(seed: number): Promise<{ problems: string[]; accepted: number; commits: number }> {
  const world = new World(new Random(seed));
  await world.run();
  const states = await world.settle();
  const problems = [...world.problems];
  const { commits, state } = readLog(world, problems);
  checkAnswers(world, commits, problems);
  const expected = digest(state);
  for (const other of states) if (digest(other) !== expected) problems.push('replicas differ');
  return {
    problems,
    accepted: world.writes.filter(({ answer }) => answer === 'accepted').length,
    commits: commits.length,
  };
}

describe('several writers on one log', () => {
  it(`keep one order, and everything they acknowledged, in ${SCHEDULES} schedules of crashes, conflicts and lost answers`, async () => {
    const totals = { accepted: 0, commits: 0 };
    for (let seed = SEED; seed < SEED + SCHEDULES; seed++) {
      const { problems, accepted, commits } = await simulate(seed);
      expect(problems, `BURGEE_SEED=${seed}`).toEqual([]);
      totals.accepted += accepted;
      totals.commits += commits;
    }
    // Most writes succeeded, and some that were not acknowledged were stored as well.
    expect(totals.accepted, `BURGEE_SEED=${SEED}`).toBeGreaterThan(3 * SCHEDULES);
    expect(totals.commits, `BURGEE_SEED=${SEED}`).toBeGreaterThan(totals.accepted);
  }, 1_200_000);
});
