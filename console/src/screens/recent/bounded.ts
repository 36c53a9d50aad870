interface Numbered {
  readonly revision: number;
}

/** The newest commits, without a gap. */
export interface Newest<Entry extends Numbered> {
  readonly entries: readonly Entry[];
  /** The revision before which the next ones are read; null if there are none. */
  readonly next: number | null;
}

/** A list grows to this size by itself, and further only by the button. */
const ENTRIES_MAX = 1000;
const DELIVERIES_MAX = 200;

/** The list after its first page was read again. Commits never change, so the others stay; a list from before a gap is dropped. */
export function withFirst<Entry extends Numbered>(
  before: Newest<Entry> | undefined,
  first: Newest<Entry>,
): Newest<Entry> {
  const from = first.next;
  const newest = before?.entries[0]?.revision;
  if (!before || from === null || newest === undefined || newest < from) return first;
  const entries = first.entries.concat(before.entries.filter(({ revision }) => revision < from));
  const most = Math.max(ENTRIES_MAX, before.entries.length);
  if (entries.length <= most) return { entries, next: before.next };
  const kept = entries.slice(0, most);
  return { entries: kept, next: kept.at(-1)?.revision ?? null };
}

/** The list with the page that begins before the revision. The page is dropped if the list ends elsewhere by now. */
export function withNext<Entry extends Numbered>(
  before: Newest<Entry> | undefined,
  from: number,
  page: Newest<Entry>,
): Newest<Entry> | undefined {
  if (before?.next !== from) return before;
  return { entries: before.entries.concat(page.entries), next: page.next };
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
