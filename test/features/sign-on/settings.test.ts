import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ROLE_ID } from '../../../src/model/role.ts';
import { accepted, eventsOf, FORBIDDEN, INVALID, refused } from '../../support/admin.ts';
import { selfSigned } from '../../support/programs/certificate.ts';
import { startTestService, type TestService } from '../../support/service.ts';

const SAML = {
  enabled: true,
  entityId: 'https://idp.example.com/entity',
  signOnUrl: 'https://idp.example.com/sign-on',
  certificate: 'some-certificate',
  signOutUrl: 'https://idp.example.com/sign-out',
  autoCreate: true,
  emailDomains: 'example.com, example.org',
  defaultRootRole: 'Editor',
  defaultRootRoleId: 3,
  enableGroupSyncing: true,
  groupJsonPath: 'groups',
};

/** The answer without any settings: accounts that a sign-on creates are viewers. */
const OFF = { enabled: false, defaultRootRoleId: ROLE_ID.viewer };

const KEY = selfSigned('burgee', 'rsa').key;

const SECRETS_KEY = 'a random text of at least thirty-two characters';

let service: TestService;

async function restart(env: Readonly<Record<string, string>>): Promise<void> {
  await service.close();
  service = await startTestService({ env });
}

beforeEach(async () => {
  service = await startTestService({ env: { SECRETS_KEY } });
});

afterEach(() => service.close());

describe('sign-on settings', () => {
  it('are off by default', async () => {
    expect((await accepted(service, 'getSamlSettings')).body).toEqual(OFF);
    expect((await accepted(service, 'getOidcSettings')).body).toEqual(OFF);
    expect((await accepted(service, 'getPasswordAuthSettings')).body).toEqual({ disabled: false });
  });

  it('of passwords are set and returned', async () => {
    expect((await accepted(service, 'setPasswordAuthSettings', { body: { disabled: true } })).body).toEqual({
      disabled: true,
    });
    expect((await accepted(service, 'getPasswordAuthSettings')).body).toEqual({ disabled: true });
  });

  it('return the root role that accounts get, also if the tools of Unleash sent 0 for none', async () => {
    const policy = { enabled: false, defaultRootRoleId: 0 };
    for (const kind of ['Saml', 'Oidc']) {
      expect((await accepted(service, `set${kind}Settings`, { body: policy })).body).toEqual(OFF);
      expect((await accepted(service, `get${kind}Settings`)).body).toEqual(OFF);
      const named = { enabled: false, defaultRootRole: 'Editor' };
      expect((await accepted(service, `set${kind}Settings`, { body: named })).body).toEqual(named);
    }
  });

  it('stay after a restart', async () => {
    await service.close();
    service = await startTestService({ onDisk: true, env: { SECRETS_KEY } });
    await accepted(service, 'setSamlSettings', { body: SAML });
    const { directory } = service;
    await service.running.close();
    service = await startTestService({ directory, env: { SECRETS_KEY } });
    expect((await accepted(service, 'getSamlSettings')).body).toEqual(SAML);
  });
});

