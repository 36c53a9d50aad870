import { afterEach, describe, expect, it } from 'vitest';
import { accepted, prepare } from '../../support/admin.ts';
import { ManualClock } from '../../support/manual-clock.ts';
import { putUser } from '../../support/people.ts';
import { startTestRelay } from '../../support/relay.ts';
import { ADMIN_TOKEN, CLIENT_TOKEN, startTestService, type TestService } from '../../support/service.ts';

const PASSWORD_WAY = { type: 'password', name: 'Password', method: 'POST', path: '/auth/simple/login' };
const SAML_WAY = { type: 'saml', name: 'SAML 2.0', method: 'GET', path: '/auth/saml/login' };
const OIDC_WAY = { type: 'oidc', name: 'OpenID Connect', method: 'GET', path: '/auth/oidc/login' };

const OIDC = { OIDC_ENABLED: 'true', OIDC_DISCOVER_URL: 'https://idp.example.com/realm', OIDC_CLIENT_ID: 'the-client' };
const SAML = {
  SAML_ENABLED: 'true',
  SAML_ENTITY_ID: 'https://saml.example.com/id',
  SAML_CERTIFICATE: 'some-certificate',
  SAML_SIGN_ON_URL: 'https://saml.example.com/sso',
};

let service: TestService;

afterEach(() => service.close());

const options = async (token: string | null = null) => (await accepted(service, 'getSignOnOptions', { token })).body;

describe('the options of signing on', () => {
  it('are those that are enabled, at paths below the base path, and they do not depend on the caller', async () => {
    service = await startTestService({ env: { ...OIDC, ...SAML, BASE_URI_PATH: '/flags' } });
    const ways = [PASSWORD_WAY, SAML_WAY, OIDC_WAY].map((way) => ({ ...way, path: `/flags${way.path}` }));
    const all = { ways, passwordsEnabled: true, signUpEnabled: false };
    for (const token of [null, ADMIN_TOKEN, CLIENT_TOKEN, 'no-such-token']) expect(await options(token)).toEqual(all);
    await accepted(service, 'setPasswordAuthSettings', { body: { disabled: true } });
    expect(await options()).toEqual({ ...all, ways: ways.slice(1), passwordsEnabled: false });
  });

  it('follow the settings at once, and contain nothing of them and no names', async () => {
    service = await startTestService();
    await putUser(service, 7, { email: 'kari@example.com', name: 'Kari' });
    expect(await options()).toEqual({ ways: [PASSWORD_WAY], passwordsEnabled: true, signUpEnabled: false });
    const { text: before } = await accepted(service, 'getSignOnOptions', { token: null });
    const settings = {
      enabled: false,
      discoverUrl: 'https://idp.example.com',
      clientId: 'the-client',
      autoCreate: true,
    };
    await accepted(service, 'setOidcSettings', { body: settings });
    expect((await accepted(service, 'getSignOnOptions', { token: null })).text).toBe(before);
    await accepted(service, 'setOidcSettings', { body: { ...settings, enabled: true, emailDomains: 'example.com' } });
    const { text, headers } = await accepted(service, 'getSignOnOptions', { token: null });
    expect(JSON.parse(text).ways).toEqual([PASSWORD_WAY, OIDC_WAY]);
    for (const secret of ['example', 'client', 'Kari', 'autoCreate']) expect(text).not.toContain(secret);
    expect(headers.get('cache-control')).toBe('no-store');
    expect(headers.get('set-cookie')).toBeNull();
  });

  it('name the sign-up while a link can be used, without the link', async () => {
    const clock = new ManualClock(Date.parse('2026-02-01T00:00:00Z'));
    service = await startTestService({ clock });
    const body = { name: 'Team', expiresAt: '2026-03-01T00:00:00Z' };
    const { secret } = (await accepted(service, 'createPublicSignupToken', { body })).body;
    const { text } = await accepted(service, 'getSignOnOptions', { token: null });
    expect(JSON.parse(text).signUpEnabled).toBe(true);
    expect(text).not.toContain(secret);
    expect(text).not.toContain('Team');
    await accepted(service, 'updatePublicSignupToken', { params: { token: secret }, body: { enabled: false } });
    expect((await options()).signUpEnabled).toBe(false);
    await accepted(service, 'updatePublicSignupToken', { params: { token: secret }, body: { enabled: true } });
    const users = Array.from({ length: 1_000 }, (_, index) => 100 + index);
    const token = service.running.services.state.get('signupTokens', secret);
    const put = (rest: object) =>
      prepare(service, (draft) => token && draft.put('signupTokens', { ...token, enabled: true, ...rest }));
    await put({ users });
    expect((await options()).signUpEnabled).toBe(false);
    await put({ users: [] });
    expect((await options()).signUpEnabled).toBe(true);
    await accepted(service, 'setPasswordAuthSettings', { body: { disabled: true } });
    expect((await options()).signUpEnabled).toBe(false);
    await accepted(service, 'setPasswordAuthSettings', { body: { disabled: false } });
    clock.advance(29 * 24 * 3_600_000);
    expect((await options()).signUpEnabled).toBe(false);
  });

  it('are not offered by a relay: there are no sign-ons there', async () => {
    service = await startTestService();
    const relay = await startTestRelay(service.url, { tokens: [CLIENT_TOKEN] });
    try {
      expect((await fetch(`${relay.url}/auth/options`)).status).toBe(404);
    } finally {
      await relay.close();
    }
  });
});
