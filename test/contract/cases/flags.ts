import { expect } from 'vitest';
import type { ContractCase } from '../contract-case.ts';
import { type LegalRequest, refusalsOf, viewerRefused } from './refusals.ts';

const flag = '/api/admin/projects/default/features/shop';

const playground: LegalRequest = {
  operation: 'POST /api/admin/playground',
  path: () => '/api/admin/playground',
  body: { environment: 'development', projects: '*', context: { appName: 'a', userId: '7' } },
};
const update: LegalRequest = {
  operation: 'PUT /api/admin/projects/:projectId/features/:featureName',
  path: () => flag,
  body: { description: 'Sells things' },
};
const putVariants: LegalRequest = {
  operation: 'PUT /api/admin/projects/:projectId/features/:featureName/variants',
  path: () => `${flag}/variants`,
  body: [
    { name: 'a', weight: 1, weightType: 'variable', stickiness: 'default' },
    { name: 'b', weight: 300, weightType: 'fix', stickiness: 'default' },
    { name: 'c', weight: 1, weightType: 'variable', stickiness: 'default' },
  ],
};
const getVariants: LegalRequest = {
  operation: 'GET /api/admin/projects/:projectId/features/:featureName/environments/:environment/variants',
  path: () => `${flag}/environments/development/variants`,
};

export const FLAG_CASES: readonly ContractCase[] = [
  ...[playground, update, putVariants, getVariants].flatMap(refusalsOf),
  ...[update, putVariants].map(viewerRefused),
  {
    operation: playground.operation,
    status: 200,
    when: 'flags are evaluated for a context',
    send: (world) => world.send('POST', '/api/admin/playground', { body: playground.body }),
    check({ body }) {
      expect(body.input).toEqual(playground.body);
      const shop = body.features.find(({ name }: { name: string }) => name === 'shop');
      expect(shop).toMatchObject({ projectId: 'default', isEnabled: true, isEnabledInCurrentEnvironment: true });
      expect(shop.strategies.data[0]).toMatchObject({
        result: { evaluationStatus: 'complete', enabled: true },
        segments: [{ name: 'testers', result: true }],
      });
    },
  },
  {
    operation: playground.operation,
    status: 200,
    when: 'one strategy is not known here and the others are false: the result is unknown',
    async send(world) {
      const features = '/api/admin/projects/default/features';
      await world.made('POST', '/api/admin/strategies', { body: { name: 'ours', parameters: [] } });
      await world.made('POST', features, { body: { name: 'custom' } });
      const environment = `${features}/custom/environments/development`;
      await world.made('POST', `${environment}/strategies`, { body: { name: 'ours', parameters: {} } });
      await world.made('POST', `${environment}/on`);
      return world.send('POST', '/api/admin/playground', { body: playground.body });
    },
    check({ body }) {
      const custom = body.features.find(({ name }: { name: string }) => name === 'custom');
      expect(custom).toMatchObject({
        isEnabled: false,
        strategies: { result: 'unknown', data: [{ result: { evaluationStatus: 'incomplete', enabled: 'unknown' } }] },
      });
    },
  },
  {
    operation: playground.operation,
    status: 400,
    when: 'the context has no appName',
    send: (world) =>
      world.send('POST', '/api/admin/playground', { body: { environment: 'development', projects: '*', context: {} } }),
  },
  {
    operation: update.operation,
    status: 200,
    when: 'some properties are given: only they change',
    async send(world) {
      const before = (await world.made('GET', flag)).body;
      const answer = await world.send('PUT', flag, { body: { description: 'Sells things', impressionData: true } });
      const { description, impressionData, ...rest } = (await world.made('GET', flag)).body;
      // Whoever changed it is told among those who did.
      const changed = { description, impressionData, collaborators: rest.collaborators };
      expect({ ...before, ...changed }).toEqual({ ...rest, ...changed });
      expect([description, impressionData]).toEqual(['Sells things', true]);
      expect(answer.body).toMatchObject({ description, impressionData });
      return answer;
    },
  },
  {
    operation: update.operation,
    status: 200,
    when: '`archived` is true: it moves to the archive, and `archivedAt` is set',
    async send(world) {
      await world.made('POST', '/api/admin/projects/default/features', { body: { name: 'old' } });
      return world.send('PUT', '/api/admin/projects/default/features/old', { body: { archived: true } });
    },
    check({ body }) {
      expect(body.archived).toBe(true);
      expect(Date.parse(body.archivedAt)).toBeLessThanOrEqual(Date.now() + 60_000);
    },
  },
  {
    operation: update.operation,
    status: 404,
    when: 'there is no such flag',
    send: (world) => world.send('PUT', `${flag}-not`, { body: { stale: true } }),
  },
  {
    operation: update.operation,
    status: 404,
    when: 'the flag belongs to another project',
    async send(world) {
      await world.made('POST', '/api/admin/projects', { body: { id: 'elsewhere', name: 'Elsewhere' } });
      return world.send('PUT', '/api/admin/projects/elsewhere/features/shop', { body: { stale: true } });
    },
  },
  {
    operation: putVariants.operation,
    status: 200,
    when: 'variants are given: what the fixed ones leave is distributed among the variable ones',
    async send(world) {
      await world.made('POST', '/api/admin/projects/default/features', { body: { name: 'varied' } });
      return world.send('PUT', '/api/admin/projects/default/features/varied/variants', { body: putVariants.body });
    },
    check({ body: { variants } }) {
      expect(variants.map(({ name, weight }: { name: string; weight: number }) => [name, weight])).toEqual([
        ['a', 350],
        ['b', 300],
        ['c', 350],
      ]);
    },
  },
  {
    operation: putVariants.operation,
    status: 400,
    when: 'none of the variants is variable',
    send: (world) => world.send('PUT', `${flag}/variants`, { body: [{ name: 'a', weight: 500, weightType: 'fix' }] }),
  },
  {
    operation: putVariants.operation,
    status: 400,
    when: 'the fixed weights come to 1000',
    send: (world) =>
      world.send('PUT', `${flag}/variants`, {
        body: [
          { name: 'a', weight: 1000, weightType: 'fix' },
          { name: 'b', weight: 0, weightType: 'variable' },
        ],
      }),
  },
  {
    operation: putVariants.operation,
    status: 404,
    when: 'there is no such flag',
    send: (world) => world.send('PUT', `${flag}-not/variants`, { body: [] }),
  },
  {
    operation: getVariants.operation,
    status: 200,
    when: 'the flag has variants there',
    send: (world) => world.send('GET', `${flag}/environments/development/variants`),
    check: ({ body }) => expect(body.variants.map(({ name }: { name: string }) => name)).toEqual(['blue', 'red']),
  },
  {
    operation: getVariants.operation,
    status: 200,
    when: 'the flag has none there',
    send: (world) => world.send('GET', '/api/admin/projects/default/features/parent/environments/development/variants'),
    check: ({ body }) => expect(body.variants).toEqual([]),
  },
  {
    operation: getVariants.operation,
    status: 404,
    when: 'there is no such flag',
    send: (world) => world.send('GET', `${flag}-not/environments/development/variants`),
  },
];
