import type { components } from '../../api/schema.d.ts';
import { api, read } from '../../data/client.ts';
import { keys } from '../../data/keys.ts';
import { timesOf } from '../../domain/span.ts';
import { inTurn } from '../../past/past-data.ts';

export type AuditEvent = components['schemas']['event'];

export interface Filters {
  readonly query: string;
  readonly project: string;
  readonly environment: string;
  readonly type: string;
  readonly feature: string;
  /** The id of a user. */
  readonly person: string;
  /** Days of the browser's time zone, both included. */
  readonly from: string;
  readonly to: string;
}

const PAGE = 50;
const EXACT = ['project', 'environment', 'type', 'feature'] as const;

const ends = ({ from, to }: Filters) => {
  const { fromMs, toMs } = timesOf({ from, to }, Date.now());
  return {
    ...(fromMs !== undefined && { from: `IS:${new Date(fromMs).toISOString()}` }),
    ...(toMs !== undefined && { to: `IS:${new Date(toMs).toISOString()}` }),
  };
};

/** Without the states before and after: an event of an import can have half a megabyte of them. */
export const readEvents = (filters: Filters, beforeId: number | undefined) => {
  const exact = Object.fromEntries(
    EXACT.filter((name) => filters[name] !== '').map((name) => [name, `IS:${filters[name]}`]),
  );
  return read(
    api.GET('/api/admin/search/events', {
      params: {
        query: {
          ...exact,
          ...ends(filters),
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

export const eventsKey = (filters: Filters) => keys.events('search', filters);
