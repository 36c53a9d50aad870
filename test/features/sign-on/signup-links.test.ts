import { afterEach, describe, expect, it } from 'vitest';
import { hashedSecret } from '../../../src/model/token-secret.ts';
import { accepted, INVALID, MISSING, refused } from '../../support/admin.ts';
import { startTestService, type TestService } from '../../support/service.ts';

const SECRETS_KEY = 'a key of at least 32 random characters';
const EXPIRES = { name: 'Team', expiresAt: '2100-01-01T00:00:00.000Z' };
const person = (email: string) => ({ email, password: 'Battery-Staple-7' });

let services: TestService[] = [];
afterEach(async () => {
  for (const service of services) await service.close();
  services = [];
});

async function start(env: Record<string, string>, directory?: string): Promise<TestService> {
  const service = await startTestService({ env, ...(directory === undefined ? { onDisk: true } : { directory }) });
  services.push(service);
  return service;
}

const stored = ({ running }: TestService) => [...running.services.state.values('signupTokens')];

describe('the text of a public signup link', () => {
  it('is not in the store if there is a key for secrets, and the link and the list work as before', async () => {
    const service = await start({ SECRETS_KEY });
    const { body: made } = await accepted(service, 'createPublicSignupToken', { body: EXPIRES });
    expect(made.url).toContain(`/signup?invite=${made.secret}`);
    const [token] = stored(service);
    expect(token?.secret).toBe(hashedSecret(made.secret));
    expect(JSON.stringify(token)).not.toContain(made.secret);
    // Unleash's console copies the link from the list, and sends the text in the path.
    const { tokens } = (await accepted(service, 'getAllPublicSignupTokens')).body;
    expect(tokens).toMatchObject([{ secret: made.secret, url: made.url, users: [] }]);
    expect(tokens[0]).not.toHaveProperty('sealed');
    const params = { token: made.secret };
    await accepted(service, 'validatePublicSignupToken', { params });
    await accepted(service, 'addPublicSignupTokenUser', { params, body: person('new@example.org') });
    await accepted(service, 'updatePublicSignupToken', { params, body: { enabled: false } });
    await refused(service, 'validatePublicSignupToken', INVALID, { params });
    const { body: shown } = await accepted(service, 'getPublicSignupToken', { params });
    expect(shown).toMatchObject({ secret: made.secret, enabled: false, users: [{ email: 'new@example.org' }] });
  });

  it('cannot be replaced by its hash, which a reader of the store knows', async () => {
    const service = await start({ SECRETS_KEY });
    const { body: made } = await accepted(service, 'createPublicSignupToken', { body: EXPIRES });
    const params = { token: hashedSecret(made.secret) };
    await refused(service, 'validatePublicSignupToken', INVALID, { params });
    await refused(service, 'addPublicSignupTokenUser', INVALID, { params, body: person('thief@example.org') });
    // For admins, it names the link.
    await accepted(service, 'getPublicSignupToken', { params });
    await refused(service, 'getPublicSignupToken', MISSING, { params: { token: hashedSecret('other') } });
  });

  it('stays valid when a key is set later, and when the key changes', async () => {
    const before = await start({});
    const directory = before.directory;
    const { body: old } = await accepted(before, 'createPublicSignupToken', { body: EXPIRES });
    expect(stored(before)[0]?.secret).toBe(old.secret);
    await before.running.close();
    const keyed = await start({ SECRETS_KEY }, directory);
    const { body: sealed } = await accepted(keyed, 'createPublicSignupToken', { body: { ...EXPIRES, name: 'Sealed' } });
    for (const { secret } of [old, sealed])
      await accepted(keyed, 'validatePublicSignupToken', { params: { token: secret } });
    await keyed.running.close();
    const other = await start({ SECRETS_KEY: `${SECRETS_KEY}, and another one` }, directory);
    for (const { secret } of [old, sealed])
      await accepted(other, 'validatePublicSignupToken', { params: { token: secret } });
    const { tokens } = (await accepted(other, 'getAllPublicSignupTokens')).body;
    const urls = new Map(tokens.map(({ name, url }: { name: string; url: string }) => [name, url]));
    expect(urls.get('Team')).toBe(old.url);
    expect(urls.get('Sealed')).toBe('');
  });
});
