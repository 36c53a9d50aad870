import type { components } from '../../api/schema.d.ts';
import { api, read } from '../../data/client.ts';
import { inTurn } from '../../data/in-turn.ts';
import { keys } from '../../data/keys.ts';
import type { HistoryEntry } from '../../domain/model.ts';
import { timesOf } from '../../domain/span.ts';
import { type Filters, readHistoryPage } from '../../history/read-history.ts';
import { typesOf } from '../../words/en/event-kinds.ts';

export type AuditEvent = components['schemas']['event'];

/** Those of all lists of what happened, and text and a kind of events. */
export interface AuditFilters extends Filters {
  readonly query: string;
  /** A kind of event in words, or the type of an event. */
  readonly type: string;
}

const PAGE = 50;
const EXACT = ['project', 'environment', 'feature'] as const;

const ends = ({ span }: Filters) => {
  const { fromMs, toMs } = timesOf(span, Date.now());
  return {
    ...(fromMs !== undefined && { from: `IS:${new Date(fromMs).toISOString()}` }),
    ...(toMs !== undefined && { to: `IS:${new Date(toMs).toISOString()}` }),
  };
};

/** Without the states before and after: an event of an import can have half a megabyte of them. */
export const readEvents = (filters: AuditFilters, beforeId: number | undefined) => {
  const exact = Object.fromEntries(
    EXACT.filter((name) => filters[name] !== '').map((name) => [name, `IS:${filters[name]}`]),
  );
  return read(
    api.GET('/api/admin/search/events', {
      params: {
        query: {
          ...exact,
          ...ends(filters),
          ...(filters.type !== '' && { type: `IS_ANY_OF:${typesOf(filters.type).join()}` }),
          ...(filters.person !== '' && { createdBy: `IS:${filters.person}` }),
          ...(filters.query !== '' && { query: filters.query }),
          ...(beforeId !== undefined && { beforeId }),
          limit: String(PAGE),
          fields: 'summary',
        },
      },
    }),
  );
};

export type EventPage = Awaited<ReturnType<typeof readEvents>>;

/** Where the next page begins; undefined at the end. */
export function nextOf(page: EventPage): number | undefined {
  if (page.searchedDownTo !== undefined) return page.searchedDownTo;
  return page.events.length < PAGE ? undefined : page.events.at(-1)?.id;
}

/** One event with its states. */
export const eventQuery = (id: number) =>
  ({
    queryKey: ['own', 'event', id],
    queryFn: async () =>
      (await read(api.GET('/api/admin/search/events', { params: { query: { id: `IS:${id}`, limit: '1' } } })))
        .events[0] ?? null,
  }) as const;

const COMMITS = 100;
/** Events that are few among many commits: the others keep the sentence of the server. */
const PAGES_MAX = 3;

/** The commits of a page of events, by revision: histories have sentences that say what changed. */
export const commitsQuery = (events: readonly AuditEvent[], filters: AuditFilters) => {
  const revisions = new Set(events.flatMap(({ revision }) => revision ?? []));
  const [newest, oldest] = [Math.max(...revisions), Math.min(...revisions)];
  return {
    queryKey: keys.own('commits-of-events', [...revisions], filters),
    enabled: revisions.size > 0,
    queryFn: async () => {
      const found = new Map<number, HistoryEntry>();
      let before: number | null = newest + 1;
      for (let pages = 0; pages < PAGES_MAX && before !== null && before > oldest; pages++) {
        const from: number = before;
        const page = await inTurn(() => readHistoryPage(filters, from, COMMITS));
        for (const entry of page.entries) if (revisions.has(entry.revision)) found.set(entry.revision, entry);
        before = page.next;
      }
      return found;
    },
  } as const;
};

/** The commit of an event, as histories have it; null if it changed nothing with a recorded past. */
export const commitQuery = (revision: number) =>
  ({
    queryKey: keys.own('commit', revision),
    queryFn: async () => {
      const query = { before: revision + 1, limit: 1 };
      const { entries } = await inTurn(() => read(api.GET('/api/admin/history', { params: { query } })));
      return entries.find((entry) => entry.revision === revision) ?? null;
    },
  }) as const;

export const eventsKey = (filters: AuditFilters) => keys.events('search', filters);
