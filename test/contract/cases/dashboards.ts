import { expect } from 'vitest';
import { CLIENT_TOKEN } from '../../support/service.ts';
import type { ContractCase } from '../contract-case.ts';
import type { ContractWorld } from '../contract-world.ts';
import { type LegalRequest, refusalsOf } from './refusals.ts';

const dashboard: LegalRequest = {
  operation: 'GET /api/admin/personal-dashboard/:projectId',
  path: () => '/api/admin/personal-dashboard/default',
  asUser: true,
};

/** Id of the role of members of a project. */
const MEMBER = 5;

const OVERVIEW = 'GET /api/admin/metrics/applications/:appName/overview';

/** An application registers and reports, as an SDK does. */
async function reporting(world: ContractWorld): Promise<void> {
  const registration = {
    appName: 'till',
    instanceId: 'till-1',
    sdkVersion: 'unleash-client-node:5.0.0',
    strategies: ['default', 'nobodys'],
    started: new Date().toISOString(),
    interval: 10_000,
  };
  await world.made('POST', '/api/client/register', { body: registration, token: CLIENT_TOKEN });
  const bucket = {
    start: new Date(Date.now() - 1_000).toISOString(),
    stop: new Date().toISOString(),
    toggles: { shop: { yes: 1, no: 0 }, 'never-made': { yes: 0, no: 1 } },
  };
  const report = { appName: 'till', instanceId: 'till-1', bucket };
  await world.made('POST', '/api/client/metrics', { body: report, token: CLIENT_TOKEN });
}

export const DASHBOARD_CASES: readonly ContractCase[] = [
  ...refusalsOf(dashboard),
  {
    operation: dashboard.operation,
    status: 200,
    when: 'a user asks about a project with flags',
    async send(world) {
      const path = `/api/admin/projects/default/users/${world.userId}/roles`;
      await world.made('PUT', path, { body: { roles: [MEMBER] } });
      return world.send('GET', dashboard.path(world), { token: world.userToken });
    },
    check({ body }) {
      expect(body.owners).toEqual([{ ownerType: 'system' }]);
      expect(body.latestEvents.length).toBeGreaterThan(0);
      expect(body.roles).toMatchObject([{ id: MEMBER, name: 'Member', type: 'project' }]);
    },
  },
  {
    operation: dashboard.operation,
    status: 404,
    when: 'there is no such project',
    send: (world) => world.send('GET', '/api/admin/personal-dashboard/nowhere', { token: world.userToken }),
  },
  {
    operation: OVERVIEW,
    status: 200,
    when: 'the application has registered and reported',
    async send(world) {
      await reporting(world);
      const isThere = async () => (await world.send('GET', '/api/admin/metrics/applications/till/overview')).status;
      await expect.poll(isThere, { timeout: 30_000 }).toBe(200);
      return world.send('GET', '/api/admin/metrics/applications/till/overview');
    },
    check({ body }) {
      expect(body.projects).toContain('default');
      expect(body.environments).toMatchObject([
        { name: 'development', instanceCount: 1, issues: { missingFeatures: ['never-made'] } },
      ]);
      expect(body.issues.missingStrategies).toEqual(['nobodys']);
    },
  },
  {
    operation: OVERVIEW,
    status: 404,
    when: 'no such application has registered',
    send: (world) => world.send('GET', '/api/admin/metrics/applications/nobody/overview'),
  },
];
