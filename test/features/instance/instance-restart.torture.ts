import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { accepted } from '../../support/admin.ts';
import { personalTokenOf, putUser } from '../../support/people.ts';
import { startTestService, type TestService } from '../../support/service.ts';

/** The settings of the instance and of the user, as the API returns them. */
async function settingsOf(service: TestService, token: string) {
  const read = async (operationId: string, params = {}) =>
    (await accepted(service, operationId, { token, params })).body;
  const { splash, feedback } = await read('getMe');
  const { versionInfo, frontendApiOrigins, maintenanceMode } = await read('getUiConfig');
  const [{ banners }, { types }] = [await read('getBanners'), await read('getAllFeatureTypes')];
  const { features } = await read('getFeatures', { projectId: 'default' });
  const { environments } = await read('getAllEnvironments');
  return { splash, feedback, versionInfo, frontendApiOrigins, maintenanceMode, banners, types, features, environments };
}

it('The settings of users and of the instance are the same after a restart', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'burgee-test-'));
  try {
    let service = await startTestService({ directory });
    await putUser(service, 5);
    const token = await personalTokenOf(service, 5);
    const params = { projectId: 'default' };
    await accepted(service, 'createFeature', { params, body: { name: 'loved' } });
    await accepted(service, 'addFavoriteFeature', { params: { ...params, featureName: 'loved' }, token });
    await accepted(service, 'updateSplashSettings', { params: { id: 'welcome' }, token });
    await accepted(service, 'createFeedback', { body: { feedbackId: 'survey' }, token });
    await accepted(service, 'createBanner', { body: { message: 'Hello' } });
    await accepted(service, 'updateFeatureTypeLifetime', { params: { id: 'release' }, body: { lifetimeDays: 9 } });
    await accepted(service, 'setCors', { body: { frontendApiOrigins: ['https://app.example.com'] } });
    await accepted(service, 'cloneEnvironment', {
      params: { name: 'development' },
      body: { name: 'qa', type: 'test' },
    });
    await accepted(service, 'toggleMaintenance', { body: { enabled: true } });
    const before = await settingsOf(service, token);
    expect(before).toMatchObject({ splash: { welcome: true }, maintenanceMode: true, features: [{ favorite: true }] });
    await service.close();
    service = await startTestService({ directory });
    expect(await settingsOf(service, token)).toEqual(before);
    await service.close();
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
});
