import Type from 'typebox';
import { beforeAll, describe, expect, it } from 'vitest';
import { ROLE_ID } from '../../../src/model/role.ts';
import { accepted, eventsOf, FORBIDDEN, INVALID, refused } from '../../support/admin.ts';
import { browserFrom, PASSWORD, personalTokenOf, putUser } from '../../support/people.ts';
import { expectConforms, useService } from '../../support/service.ts';

const REFUSED = [503, 'ServiceUnavailableError'] as const;

const service = useService();

beforeAll(async () => {
  await putUser(service, 81, { rootRole: ROLE_ID.admin });
  await putUser(service, 82);
});

const set = (enabled: boolean, token?: string) =>
  accepted(service, 'toggleMaintenance', { body: { enabled }, ...(token !== undefined && { token }) });
const isOn = async () => {
  const { body } = await accepted(service, 'getMaintenance');
  expectConforms(Type.Object({ enabled: Type.Boolean() }, { additionalProperties: false }), body, 'the mode');
  expect((await accepted(service, 'getUiConfig')).body.maintenanceMode).toBe(body.enabled);
  return body.enabled;
};
const params = { projectId: 'default' };

describe('maintenance', () => {
  it('is off by default, and accepts only a boolean', async () => {
    expect(await isOn()).toBe(false);
    for (const body of [{}, { enabled: 'yes' }, { enabled: null }])
      await refused(service, 'toggleMaintenance', INVALID, { body });
  });

  it('can be switched by admins only', async () => {
    const token = await personalTokenOf(service, 82);
    await refused(service, 'toggleMaintenance', FORBIDDEN, { token, body: { enabled: true } });
    expect((await accepted(service, 'getMaintenance', { token })).body.enabled).toBe(false);
  });

  it('refuses changes with 503, and returns the reason', async () => {
    const events = await eventsOf(service, async () => {
      expect((await set(true)).status).toBe(204);
      await set(true);
    });
    expect(events).toMatchObject([{ type: 'setting-created', data: { name: 'maintenance', enabled: true } }]);
    expect(await isOn()).toBe(true);
    const answer = await refused(service, 'createFeature', REFUSED, { params, body: { name: 'late' } });
    expect(answer.body.message).toContain('maintenance');
    expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0);
    const token = await personalTokenOf(service, 81);
    await refused(service, 'createBanner', REFUSED, { token, body: { message: 'x' } });
    await refused(service, 'updateSplashSettings', REFUSED, { token, params: { id: 'x' } });
  });

  it('allows reads, evaluation, validation and the playground', async () => {
    await accepted(service, 'getProjects');
    await accepted(service, 'getAllClientFeatures');
    await accepted(service, 'getFrontendFeatures');
    await accepted(service, 'validateFeature', { body: { name: 'free' } });
    const body = { environment: 'development', projects: '*', context: { appName: 'a' } };
    await accepted(service, 'getPlayground', { body });
  });

  it('lets users sign on and off, and lets an admin switch it off', async () => {
    const login = { username: 'user-81@example.org', password: PASSWORD };
    const { headers } = await accepted(service, 'login', { body: login, token: null });
    const browser = browserFrom(headers);
    const { body } = await accepted(service, 'getMe', { token: null, headers: browser });
    expect(body.user.id).toBe(81);
    const left = await fetch(`${service.url}/logout`, { method: 'POST', headers: browser, redirect: 'manual' });
    expect(left.status).toBeLessThan(400);
    expect((await service.call('getMe', { token: null, headers: browser })).status).toBe(401);
    const again = browserFrom((await accepted(service, 'login', { body: login, token: null })).headers);
    await accepted(service, 'toggleMaintenance', { token: null, headers: again, body: { enabled: false } });
    expect(await isOn()).toBe(false);
    await accepted(service, 'createFeature', { params, body: { name: 'in-time' } });
  });

  it('refuses signup and reset links as well, and does not use them up', async () => {
    const team = { name: 'Team', expiresAt: '2100-01-01T00:00:00.000Z' };
    const { secret } = (await accepted(service, 'createPublicSignupToken', { body: team })).body;
    const { resetPasswordUrl } = (await accepted(service, 'resetUserPassword', { body: { id: 82 } })).body;
    const password = 'Battery-Staple-7';
    const join = { token: null, params: { token: secret }, body: { email: 'new@example.org', password } };
    const link = { token: new URL(resetPasswordUrl).searchParams.get('token'), password };
    await set(true);
    await refused(service, 'addPublicSignupTokenUser', REFUSED, join);
    await refused(service, 'changePasswordByLink', REFUSED, { token: null, body: link });
    const known = { username: 'user-82@example.org', password: PASSWORD };
    await accepted(service, 'login', { body: known, token: null });
    await set(false);
    await accepted(service, 'addPublicSignupTokenUser', join);
    await accepted(service, 'changePasswordByLink', { token: null, body: link });
    await accepted(service, 'login', { body: { ...known, password }, token: null });
  });
});
