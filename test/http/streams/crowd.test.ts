import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { CHANGE_PACE, Crowd } from '../../../src/http/streams/crowd.ts';

const SPREAD_MS = 2_000;

let served: number[];
let crowd: Crowd<number>;

beforeEach(() => {
  vi.useFakeTimers();
  served = [];
  crowd = new Crowd(CHANGE_PACE, (reader) => served.push(reader));
});

afterEach(() => {
  crowd.close();
  vi.useRealTimers();
});

const readers = (count: number, from = 0) => new Set(Array.from({ length: count }, (_, index) => from + index));

describe('a crowd', () => {
  it('leaves a thousand readers to the caller, to serve them at once', () => {
    expect(crowd.add([readers(CHANGE_PACE.atOnce / 2), readers(CHANGE_PACE.atOnce / 2, CHANGE_PACE.atOnce)])).toBe(
      false,
    );
    expect(crowd.add([])).toBe(false);
    vi.advanceTimersByTime(SPREAD_MS);
    expect([served, crowd.waitingCount]).toEqual([[], 0]);
  });

  it('serves more readers one after the other, each once: 5,000 in 0.8 seconds, 10,000 in less than two', () => {
    for (const [count, ms] of [
      [5_000, 800],
      [10_000, 1_600],
    ] as const) {
      served = [];
      expect(crowd.add([readers(count / 2), readers(count / 2, count / 2)])).toBe(true);
      expect(served).toEqual([]);
      vi.advanceTimersByTime(ms / 2);
      expect(served).toHaveLength(count / 2);
      vi.advanceTimersByTime(ms / 2 + 20);
      expect(served).toEqual([...readers(count)]);
      expect(vi.getTimerCount()).toBe(0);
    }
  });

  it('reaches every reader of each change, also of a change while readers wait', () => {
    const all = readers(10_000);
    crowd.add([all]);
    vi.advanceTimersByTime(SPREAD_MS / 2);
    const before = served.length;
    crowd.add([all]);
    vi.advanceTimersByTime(SPREAD_MS);
    // Those that waited come first; those that were served come again.
    expect(served.slice(before)).toEqual([...[...all].slice(before), ...[...all].slice(0, before)]);
  });

  it('serves a few readers after those that wait, so that no reader is served twice', () => {
    crowd.add([readers(2_000)]);
    expect(crowd.add([readers(10)])).toBe(true);
    vi.advanceTimersByTime(SPREAD_MS);
    expect([served.length, new Set(served).size]).toEqual([2_000, 2_000]);
  });

  it('serves no reader after it was closed', () => {
    crowd.add([readers(2_000)]);
    vi.advanceTimersByTime(SPREAD_MS / 10);
    const { length } = served;
    crowd.close();
    vi.advanceTimersByTime(SPREAD_MS);
    expect([served.length, crowd.waitingCount]).toEqual([length, 0]);
  });
});
