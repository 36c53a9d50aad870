import { mkdtemp, rm } from 'node:fs/promises';
import { type IncomingMessage, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { silentLogger } from '../../../src/base/logger.ts';
import { LmdbStore } from '../../../src/stores/lmdb/lmdb-store.ts';
import type { EventEntry } from '../../../src/stores/store.ts';
import { fillAuditLog, range } from '../../support/audit-log.ts';
import { ADMIN_TOKEN, startTestService, type TestService } from '../../support/service.ts';

/** Those of the project are still more than what sockets buffer. */
const EVENTS = 44;
const isOfProject = (id: number) => id % 20 !== 0;
const EVENT_BYTES = 1_000_000;

let directory: string;
let service: TestService;
/** The number of events in each read from the store, since this list was cleared. */
const reads: number[] = [];

const noted = async (entries: Promise<EventEntry[]>) => {
  reads.push((await entries).length);
  return entries;
};

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'burgee-event-pages-'));
  const open = () => new LmdbStore({ directory, logger: silentLogger });
  for (let count = 0; count < EVENTS; count += 11)
    await fillAuditLog(open(), { events: 11, isOfProject, data: { text: 'x'.repeat(EVENT_BYTES) } });
  const store = open();
  const [byId, newest] = [store.readEventsById.bind(store), store.readEvents.bind(store)];
  store.readEventsById = (ids) => noted(byId(ids));
  store.readEvents = (beforeId, limit) => noted(newest(beforeId, limit));
  service = await startTestService({ directory, store });
});

afterAll(async () => {
  await service.close();
  await rm(directory, { recursive: true, force: true });
});

/** Resolves when the answer begins; nothing of its body is read. */
function unread(path: string): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    request(`${service.url}${path}`, { headers: { authorization: ADMIN_TOKEN } }, resolve)
      .on('error', reject)
      .end();
  });
}

const readSoFar = () => reads.reduce((sum, count) => sum + count, 0);

describe('a page of large events', () => {
  it.each([
    ['all events', `/api/admin/events?limit=100&offset=${EVENTS}`],
    ['the events of a project', `/api/admin/events?limit=100&offset=${EVENTS}&project=default`],
    ['the events that a search finds', '/api/admin/search/events?limit=1000'],
  ])('of %s is read from the store a few at a time, as the client reads it, and is complete', async (_which, path) => {
    reads.length = 0;
    const answer = await unread(path);
    // If the service read ahead, it would have the time for it here.
    for (let count = 0; count < 50; count++) await service.call('getHealth');
    const wanted = range(1, EVENTS).filter((id) => !path.includes('project') || isOfProject(id));
    // Linux buffers up to 36 MB in the sockets of both sides; the rest waits for the client.
    expect(readSoFar()).toBeLessThan(wanted.length);
    const { events } = JSON.parse(await text(answer));
    const returned: number[] = events.map(({ id }: { id: number }) => id);
    expect(returned.filter((id) => id <= EVENTS)).toEqual(wanted.reverse());
    expect(Math.max(...reads)).toBeLessThanOrEqual(8);
  });
});
