import { mkdtemp, rm } from 'node:fs/promises';
import { type IncomingMessage, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { silentLogger } from '../../src/base/logger.ts';
import { LmdbStore } from '../../src/stores/lmdb/lmdb-store.ts';
import type { EventEntry } from '../../src/stores/store.ts';
import { fillAuditLog, range } from '../support/audit-log.ts';
import { ADMIN_TOKEN, startTestService, type TestService } from '../support/service.ts';

const EVENTS = 100;
const EVENT_BYTES = 1_000_000;

let directory: string;
let service: TestService;
/** Of events that the service has read since this was cleared: how many each time. */
const reads: number[] = [];

const noted = async (entries: Promise<EventEntry[]>) => {
  reads.push((await entries).length);
  return entries;
};

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'burgee-event-pages-'));
  const open = () => new LmdbStore({ directory, logger: silentLogger });
  for (let count = 0; count < EVENTS; count += 10)
    await fillAuditLog(open(), { events: 10, data: { text: 'x'.repeat(EVENT_BYTES) } });
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

/** The head of an answer of which nothing is read yet. */
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
    ['all', `/api/admin/events?limit=100&offset=${EVENTS}`],
    ['those of a project', `/api/admin/events?limit=100&offset=${EVENTS}&project=default`],
    ['those that were searched for', '/api/admin/search/events?limit=1000'],
  ])('of %s is read as its reader takes it, a few at a time, and told whole', async (_which, path) => {
    reads.length = 0;
    const answer = await unread(path);
    // Whoever would go on reading has the time for it.
    for (let count = 0; count < 50; count++) await service.call('getHealth');
    const wanted = range(1, EVENTS).filter((id) => !path.includes('project') || id % 2 === 0);
    // Far more than sockets of both sides hold.
    expect(readSoFar()).toBeLessThan(wanted.length / 2);
    const { events } = JSON.parse(await text(answer));
    const told: number[] = events.map(({ id }: { id: number }) => id);
    expect(told.filter((id) => id <= EVENTS)).toEqual(wanted.reverse());
    expect(Math.max(...reads)).toBeLessThanOrEqual(8);
  });
});
