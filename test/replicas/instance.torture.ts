import { afterEach, describe, expect, it } from 'vitest';
import { ROLE_ID } from '../../src/model/role.ts';
import { FRONTEND_TOKEN } from '../support/service.ts';
import { untilTrue } from '../support/until.ts';
import { Fleet, type ReplicaProcess } from './fleet.ts';

type Headers = Record<string, string>;

const EXPIRY = '2040-01-01T00:00:00.000Z';
const ORIGIN = 'https://app.example.com';

describe('What an instance returns to its users', () => {
  let fleet: Fleet;

  afterEach(() => fleet.dispose());

  const made = async (replica: ReplicaProcess, path: string, body: unknown, headers: Headers = {}) => {
    const answer = await replica.call('POST', path, { body, headers });
    expect(answer.status, `${path}: ${answer.text}`).toBeLessThan(300);
    return answer;
  };

  /** Everything that the instance returns to the user with the token. */
  const contentOf = async (replica: ReplicaProcess, token: string, revision: string) => {
    const headers = { authorization: token, 'burgee-min-revision': revision };
    const read = async (path: string) => (await replica.call('GET', `/api/admin/${path}`, { headers })).json;
    const [banners, me, features, projects, types, config, maintenance] = [
      (await read('banners')).banners,
      await read('user'),
      (await read('projects/default/features')).features,
      (await read('projects')).projects,
      (await read('feature-types')).types,
      await read('ui-config'),
      await read('maintenance'),
    ];
    const page = await replica.call('GET', '/api/frontend', {
      headers: { origin: ORIGIN, authorization: FRONTEND_TOKEN },
    });
    expect(page.status, page.text).toBe(200);
    return {
      banners,
      splash: me.splash,
      feedback: me.feedback,
      types,
      maintenance,
      favorites: [...features, ...projects].map(({ favorite }: { favorite: boolean }) => favorite),
      origins: [config.frontendApiOrigins, page.headers.get('access-control-allow-origin')],
      instance: config.versionInfo.instanceId,
      mode: config.maintenanceMode,
    };
  };

  it('is the same at every replica, at once and after all of them were killed', async () => {
    fleet = await Fleet.start(2, { INIT_FRONTEND_API_TOKENS: FRONTEND_TOKEN });
    const [first, second] = [fleet.at(0), fleet.at(1)];
    const user = { email: 'ada@example.org', rootRole: ROLE_ID.viewer };
    const { id } = (await made(first, '/api/admin/user-admin', user)).json;
    const account = { name: 'Robot', rootRole: 3 };
    const robot = (await made(first, '/api/admin/service-account', account)).json;
    const token = { description: 'CI', expiresAt: EXPIRY };
    const { secret } = (await made(first, `/api/admin/service-account/${robot.id}/token`, token)).json;
    expect(robot.id).not.toBe(id);
    const headers = { authorization: secret };
    await made(first, '/api/admin/projects/default/features', { name: 'loved' });
    await made(first, '/api/admin/projects/default/features/loved/favorites', {}, headers);
    await made(first, '/api/admin/projects/default/favorites', {}, headers);
    await made(first, '/api/admin/splash/welcome', {}, headers);
    await made(first, '/api/admin/feedback', { feedbackId: 'survey', neverShow: true }, headers);
    await made(first, '/api/admin/banners', { message: 'Hello', variant: 'success' });
    await first.call('PUT', '/api/admin/feature-types/release/lifetime', { body: { lifetimeDays: 3 } });
    await made(first, '/api/admin/ui-config/cors', { frontendApiOrigins: [ORIGIN] });
    await made(first, '/api/admin/environments/development/clone', { name: 'staging', type: 'test' });
    const last = await made(first, '/api/admin/maintenance', { enabled: true });
    const revision = last.headers.get('burgee-revision') ?? '';

    const there = await contentOf(first, secret, revision);
    expect(there).toMatchObject({
      banners: [{ message: 'Hello', variant: 'success' }],
      splash: { welcome: true },
      feedback: [{ feedbackId: 'survey', neverShow: true }],
      favorites: [true, true],
      origins: [[ORIGIN], ORIGIN],
      maintenance: { enabled: true },
      mode: true,
    });
    expect(there.instance).toMatch(/^[0-9a-f-]{36}$/);
    expect(await contentOf(second, secret, revision)).toEqual(there);
    const refused = await second.call('POST', '/api/admin/banners', { body: { message: 'No' } });
    expect([refused.status, refused.json.name]).toEqual([503, 'ServiceUnavailableError']);

    for (const replica of fleet.replicas) await replica.end('SIGKILL');
    for (const replica of fleet.replicas) await replica.start();
    for (const replica of fleet.replicas) expect(await contentOf(replica, secret, revision)).toEqual(there);
    await made(second, '/api/admin/maintenance', { enabled: false });
    await untilTrue(
      async () => (await first.create('afterwards')).status === 201,
      'the other one accepts changes again',
    );
  });
});
