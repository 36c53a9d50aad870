import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { PRESENCE_MS, Presence } from '../../../src/features/change-stream/presence.ts';
import { ManualClock } from '../../support/manual-clock.ts';

const EVERYTHING = { isAll: true, isAdmin: true, user: null, has: () => true };
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

  /** The entities in the events of a stream that begins now. */
  const shown = (presence: Presence) => presence.since(0, '7', EVERYTHING).split('event: presence').length - 1;

  it('has at most 50 pages of one person, and 2,000 of all', () => {
    const clock = new ManualClock();
    const presence = new Presence(clock, () => {});
    const report = (holder: number, page: number, id: string) =>
      presence.report(
        String(holder),
        { id: holder, name: `user ${holder}` },
        { page: `page ${page}`, type: 'feature', id, mode: 'viewing' },
        'default',
      );
    for (let holder = 0; holder < 40; holder++) {
      for (let page = 0; page < 50; page++) expect(report(holder, page, `flag ${holder} ${page}`)).toBeUndefined();
      expect(report(holder, 50, 'one more')).toMatchObject({ name: 'TooManyRequestsError', retryAfterS: 30 });
    }
    expect(shown(presence)).toBe(2_000);
    expect(report(41, 0, 'another person')).toMatchObject({ name: 'TooManyRequestsError' });
    // A page that is known may repeat its report or show something else, and a closed one makes way for another.
    expect([report(0, 0, 'flag 0 0'), report(0, 0, 'elsewhere')]).toEqual([undefined, undefined]);
    presence.leave('0', 'page 1');
    expect(report(41, 0, 'another person')).toBeUndefined();
    clock.advance(PRESENCE_MS);
    vi.advanceTimersByTime(5_000);
    expect(report(41, 1, 'another person')).toBeUndefined();
    presence.close();
  });

  it('keeps at most 4,000 entities, also if pages show one entity after the other', () => {
    const presence = new Presence(new ManualClock(), () => {});
    let most = 0;
    for (let index = 0; index < 9_000; index++) {
      const page = `page ${index % 50}`;
      presence.report('1', ANNA, { page, type: 'feature', id: `flag ${index}`, mode: 'viewing' }, 'default');
      if (index % 500 === 0) most = Math.max(most, shown(presence));
    }
    expect(most).toBeGreaterThan(2_000);
    expect(most).toBeLessThanOrEqual(4_000);
    expect(shown(presence)).toBeLessThanOrEqual(4_000);
    // What a stream is sent after a few more reports are these reports, not all entities.
    const { version } = presence;
    presence.report('1', ANNA, { page: 'page 0', type: 'feature', id: 'the last one', mode: 'viewing' }, 'default');
    expect(presence.since(version, '7', EVERYTHING).split('event: presence').length - 1).toBe(2);
    presence.close();
  });
});
