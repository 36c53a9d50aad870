import { describe, expect, it } from 'vitest';
import { countExceeding, exceedsBounds, type RetentionBounds } from '../../../src/features/events/retention-bounds.ts';
import { encodeEvent } from '../../../src/state/commit.ts';
import { type EventEntry, eventSizeBytes } from '../../../src/stores/store.ts';

const NOW = Date.parse('2026-06-01T00:00:00.000Z');
const DAY_MS = 24 * 3_600_000;
const UNBOUNDED: RetentionBounds = { eventsMax: 0, ageMaxMs: 0, bytesMax: 0 };

/** One event for each age in days; null is one that cannot be read. */
const eventsOf = (...ages: readonly (number | null)[]): EventEntry[] =>
  ages.map((age, index) => ({
    id: index + 1,
    bytes: age === null ? Uint8Array.of(0x92, 99, 1) : encodeEvent(eventOf(index + 1, NOW - age * DAY_MS)),
  }));

function eventOf(id: number, atMs: number) {
  const nothing = { environment: null, project: null, featureName: null, data: null, preData: null, tags: null };
  const by = { createdBy: 'somebody', createdByUserId: 1 };
  return { id, type: 'setting-updated' as const, createdAt: new Date(atMs).toISOString(), ...by, ...nothing };
}

const beyond = (
  bounds: Partial<RetentionBounds>,
  oldest: readonly EventEntry[],
  count = 100,
  sizeBytes: number | null = 0,
) => countExceeding({ count, sizeBytes }, oldest, { ...UNBOUNDED, ...bounds }, NOW);

describe('the events beyond the bounds of the audit log', () => {
  it('are none without bounds', () => {
    expect(beyond({}, eventsOf(900, 800, 700), 1_000_000_000, 1e15)).toBe(0);
    expect(exceedsBounds({ count: 1e9, sizeBytes: 1e15 }, 0, UNBOUNDED, NOW)).toBe(false);
  });

  it('are as many as exceed the maximum count', () => {
    expect(beyond({ eventsMax: 98 }, eventsOf(5, 4, 3, 2, 1))).toBe(2);
    expect(beyond({ eventsMax: 50 }, eventsOf(5, 4, 3, 2, 1))).toBe(5);
    expect(beyond({ eventsMax: 100 }, eventsOf(5, 4, 3, 2, 1))).toBe(0);
  });

  it('are those that make the audit log too large, and none while its size is unknown', () => {
    const oldest = eventsOf(5, 4, 3);
    const one = oldest[0] ? eventSizeBytes(oldest[0]) : 0;
    expect(beyond({ bytesMax: 10_000 }, oldest, 100, 10_000)).toBe(0);
    expect(beyond({ bytesMax: 10_000 }, oldest, 100, 10_001)).toBe(1);
    expect(beyond({ bytesMax: 10_000 }, oldest, 100, 10_000 + one)).toBe(1);
    expect(beyond({ bytesMax: 10_000 }, oldest, 100, 10_001 + one)).toBe(2);
    expect(beyond({ bytesMax: 1 }, oldest, 100, null)).toBe(0);
  });

  it('are those that are too old, up to the first one that is not', () => {
    expect(beyond({ ageMaxMs: 10 * DAY_MS }, eventsOf(12, 11, 10.1, 9, 8))).toBe(3);
    expect(beyond({ ageMaxMs: 10 * DAY_MS }, eventsOf(9, 12, 11))).toBe(0);
    expect(beyond({ ageMaxMs: 10 * DAY_MS }, eventsOf(10))).toBe(0);
  });

  it('include unreadable and future events if a later event is beyond the bounds', () => {
    expect(beyond({ ageMaxMs: 10 * DAY_MS }, eventsOf(null, -3, 12, null, 9))).toBe(3);
    expect(beyond({ ageMaxMs: 10 * DAY_MS }, eventsOf(null, -3, 9))).toBe(0);
    expect(beyond({ eventsMax: 98 }, eventsOf(null, null, null))).toBe(2);
  });

  it('follow the strictest of all bounds', () => {
    expect(beyond({ eventsMax: 99, ageMaxMs: 10 * DAY_MS }, eventsOf(12, 11, 9))).toBe(2);
    expect(beyond({ eventsMax: 97, ageMaxMs: 10 * DAY_MS }, eventsOf(12, 11, 9))).toBe(3);
  });
});