describe('SAML settings', () => {
  it('are returned as they were set, and recorded in the audit log', async () => {
    const [event] = await eventsOf(service, async () => {
      expect((await accepted(service, 'setSamlSettings', { body: SAML })).body).toEqual(SAML);
    });
    expect(event).toMatchObject({ type: 'setting-created', data: { name: 'auth.saml', ...SAML } });
    const [changed] = await eventsOf(service, () => accepted(service, 'setSamlSettings', { body: { enabled: false } }));
    expect(changed).toMatchObject({ type: 'setting-updated', preData: { entityId: SAML.entityId } });
    expect((await accepted(service, 'getSamlSettings')).body).toEqual(OFF);
  });

  it('need an entity id, a sign-on address and a certificate only when they are enabled', async () => {
    for (const name of ['entityId', 'signOnUrl', 'certificate'] as const) {
      for (const value of [undefined, '']) {
        const { body } = await refused(service, 'setSamlSettings', INVALID, { body: { ...SAML, [name]: value } });
        expect(body.message).toContain(name);
      }
      await accepted(service, 'setSamlSettings', { body: { ...SAML, enabled: false, [name]: undefined } });
    }
    await accepted(service, 'setSamlSettings', { body: {} });
  });

  it('refuse unknown root roles and wrong types', async () => {
    for (const wrong of [{ defaultRootRole: 'Owner' }, { enabled: 'yes' }, { defaultRootRoleId: 'one' }])
      await refused(service, 'setSamlSettings', INVALID, { body: { ...SAML, ...wrong } });
  });

  it('return a certificate of the service, and never its key', async () => {
    const certificate = 'some-sp-certificate';
    const plain = await accepted(service, 'setSamlSettings', { body: { ...SAML, spCertificate: certificate } });
    expect(plain.body.spCertificate).toBe(certificate);
    const bare = KEY.replace(/-----[^-]+-----|\s/g, '');
    for (const spCertificate of [KEY, `${KEY}${certificate}`, bare, bare.slice(0, 400)]) {
      const [event] = await eventsOf(service, async () => {
        const { text, body } = await accepted(service, 'setSamlSettings', { body: { ...SAML, spCertificate } });
        expect(body.spCertificate).toBe('********');
        expect(text).not.toContain(bare.slice(60, 100));
      });
      expect(JSON.stringify(event)).not.toContain(bare.slice(60, 100));
      expect((await accepted(service, 'getSamlSettings')).body.spCertificate).toBe('********');
      expect(JSON.stringify(service.running.services.state.get('signOnSettings', 'saml'))).not.toContain(
        bare.slice(60, 100),
      );
    }
  });

  it('keep the stored key when its mask is sent back, and remove it when it is omitted', async () => {
    const stored = () => JSON.stringify(service.running.services.state.get('signOnSettings', 'saml'));
    await accepted(service, 'setSamlSettings', { body: { ...SAML, spCertificate: KEY } });
    const sealed = /"sealed":"[^"]+"/.exec(stored())?.[0];
    await accepted(service, 'setSamlSettings', { body: { ...SAML, spCertificate: '********', autoCreate: false } });
    expect(stored()).toContain(sealed);
    await accepted(service, 'setSamlSettings', { body: SAML });
    expect(stored()).not.toContain('sealed');
  });

  it('refuse a key without a SECRETS_KEY to seal it', async () => {
    await restart({});
    const { body } = await refused(service, 'setSamlSettings', INVALID, { body: { ...SAML, spCertificate: KEY } });
    expect(body.message).toContain('SECRETS_KEY');
    await accepted(service, 'setSamlSettings', { body: { ...SAML, spCertificate: 'some-sp-certificate' } });
  });

  it('of environment variables are returned, and cannot be changed over HTTP', async () => {
    await restart({
      SAML_ENABLED: 'true',
      SAML_ENTITY_ID: SAML.entityId,
      SAML_SIGN_ON_URL: SAML.signOnUrl,
      SAML_CERTIFICATE: 'some-certificate',
      SAML_SP_CERTIFICATE: KEY.replaceAll('\n', '\\n'),
      SAML_DEFAULT_ROOT_ROLE: 'Editor',
      SAML_EMAIL_DOMAINS: 'example.com',
    });
    const { body } = await accepted(service, 'getSamlSettings');
    expect(body).toMatchObject({ enabled: true, entityId: SAML.entityId, spCertificate: '********' });
    expect(body).toMatchObject({ defaultRootRole: 'Editor', emailDomains: 'example.com', autoCreate: false });
    expect(body).not.toHaveProperty('defaultRootRoleId');
    await refused(service, 'setSamlSettings', FORBIDDEN, { body: SAML });
    await accepted(service, 'setOidcSettings', { body: {} });
  });

  it('of environment variables that are incomplete or invalid prevent the start', async () => {
    for (const env of [
      { SAML_ENABLED: 'true', SAML_ENTITY_ID: 'x' },
      { OIDC_ENABLED: 'true' },
      { SECRETS_KEY: 'short' },
    ])
      await expect(startTestService({ env: env as never })).rejects.toThrow(
        /SAML_SIGN_ON_URL|OIDC_CLIENT_ID|SECRETS_KEY/,
      );
  });
});

describe('OpenID Connect settings', () => {
  const OIDC = { enabled: true, discoverUrl: 'https://idp.example.com', clientId: 'burgee', autoCreate: true };

  it('are returned as they were set, except for the secret', async () => {
    const secret = 'the secret of this client';
    const [event] = await eventsOf(service, async () => {
      const { body } = await accepted(service, 'setOidcSettings', { body: { ...OIDC, secret } });
      expect(body).toEqual({ ...OIDC, defaultRootRoleId: ROLE_ID.viewer, secret: '********' });
    });
    expect(event).toMatchObject({ type: 'setting-created', data: { name: 'auth.oidc', clientId: 'burgee' } });
    const { text, body } = await accepted(service, 'getOidcSettings');
    expect(body).toEqual({ ...OIDC, defaultRootRoleId: ROLE_ID.viewer, secret: '********' });
    expect(text + JSON.stringify(event)).not.toContain(secret);
  });

  it('that are enabled need an address and a client', async () => {
    for (const name of ['discoverUrl', 'clientId'])
      await refused(service, 'setOidcSettings', INVALID, { body: { ...OIDC, [name]: '' } });
  });

  it('of environment variables are returned, and cannot be changed over HTTP', async () => {
    await restart({
      OIDC_ENABLED: 'true',
      OIDC_DISCOVER_URL: 'https://idp.example.com',
      OIDC_CLIENT_ID: 'burgee',
      OIDC_CLIENT_SECRET: 'secret of the environment',
    });
    const { text, body } = await accepted(service, 'getOidcSettings');
    expect(body).toMatchObject({ enabled: true, clientId: 'burgee', secret: '********' });
    expect(text).not.toContain('secret of the environment');
    await refused(service, 'setOidcSettings', FORBIDDEN, { body: OIDC });
  });
});
