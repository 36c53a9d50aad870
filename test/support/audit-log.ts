import { silentLogger } from '../../src/base/logger.ts';
import { type Replica, recover } from '../../src/engine/replica.ts';
import type { AuditEvent } from '../../src/model/event.ts';
import { encodeCommit, encodeEvent } from '../../src/state/commit.ts';
import { State } from '../../src/state/state.ts';
import type { Store } from '../../src/stores/store.ts';

const BY = { id: 1, name: 'somebody' };

interface AuditLogFilling {
  readonly events: number;
  /** When they happened. */
  readonly at?: string;
  /** The data of each event. */
  readonly data?: unknown;
  /** Whether an event is of the project `default`; every second one by default. */
  readonly isOfProject?: (id: number) => boolean;
}

/** Writes audit events into a store that no other process has open, as commits that change nothing. Returns the id of the newest event. */
export async function fillAuditLog(
  store: Store,
  { events: count, at = new Date().toISOString(), data = null, isOfProject = isEven }: AuditLogFilling,
): Promise<number> {
  const { state } = await opened(store);
  let { seq, lastEventId } = state;
  for (let left = count; left > 0; ) {
    const length = Math.min(left, 500);
    const events = Array.from({ length }, (_, index) => {
      const id = lastEventId + 1 + index;
      const event = eventOf(id, at, data, isOfProject(id));
      return { id: event.id, bytes: encodeEvent(event) };
    });
    const range = { firstId: lastEventId + 1, count: length };
    const commit = { seq: seq + 1, writeId: `filled-${seq + 1}`, at, by: BY, changes: [], touched: [], events: range };
    const batch = {
      expectedTip: seq,
      writeId: commit.writeId,
      entries: [{ seq: seq + 1, bytes: encodeCommit(commit) }],
    };
    const outcome = await store.append({ ...batch, events });
    if (outcome.status !== 'appended') throw new Error('another process writes to the store');
    seq += 1;
    lastEventId += length;
    left -= length;
  }
  await store.close();
  return lastEventId;
}

async function opened(store: Store): Promise<Replica> {
  return recover(store, await store.open(), new State(), silentLogger);
}

const isEven = (id: number) => id % 2 === 0;

function eventOf(id: number, createdAt: string, data: unknown, isOfProject: boolean): AuditEvent {
  return {
    id,
    type: 'setting-updated',
    createdAt,
    createdBy: BY.name,
    createdByUserId: BY.id,
    environment: null,
    project: isOfProject ? 'default' : null,
    featureName: null,
    data,
    preData: null,
    tags: null,
  };
}

interface AuditLogContent {
  readonly ids: readonly number[];
  readonly firstEventId: number;
  readonly totalEvents: number;
}

interface EventList {
  readonly events: readonly { readonly id: number }[];
  readonly firstEventId: number;
  readonly totalEvents: number;
}

/** All audit events, oldest first, as a client pages through them; `query` asks for a project's. */
export async function readAuditLog(list: (query: string) => Promise<EventList>, query = ''): Promise<AuditLogContent> {
  const { firstEventId, totalEvents, events } = await list(`limit=100&${query}`);
  const ids = events.map(({ id }) => id);
  while (ids.length > 0) {
    const page = await list(`limit=100&offset=${(ids.at(-1) ?? 1) - 1}&${query}`);
    if (page.events.length === 0) break;
    ids.push(...page.events.map(({ id }) => id));
  }
  return { ids: ids.reverse(), firstEventId, totalEvents };
}

export const range = (from: number, to: number): number[] =>
  Array.from({ length: Math.max(0, to - from + 1) }, (_, index) => from + index);
