import { afterAll, beforeAll, expect, it } from 'vitest';
import { accepted } from '../../support/admin.ts';
import { startTestService, type TestService } from '../../support/service.ts';
import { runMigrate, startTarget } from './run-migrate.ts';

let source: TestService;
let target: TestService;

beforeAll(async () => {
  source = await startTestService();
  target = await startTarget();
});

afterAll(async () => {
  await source?.close();
  await target?.close();
});

/** Creates a flag in the source that is on for all users. */
async function makeFlag(projectId: string, featureName: string): Promise<void> {
  const params = { projectId, featureName, environment: 'development' };
  await accepted(source, 'createFeature', { params, body: { name: featureName } });
  await accepted(source, 'addFeatureStrategy', { params, body: { name: 'default' } });
  await accepted(source, 'toggleFeatureEnvironmentOn', { params });
}

async function makeProject(id: string): Promise<void> {
  await accepted(source, 'createProject', { body: { id, name: id, environments: ['development'] } });
  await makeFlag(id, `${id}-flag`);
}

async function putAway(projectId: string): Promise<void> {
  await accepted(source, 'archiveFeature', { params: { projectId, featureName: `${projectId}-flag` } });
  await accepted(source, 'archiveProject', { params: { projectId } });
}

async function expectAllTaken(): Promise<void> {
  const { code, out, err } = await runMigrate(source.url, target.url);
  expect([code, err], out).toEqual([0, '']);
}

it('imports archived flags of an archived project with their strategies', async () => {
  await makeProject('early');
  await putAway('early');
  await expectAllTaken();
  const { state } = target.running.services;
  expect(state.get('projects', 'early')).toMatchObject({ archivedAt: expect.any(String) });
  const flag = state.get('features', 'early-flag');
  expect(flag).toMatchObject({ archived: true });
  expect(flag?.environments).toMatchObject([{ environment: 'development', enabled: false, strategies: [{}] }]);
});

it('archives together what was archived together in the source: a parent and its child, a project and its flag', async () => {
  await makeProject('late');
  for (const name of ['p', 'q']) await makeFlag('default', name);
  const params = { projectId: 'default', child: 'q' };
  await accepted(source, 'addFeatureDependency', { params, body: { feature: 'p' } });
  await expectAllTaken();
  const { state } = target.running.services;
  expect(state.get('features', 'q')?.dependencies).toHaveLength(1);
  await accepted(source, 'archiveFeatures', { params, body: { features: ['p', 'q'] } });
  await putAway('late');
  await expectAllTaken();
  for (const name of ['p', 'q', 'late-flag'])
    expect([name, state.get('features', name)?.archived]).toEqual([name, true]);
  expect(state.get('projects', 'late')).toMatchObject({ archivedAt: expect.any(String) });
  const { seq } = state;
  await expectAllTaken();
  expect(state.seq).toBe(seq);
});
