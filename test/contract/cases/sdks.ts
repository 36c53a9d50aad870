import { expect } from 'vitest';
import type { ContractCase } from '../contract-case.ts';

const LIST = 'GET /api/client/features';
const names = (body: { features: readonly { name: string }[] }) => body.features.map(({ name }) => name);

export const SDK_CASES: readonly ContractCase[] = [
  {
    operation: LIST,
    status: 200,
    when: 'an SDK asks',
    send: (world) => world.poll('/api/client/features', { 'service-appname': 'shop', 'service-instanceid': 'one' }),
    check({ body, headers }) {
      expect(headers.get('etag')).toBeTruthy();
      expect(names(body)).toEqual(expect.arrayContaining(['shop', 'parent']));
    },
  },
  {
    operation: LIST,
    status: 200,
    when: 'it asks for a prefix, a tag or a project',
    async send(world) {
      expect(names((await world.poll('/api/client/features?namePrefix=sho')).body)).toEqual(['shop']);
      expect(names((await world.poll('/api/client/features?project=nowhere')).body)).toEqual([]);
      const tags = 'tag[]=simple:checkout&tag[]=simple:other';
      return world.poll(`/api/client/features?project=default&${tags}`);
    },
    check: ({ body }) => expect(names(body)).toEqual(['shop']),
  },
  {
    operation: LIST,
    status: 304,
    when: 'nothing has changed since the ETag',
    async send(world) {
      const { headers } = await world.poll('/api/client/features');
      return world.poll('/api/client/features', { 'if-none-match': headers.get('etag') ?? '' });
    },
  },
  {
    operation: 'GET /api/client/features/:featureName',
    status: 200,
    when: 'there is such a flag',
    send: (world) => world.poll('/api/client/features/shop'),
    check: ({ body }) => expect(body).toMatchObject({ name: 'shop', enabled: true, type: 'release' }),
  },
];
