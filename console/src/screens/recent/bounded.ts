interface Numbered {
  readonly revision: number;
}

/** Pages of commits that follow each other without a gap. Filters may have left all commits of a page out. */
export interface Newest<Entry extends Numbered> {
  readonly entries: readonly Entry[];
  /** The pages have all commits up to this revision, from `next`. */
  readonly upTo: number;
  /** The revision before which the next ones are read; null if there are none. */
  readonly next: number | null;
}

/** A list grows to this size by itself, and further only by the button. */
const ENTRIES_MAX = 1000;
const DELIVERIES_MAX = 200;

/** The first page as it was read when `newest` was the newest known revision. */
export function firstPage<Entry extends Numbered>(
  { entries, next }: Pick<Newest<Entry>, 'entries' | 'next'>,
  newest: number,
): Newest<Entry> {
  return { entries, next, upTo: Math.max(newest, entries[0]?.revision ?? 0, next ?? 0) };
}

/** The list after its first page was read again. Commits never change, so the others stay; a list from before a gap is dropped. */
export function withFirst<Entry extends Numbered>(
  before: Newest<Entry> | undefined,
  first: Newest<Entry>,
): Newest<Entry> {
  const { next: from, upTo } = first;
  if (!before || from === null || from > before.upTo) return first;
  if (before.next !== null && before.next >= from) return first;
  const entries = first.entries.concat(before.entries.filter(({ revision }) => revision < from));
  const most = Math.max(ENTRIES_MAX, before.entries.length);
  if (entries.length <= most) return { entries, next: before.next, upTo };
  const kept = entries.slice(0, most);
  return { entries: kept, next: kept.at(-1)?.revision ?? null, upTo };
}

/** The list with the page that begins before the revision. The page is dropped if the list ends elsewhere by now. */
export function withNext<Entry extends Numbered>(
  before: Newest<Entry> | undefined,
  from: number,
  page: Pick<Newest<Entry>, 'entries' | 'next'>,
): Newest<Entry> | undefined {
  if (before?.next !== from) return before;
  return { ...before, entries: before.entries.concat(page.entries), next: page.next };
}

/** The deliveries by revision with a new one. Only the newest are kept. */
export function withDelivery<Delivery extends Numbered>(
  before: ReadonlyMap<number, Delivery>,
  delivery: Delivery,
): ReadonlyMap<number, Delivery> {
  const after = new Map(before).set(delivery.revision, delivery);
  if (after.size > DELIVERIES_MAX) after.delete(Math.min(...after.keys()));
  return after;
}
