import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestService, type TestService } from '../support/service.ts';

let service: TestService;

beforeAll(async () => {
  service = await startTestService();
});

afterAll(() => service.close());

describe('features', () => {
  it('creates a flag that is off everywhere and serves it to SDKs', async () => {
    const answer = await service.call('createFeature', { params: { projectId: 'default' }, body: { name: 'first' } });
    expect(answer.status).toBe(201);
    expect(answer.body).toMatchObject({ name: 'first', type: 'release', enabled: false, project: 'default' });
    expect(answer.headers.get('burgee-revision')).toMatch(/^\d+$/);
    const list = await service.call('getAllClientFeatures');
    expect(list.body.features).toMatchObject([{ name: 'first', enabled: false }]);
  });

  it('refuses a name that is taken, and changes nothing', async () => {
    const answer = await service.call('createFeature', { params: { projectId: 'default' }, body: { name: 'first', type: 'experiment' } });
    expect(answer.status).toBe(409);
    expect(answer.body.name).toBe('NameExistsError');
    const after = await service.call('getFeature', { params: { projectId: 'default', featureName: 'first' } });
    expect(after.body.type).toBe('release');
  });
});
