import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { OwnAsker, SERVICE } from '../../src/base/asking/asker.ts';
import { SLICE_BUDGET_MS, Slicer, yieldControl } from '../../src/base/yield-control.ts';

const WORKS = 20;
const STEPS = 12;
const STEP_MS = 0.5;

/** Only the tests advance the clock, so that the counts do not depend on the machine. */
beforeEach(async () => {
  // Ends the event loop turn of the previous test.
  await new Promise(setImmediate);
  vi.useFakeTimers({ toFake: ['performance'] });
});

afterEach(() => {
  vi.useRealTimers();
});

function busy(ms: number): void {
  vi.advanceTimersByTime(ms);
}

/** Work in steps. Calls `did` at each. */
async function work(did: () => void, slicer = Slicer.of(SERVICE)): Promise<void> {
  for (let step = 0; step < STEPS; step++) {
    busy(STEP_MS);
    did();
    if (slicer.spent) await slicer.pause();
  }
}

/** The number of steps in each turn of the event loop, until all work is done. */
async function stepsOfTurns(begin: () => Promise<unknown>): Promise<number[]> {
  const turns: number[] = [];
  let isOver = false;
  const turn = () => {
    turns.push(steps);
    steps = 0;
    if (!isOver) setImmediate(turn);
  };
  setImmediate(turn);
  await begin();
  isOver = true;
  turns.push(steps);
  return turns;
}

let steps = 0;
const did = () => {
  steps++;
};

/** The number of steps that fit into a slice, and the step that exceeds it. */
const SLICE_STEPS = SLICE_BUDGET_MS / STEP_MS + 1;

describe('work in slices', () => {
  it('that begins in one turn of the event loop shares one slice, and each part does at least one step', async () => {
    steps = 0;
    const turns = await stepsOfTurns(() => Promise.all(Array.from({ length: WORKS }, () => work(did))));
    expect(turns.reduce((sum, each) => sum + each, 0)).toBe(WORKS * STEPS);
    expect(turns[0]).toBeGreaterThanOrEqual(WORKS);
    expect(turns[0]).toBeLessThanOrEqual(WORKS + SLICE_STEPS);
    for (const each of turns.slice(1)) expect(each).toBeLessThanOrEqual(SLICE_STEPS);
  });

  it('that begins while other work runs shares the slice of that turn', async () => {
    steps = 0;
    const turns = await stepsOfTurns(async () => {
      const all = [work(did)];
      for (let time = 0; time < 6; time++) {
        await new Promise(setImmediate);
        all.push(work(did));
      }
      await Promise.all(all);
    });
    for (const each of turns) expect(each).toBeLessThanOrEqual(SLICE_STEPS + 1);
  });

  it('has a whole slice when it continues', async () => {
    const slicer = Slicer.of(SERVICE);
    busy(SLICE_BUDGET_MS);
    expect(slicer.spent).toBe(true);
    for (let time = 0; time < 3; time++) {
      await slicer.pause();
      expect(slicer.spent).toBe(false);
      busy(SLICE_BUDGET_MS);
      expect(slicer.spent).toBe(true);
    }
  });

  it('has a slice for itself in a turn without other work', async () => {
    for (let time = 0; time < 3; time++) {
      busy(SLICE_BUDGET_MS);
      await new Promise(setImmediate);
      const slicer = Slicer.of(SERVICE);
      expect(slicer.spent).toBe(false);
      busy(SLICE_BUDGET_MS);
    }
  });

  it('is resumed once per turn', async () => {
    let resumed = 0;
    const most: number[] = [];
    const waits = Array.from({ length: 5 }, () => yieldControl().then(() => resumed++));
    for (let turn = 0; turn < 6; turn++) {
      const before = resumed;
      await new Promise(setImmediate);
      most.push(resumed - before);
    }
    await Promise.all(waits);
    expect(Math.max(...most)).toBe(1);
  });
});

describe('callers with work', () => {
  it('are served in rotation, also when one of them has much more work', async () => {
    const order: string[] = [];
    const one = (holder: string) => work(() => order.push(holder), Slicer.of(new OwnAsker(holder)));
    const greedy = Array.from({ length: 50 }, () => one('greedy'));
    await one('other');
    const before = order.filter((holder) => holder === 'greedy').length;
    // The first step of each, and one slice for each slice of the other caller.
    expect(before).toBeLessThanOrEqual(50 + 3 * (SLICE_BUDGET_MS / STEP_MS));
    await Promise.all(greedy);
  });

  it('finish the work that they began before they begin more', async () => {
    const left = new Map<number, number>();
    let most = 0;
    const one = async (index: number) => {
      const slicer = Slicer.of(new OwnAsker('caller'));
      await slicer.pause();
      await work(() => {
        left.set(index, (left.get(index) ?? STEPS) - 1);
        if (left.get(index) === 0) left.delete(index);
        most = Math.max(most, left.size);
      }, slicer);
    };
    await Promise.all(Array.from({ length: 50 }, (_, index) => one(index)));
    expect(most).toBe(1);
  });
});
