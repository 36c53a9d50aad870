import { expect } from 'vitest';
import type { ContractCase } from '../contract-case.ts';

const operation = 'POST /api/admin/events/search';
const path = '/api/admin/events/search';

interface Event {
  readonly id: number;
  readonly type: string;
  readonly featureName: string | null;
}

export const EVENT_CASES: readonly ContractCase[] = [
  {
    operation,
    status: 200,
    when: 'nothing is asked for: the newest hundred',
    send: (world) => world.send('POST', path, { body: {} }),
    check({ body }) {
      const ids = body.events.map(({ id }: Event) => id);
      expect(ids).toEqual([...ids].sort((left, right) => right - left));
      expect(body.totalEvents).toBeGreaterThanOrEqual(ids.length);
    },
  },
  {
    operation,
    status: 200,
    when: 'type, project and flag are given, of which letter case counts',
    async send(world) {
      const filter = { type: 'feature-created', project: 'default', feature: 'shop' };
      for (const wrong of [{ type: 'FEATURE-CREATED' }, { project: 'Default' }, { feature: 'Shop' }]) {
        expect((await world.send('POST', path, { body: { ...filter, ...wrong } })).body.events).toEqual([]);
      }
      return world.send('POST', path, { body: filter });
    },
    check({ body }) {
      expect(body.totalEvents).toBe(1);
      expect(body.events).toMatchObject([{ type: 'feature-created', project: 'default', featureName: 'shop' }]);
    },
  },
  {
    operation,
    status: 200,
    when: 'a text is given: it is looked for in type, creator and data',
    async send(world) {
      const found = async (query: string) => (await world.send('POST', path, { body: { query } })).body.events;
      expect((await found('segment-created')).length).toBe(1);
      expect((await found('erna@example.org')).length).toBeGreaterThan(0);
      return world.send('POST', path, { body: { query: 'They look first' } });
    },
    check: ({ body }) => expect(body.events.map(({ type }: Event) => type)).toEqual(['segment-created']),
  },
  {
    operation,
    status: 200,
    when: 'an event id to start from and a limit are given',
    async send(world) {
      const { events } = (await world.send('POST', path, { body: {} })).body;
      const answer = await world.send('POST', path, { body: { offset: events[2].id, limit: 2 } });
      expect(answer.body.events.map(({ id }: Event) => id)).toEqual([events[2].id, events[3].id]);
      return answer;
    },
  },
];
