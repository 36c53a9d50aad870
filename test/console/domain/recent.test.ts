import { describe, expect, it } from 'vitest';
import { endsNow, timesOf, yesterday } from '../../../console/src/domain/span.ts';
import {
  firstPage,
  type Newest,
  withDelivery,
  withFirst,
  withNext,
} from '../../../console/src/screens/recent/bounded.ts';
import { kit } from '../../../console/src/words/en/kit.ts';

type List = Newest<{ readonly revision: number }>;

/** The revisions from the newest to the oldest. */
const list = (newest: number, oldest: number, next: number | null = oldest): List => ({
  entries: Array.from({ length: newest - oldest + 1 }, (_, index) => ({ revision: newest - index })),
  next,
  upTo: newest,
});

/** Commits from `next` to `upTo`, of which a filter left all out. */
const none = (upTo: number, next: number | null): List => ({ entries: [], next, upTo });

describe('the list of recent changes', () => {
  it('keeps the pages after the first, which is read again', () => {
    expect(withFirst(list(120, 21), list(122, 73))).toEqual(list(122, 21));
    expect(withFirst(undefined, list(50, 1, null))).toEqual(list(50, 1, null));
    expect(withFirst(list(20, 11), list(22, 1, null))).toEqual(list(22, 1, null));
  });

  it('begins anew if there is a gap', () => {
    expect(withFirst(list(100, 1, null), list(160, 111))).toEqual(list(160, 111));
    expect(withFirst(list(110, 1, null), list(160, 111))).toEqual(list(160, 111));
    expect(withFirst(list(111, 1, null), list(160, 111))).toEqual(list(160, 1, null));
  });

  it('grows by itself to a bound, and is read on from there', () => {
    let all = list(1_000, 1, null);
    for (let newest = 1_001; newest <= 1_100; newest++) all = withFirst(all, list(newest, newest - 49));
    expect(all).toEqual(list(1_100, 101));
    expect(withNext(all, 101, list(100, 51))).toEqual(list(1_100, 51));
    expect(withFirst(list(1_100, 51), list(1_101, 1_052))?.entries).toHaveLength(1_050);
  });

  it('keeps what was read on behind a first page that the filter leaves empty', () => {
    let all: List | undefined = withFirst(undefined, firstPage(none(0, 501), 1_000));
    expect(all).toEqual(none(1_000, 501));
    all = withNext(all, 501, { entries: [{ revision: 300 }], next: 101 });
    // Every later commit is of others, so the page moves on and stays empty.
    for (let newest = 1_001; newest <= 1_600; newest++) all = withFirst(all, firstPage(none(0, newest - 499), newest));
    expect(all).toEqual({ entries: [{ revision: 300 }], next: 101, upTo: 1_600 });
    const own = { entries: [{ revision: 1_601 }], next: 1_102 };
    expect(withFirst(all, firstPage(own, 1_601))).toEqual({
      entries: [{ revision: 1_601 }, { revision: 300 }],
      next: 101,
      upTo: 1_601,
    });
  });

  it('is read on while its empty first page is read again', () => {
    const again = withFirst(none(1_000, 501), firstPage(none(0, 502), 1_001));
    expect(withNext(again, 501, { entries: [{ revision: 300 }], next: null })).toEqual({
      entries: [{ revision: 300 }],
      next: null,
      upTo: 1_001,
    });
  });

  it('begins anew if commits between the list and an empty first page are not read', () => {
    expect(withFirst(list(1_000, 501), none(1_600, 1_101))).toEqual(none(1_600, 1_101));
    expect(withFirst(none(1_000, null), none(1_600, 1_101))).toEqual(none(1_600, 1_101));
    expect(withFirst(none(1_000, 501), none(1_400, 901))).toEqual(none(1_400, 501));
  });

  it('is the first page alone if that has more of the past', () => {
    expect(withFirst(list(1_000, 951), list(1_001, 902))).toEqual(list(1_001, 902));
  });

  it('has at least the commits that the first page names, if the newest revision is not known', () => {
    expect([firstPage(none(0, 501), 0).upTo, firstPage(list(160, 111), 0).upTo]).toEqual([501, 160]);
    expect(firstPage(none(0, null), 0).upTo).toBe(0);
  });

  it('drops a page that does not continue it', () => {
    expect(withNext(list(160, 111), 51, list(50, 1))).toEqual(list(160, 111));
    expect(withNext(undefined, 51, list(50, 1))).toBeUndefined();
  });
});

describe('the time of recent changes', () => {
  const now = new Date('2026-11-27T09:30:00').getTime();
  const at = (text: string) => new Date(text).getTime();

  it('is the last minutes, or whole days of the time zone of the browser', () => {
    expect(timesOf({ minutes: 10 }, now)).toEqual({ fromMs: at('2026-11-27T09:20:00') });
    expect(yesterday(now)).toBe('2026-11-26');
    expect(timesOf({ from: '2026-11-26', to: '2026-11-26' }, now)).toEqual({
      fromMs: at('2026-11-26T00:00:00'),
      toMs: at('2026-11-26T23:59:59.999'),
    });
    expect(yesterday(at('2026-03-01T00:00:00'))).toBe('2026-02-28');
  });

  it('has no limit where there is no day', () => {
    expect(timesOf({ from: '', to: 'never' }, now)).toEqual({});
  });

  it('ends now only if changes that are made now are in it', () => {
    const ends = (to: string) => endsNow({ from: '2026-11-01', to }, now);
    expect([ends(''), ends('2026-11-27'), ends('2026-11-26')]).toEqual([true, true, false]);
    expect(endsNow({ minutes: 10 }, now)).toBe(true);
  });
});

describe('the deliveries of recent changes', () => {
  it('are those of the newest commits', () => {
    let kept: ReadonlyMap<number, { readonly revision: number }> = new Map();
    for (let revision = 1; revision <= 500; revision++) kept = withDelivery(kept, { revision });
    kept = withDelivery(kept, { revision: 450 });
    expect([kept.size, Math.min(...kept.keys()), Math.max(...kept.keys())]).toEqual([200, 301, 500]);
  });
});

describe('how soon the SDKs had a change', () => {
  it('names the half of them, unless there is one only', () => {
    expect(kit.halfWithin(250, 4)).toMatch(/^half of them within 0[.,]25\u00a0s$/);
    expect(kit.halfWithin(1_234, 1)).toMatch(/^within 1[.,]2\u00a0s$/);
  });
});
