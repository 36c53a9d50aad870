import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { PRESENCE_MS, Presence } from '../../src/features/change-stream/presence.ts';
import { ManualClock } from '../support/manual-clock.ts';

const EVERYTHING = { isAll: true, isAdmin: true, has: () => true };
const ANNA = { id: 1, name: 'anna' };

beforeEach(() => {
  vi.useFakeTimers();
});

afterEach(() => {
  vi.useRealTimers();
});

describe('presence', () => {
  it('ends when a page no longer repeats its report, and nothing is kept of it', async () => {
    const clock = new ManualClock();
    let changes = 0;
    const presence = new Presence(clock, () => changes++);
    presence.report('1', ANNA, { page: 'a', type: 'feature', id: 'flag', mode: 'editing' }, 'default');
    clock.advance(PRESENCE_MS - 1_000);
    presence.report('1', ANNA, { page: 'a', type: 'feature', id: 'flag', mode: 'editing' }, 'default');
    expect(changes, 'a repeated report is no change').toBe(1);
    vi.advanceTimersByTime(5_000);
    expect(presence.since(0, '7', EVERYTHING)).toContain('"people":[{"id":1,"name":"anna","mode":"editing"}]');
    clock.advance(PRESENCE_MS);
    vi.advanceTimersByTime(5_000);
    expect([changes, presence.since(1, '7', EVERYTHING)]).toEqual([2, expect.stringContaining('"people":[]')]);
    clock.advance(60_000);
    vi.advanceTimersByTime(5_000);
    expect(presence.since(0, '7', EVERYTHING)).toBe('');
    expect(vi.getTimerCount()).toBe(0);
  });
});
