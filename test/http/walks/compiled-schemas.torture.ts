import { Compile } from 'typebox/compile';
import { afterAll, expect, it, vi } from 'vitest';
import { endpoints } from '../../../src/features/registry.ts';
import { accepted } from '../../support/admin.ts';
import { CLIENT_TOKEN, startTestService } from '../../support/service.ts';

vi.mock('typebox/compile', async (original) => {
  const real = await original<typeof import('typebox/compile')>();
  return { ...real, Compile: vi.fn(real.Compile) };
});

const compiled = () => new Set<unknown>(vi.mocked(Compile).mock.calls.map(([schema]) => schema));
const service = await startTestService();

afterAll(() => service.close());

it('compiles the schemas of requests with client and frontend tokens before the first request', async () => {
  const schemas = endpoints
    .filter(({ access }) => access.permission === 'CLIENT' || access.permission === 'FRONTEND')
    .flatMap(({ query, body }) => [query, body].filter((schema) => schema !== undefined));
  expect(schemas.length).toBeGreaterThan(10);
  await vi.waitUntil(() => schemas.every((schema) => compiled().has(schema)), { timeout: 30_000 });
  const before = compiled();
  await accepted(service, 'registerClientApplication', { token: CLIENT_TOKEN, body: { appName: 'shop' } });
  // Commands that result from the request are checked later.
  const ofRequests = new Set<unknown>(endpoints.flatMap(({ params, query, body }) => [params, query, body]));
  expect([...compiled()].filter((schema) => ofRequests.has(schema) && !before.has(schema))).toEqual([]);
});
