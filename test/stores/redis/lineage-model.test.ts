import { describe, expect, it } from 'vitest';
import { isDeep } from '../../support/tiers/depth.ts';
import {
  type Bounds,
  checkLines,
  checkNoSilence,
  courseFor,
  keyOf,
  type Move,
  moveOf,
  movesOf,
  start,
  timeMoves,
  Violation,
  type World,
} from './lineage-model.ts';

interface Seen {
  readonly world: World;
  readonly from: number;
  readonly by: string;
}

/** Explores every reachable world, breadth first. @throws An error with the moves that lead to a violation. */
function explore(bounds: Bounds): {
  readonly states: number;
  readonly moves: number;
  readonly stuck: number;
} {
  const seen: Seen[] = [{ world: start(bounds), from: -1, by: 'start' }];
  const known = new Set([keyOf(start(bounds))]);
  let moves = 0;
  let stuck = 0;
  for (let at = 0; at < seen.length; at++) {
    const { world } = seen[at] as Seen;
    try {
      for (const move of movesOf(world, bounds.only)) {
        moves++;
        checkLines(move.next);
        if (isOwn(move)) checkNoSilence(world, move);
        const key = keyOf(move.next);
        if (known.has(key)) continue;
        known.add(key);
        seen.push({ world: move.next, from: at, by: move.name });
      }
      if (!comesBack(world)) stuck++;
    } catch (error) {
      if (!(error instanceof Violation)) throw error;
      throw new Error(`${error.message} after: ${wayTo(seen, at).join('; ')}`);
    }
  }
  return { states: seen.length, moves, stuck };
}

/** Whether the replicas make this move themselves, and it is not a fault. */
function isOwn({ name }: Move): boolean {
  return !/server|split|heal|crashes|comes back|backup/.test(name);
}

function wayTo(seen: readonly Seen[], at: number): string[] {
  const { from, by } = seen[at] as Seen;
  return from < 0 ? [] : [...wayTo(seen, from), by];
}

/** Without faults, all replicas can write again, on one line for each server. Returns false if an operator must decide first. @throws Violation */
function comesBack(world: World): boolean {
  let now = world;
  for (let round = 0; round < 60; round++) {
    const isDone = now.members.every((member) => courseFor(now, member).name === 'go-on' && isLevel(now, member));
    if (isDone) return true;
    let isMoved = false;
    for (const { name } of now.members) {
      const move = moveOf(now, name);
      if (!move) continue;
      now = move.next;
      isMoved = true;
    }
    if (isMoved) continue;
    const [time] = timeMoves(now);
    if (!time || (round > 40 && now.members.some(({ isRefused }) => isRefused !== ''))) break;
    now = time.next;
  }
  const refused = now.members
    .map((member) => courseFor(now, member))
    .filter(({ name }) => name === 'refuse' || name === 'give-up');
  if (refused.length > 0 || now.members.some(({ isRefused }) => isRefused !== '')) return false;
  throw new Violation(
    `writes do not come back: ${JSON.stringify(now.members.map((member) => courseFor(now, member)))}`,
  );
}

function isLevel({ servers }: World, { at, line }: World['members'][number]): boolean {
  return servers[at]?.line.seq === line.seq;
}

/** Run by hand with BURGEE_MODEL=deep: more than 360,000 worlds. */
const DEEP: [string, Bounds][] = [
  [
    'two replicas, three writes, servers restored while a replica is away',
    { policies: ['refill', 'refill'], commits: 3, faults: 2, only: /backup|put back|saves|comes back/ },
  ],
  ['two replicas, two writes, two faults', { policies: ['refill', 'refill'], commits: 2, faults: 2 }],
  ['different policies, two writes, one fault', { policies: ['refill', 'halt'], commits: 2, faults: 1 }],
];

const WORLDS: [string, Bounds][] = [
  ['two replicas, two writes, one fault', { policies: ['refill', 'refill'], commits: 2, faults: 1 }],
  [
    'two replicas, three writes, splits that heal both ways',
    { policies: ['refill', 'refill'], commits: 3, faults: 2, only: /split|heal/ },
  ],
  ['two replicas of different policies', { policies: ['refill', 'halt'], commits: 1, faults: 1 }],
  ['two replicas that halt', { policies: ['halt', 'halt'], commits: 1, faults: 1 }],
  [
    'a server that loses keys, replicas of different policies',
    { policies: ['refill', 'halt'], commits: 1, faults: 2, only: /loses keys|starts again|emptied/ },
  ],
];

/** The widest of those above. */
const LOST: [string, Bounds] = [
  'a server that loses keys while it runs',
  { policies: ['refill', 'refill'], commits: 2, faults: 2, only: /loses keys|crashes|saves|comes back/ },
];

/** Tens of thousands of states each. */
const WIDE: [string, Bounds][] = [
  ['two replicas, one write, two faults', { policies: ['refill', 'refill'], commits: 1, faults: 2 }],
  [
    'a server that is filled with a copy of an embedded store, which keeps writing',
    { policies: ['refill', 'refill'], commits: 2, faults: 2, embedded: 1, only: /starts again|emptied|crashes/ },
  ],
  ['three replicas', { policies: ['refill', 'refill', 'refill'], commits: 1, faults: 1 }],
];

describe('lines of history, explored exhaustively', () => {
  it.each<[string, Bounds]>([
    ...WORLDS,
    ...(isDeep ? [LOST, ...WIDE] : []),
    ...(process.env.BURGEE_MODEL === 'deep' ? DEEP : []),
  ])(
    '%s: no write is lost without a report, no two lists have the same ETag, no replica writes to another line, and writes resume',
    (name, bounds) => {
      const found = explore(bounds);
      console.info(`lineage model, ${name}:`, found);
      expect(found.states).toBeGreaterThan(500);
    },
    600_000,
  );
});
