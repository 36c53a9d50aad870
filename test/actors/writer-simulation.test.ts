import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { collectionNames } from '../../src/state/collections.ts';
import { type Commit, decodeCommit, decodeEvent } from '../../src/state/commit.ts';
import { State } from '../../src/state/state.ts';
import { Random } from '../evaluation/random.ts';
import { atDepth } from '../support/depth.ts';
import { World } from './simulated-replicas.ts';

const SCHEDULES = atDepth({ quick: 1_000, full: 10_000 });

/** Everything a state holds, whatever the order in which it came about. */
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

/** What the log says happened, checked for being one order without gaps in which each step follows from the one before. */
function readLog({ backing }: World, problems: string[]): { commits: Commit[]; state: State } {
  const state = new State();
  const commits = backing.log.map(({ bytes }) => decodeCommit(bytes));
  let nextEventId = 1;
  for (const [index, commit] of commits.entries()) {
    if (commit.seq !== index + 1) problems.push(`commit ${commit.seq} stands at place ${index + 1}`);
    const turn = commit.changes.find(({ collection }) => collection === 'counters')?.entity;
    if (JSON.stringify(turn) !== `{"value":${commit.seq}}`) problems.push(`commit ${commit.seq} was decided elsewhere`);
    for (const name of names(commit)) if (state.get('tagTypes', name)) problems.push(`${name} was created twice`);
    const { firstId, count } = commit.events;
    if (firstId !== nextEventId || count !== names(commit).length)
      problems.push(`commit ${commit.seq} has other events`);
    nextEventId += count;
    state.apply(commit);
  }
  const told = backing.events.map(({ id, bytes }) => [id, decodeEvent(bytes).id]);
  const expected = Array.from({ length: nextEventId - 1 }, (_, index) => [index + 1, index + 1]);
  if (JSON.stringify(told) !== JSON.stringify(expected)) problems.push('the audit events have gaps or doubles');
  return { commits, state };
}

/** Whether everybody was told the truth. */
function checkAnswers({ writes }: World, commits: readonly Commit[], problems: string[]): void {
  const bySet = new Map(commits.map((commit) => [names(commit).sort().join(), commit.seq]));
  const created = new Set(commits.flatMap(names));
  const accepted = new Set<number>();
  for (const { names: wanted, told, seq } of writes) {
    const found = bySet.get([...wanted].sort().join());
    if (told === 'accepted' && (found !== seq || accepted.has(seq))) problems.push(`${wanted}: accepted, not kept`);
    if (told === 'accepted') accepted.add(seq);
    if (told === 'taken' && !wanted.some((name) => created.has(name))) problems.push(`${wanted}: taken by nobody`);
  }
  for (const { names: wanted, told } of writes) {
    const found = bySet.get([...wanted].sort().join());
    // Another write may have wanted the same names, in whatever order; then its answer is known, or nobody's is.
    const sorted = [...wanted].sort().join();
    const others = writes.filter((other) => [...other.names].sort().join() === sorted).length > 1;
    if (told === 'not appended' && found !== undefined && !others) problems.push(`${wanted}: refused, but kept`);
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
    accepted: world.writes.filter(({ told }) => told === 'accepted').length,
    commits: commits.length,
  };
}

describe('several writers on one log', () => {
  it(`keep one order, and everything they acknowledged, through ${SCHEDULES} schedules of crashes, conflicts and lost answers`, async () => {
    const firstSeed = Number(process.env.BURGEE_SEED ?? Date.now() % 2 ** 31);
    const totals = { accepted: 0, commits: 0 };
    for (let seed = firstSeed; seed < firstSeed + SCHEDULES; seed++) {
      const { problems, accepted, commits } = await simulate(seed);
      expect(problems, `BURGEE_SEED=${seed}`).toEqual([]);
      totals.accepted += accepted;
      totals.commits += commits;
    }
    // That it was about something: most writes go through, and some that nobody acknowledged as well.
    expect(totals.accepted, `BURGEE_SEED=${firstSeed}`).toBeGreaterThan(3 * SCHEDULES);
    expect(totals.commits, `BURGEE_SEED=${firstSeed}`).toBeGreaterThan(totals.accepted);
  }, 1_200_000);
});
