import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { freePort } from '../../../bench/support/free-port.ts';
import { localPath } from '../../../src/features/sign-on/return-path.ts';
import { accepted, refused, UNAUTHENTICATED } from '../../support/admin.ts';
import { anyText } from '../../support/any-text.ts';
import { PASSWORD, putUser } from '../../support/people.ts';
import type { TestService } from '../../support/service.ts';
import { atDepth } from '../../support/tiers/depth.ts';
import { Browser, locationOf } from './browser.ts';
import type { ProviderProcess } from './child-process.ts';
import { answeredByOidc, introduceOidc, startOidcProvider } from './oidc/oidc-world.ts';
import { answered, handOver, introduce, isSignedOn, type SamlWorld, startSamlWorld } from './saml/saml-world.ts';
import { startAddressed } from './service.ts';

const BASE = '/flags';

/** Paths that are opened after the sign-on. */
const SAFE = [
  '/projects/default/features/a?tab=history&at=2026-01-01T00:00:00Z#top',
  '/search?next=//evil.example.com/../x',
  '/a//b',
  '/%E2%82%AC',
  `/${'a'.repeat(499)}`,
];

/** Texts that could lead out of the service, or that are no path of a service. */
const UNSAFE = [
  '//evil.example.com',
  '///evil.example.com',
  '/\\evil.example.com',
  '\\\\evil.example.com',
  '\\/evil',
  '/%2F%2Fevil.example.com',
  '/%2f/evil',
  '/%5Cevil.example.com',
  '/%5c%5cevil',
  '%2F%2Fevil.example.com',
  'https:evil.example.com',
  'https://evil.example.com',
  'http:/evil',
  'javascript:alert(1)',
  'data:text/html,x',
  '/\t/evil.example.com',
  '\t//evil.example.com',
  '/\n/evil',
  '/a\r\nset-cookie: x=y',
  ' //evil',
  '/ /evil',
  '/\0',
  '/\u2044evil',
  '/\uff0f\uff0fevil.example.com',
  '\uff0fevil',
  '/\u2215/evil',
  '/\u{1f600}',
  '/\u202e/evil',
  '/.//evil.example.com',
  '/..//evil.example.com',
  '/../other',
  '/a/../../other',
  '/%2e%2e/other',
  '/a/.%2E',
  '/.',
  '',
  'x',
  '?x',
  '#x',
  '.',
  '..',
  '@evil.example.com',
  ':80',
  `/${'a'.repeat(500)}`,
  `/${'a'.repeat(5_000)}`,
];

let saml: SamlWorld;
let oidc: ProviderProcess;
let service: TestService;

beforeAll(async () => {
  [saml, oidc] = await Promise.all([startSamlWorld(), startOidcProvider()]);
  const port = String(await freePort());
  const address = `http://127.0.0.1:${port}${BASE}`;
  service = await startAddressed({ HTTP_PORT: port, UNLEASH_URL: address, BASE_URI_PATH: BASE });
  await introduce(saml, service.url);
  await introduceOidc(oidc, service.url);
  await oidc.put('/subject', { id: 'ann', claims: { email: 'ann@example.com', email_verified: true } });
  await putUser(service, 7, { email: 'kari@example.com' });
});

afterAll(async () => {
  await service.close();
  await Promise.all([saml.provider.end(), oidc.end()]);
});

const login = (path: string) => ({ body: { email: 'kari@example.com', password: PASSWORD, return: path } });

/** Signs on in each way. Returns where the user gets to. */
const WAYS: Readonly<Record<string, (query: string, path: string) => Promise<string>>> = {
  async password(_query, path) {
    return (await accepted(service, 'login', login(path))).body.returnTo;
  },
  async SAML(query) {
    const answer = await answered(saml, service.url, { nameId: 'bob@example.com' }, new Browser(), query);
    const location = locationOf(await handOver(answer, answer.xml));
    expect(await isSignedOn(service.url, answer.browser)).toBe(true);
    return location;
  },
  async 'OpenID Connect'(query) {
    const browser = new Browser();
    const url = await answeredByOidc(service.url, browser, { query });
    const location = locationOf(await browser.get(url.href));
    expect(await isSignedOn(service.url, browser)).toBe(true);
    return location;
  },
};

/** Each sign-on through a provider takes a quarter of a second. */
const some = (paths: readonly string[], way: string) =>
  way === 'password' ? paths : paths.filter((_path, at) => at % atDepth({ quick: 8, full: 1 }) === 0);

describe.each(Object.entries(WAYS))('after a sign-on with %s', (way, signOn) => {
  const to = (path: string) => signOn(`?return=${encodeURIComponent(path)}`, path);

  it('the requested path of this service is opened, below its base path', async () => {
    for (const path of SAFE) expect(await to(path)).toBe(BASE + path);
  });

  it('no other path is opened: the start page is', async () => {
    for (const path of some(UNSAFE, way)) expect(await to(path), JSON.stringify(path)).toBe(`${BASE}/`);
  });
});

describe('a sign-on with a path to return to', () => {
  it('prefers `return` to the older `redirect`, and never opens the second when the first is unsafe', async () => {
    const { SAML: signOn = async () => '' } = WAYS;
    expect(await signOn('?redirect=/older', '')).toBe(`${BASE}/older`);
    expect(await signOn('?redirect=/older&return=/newer', '')).toBe(`${BASE}/newer`);
    expect(await signOn('?redirect=/older&return=//evil', '')).toBe(`${BASE}/`);
    expect(await signOn('', '')).toBe(`${BASE}/`);
  });

  it('opens no unsafe path that someone wrote into the cookie of the attempt', async () => {
    for (const path of ['//evil.example.com', '/..//evil']) {
      const browser = new Browser();
      const url = await answeredByOidc(service.url, browser, { query: '?return=/safe' });
      const [started, secret] = (browser.cookies.get('burgee-sign-on') ?? '').split('.');
      const forged = `${started}.${secret}.${Buffer.from(path).toString('base64url')}`;
      browser.cookies.set('burgee-sign-on', forged);
      expect(locationOf(await browser.get(url.href))).toBe(`${BASE}/`);
    }
  });

  it('with a password has `returnTo` only on request, and nothing of it after a refusal', async () => {
    const { body } = await accepted(service, 'login', { body: { email: 'kari@example.com', password: PASSWORD } });
    expect(body).not.toHaveProperty('returnTo');
    const wrong = { ...login('/projects').body, password: 'Another-Horse-9' };
    const { text } = await refused(service, 'login', UNAUTHENTICATED, { body: wrong });
    expect(text).not.toContain('/projects');
  });
});

describe('the check of a path', () => {
  it('accepts only paths that a browser resolves to the same path below the base path', () => {
    const part = fc.constantFrom(
      '/',
      '\\',
      '.',
      '..',
      '%2e',
      '%2F',
      '%5c',
      ':',
      '@',
      '?',
      '#',
      'a',
      '\t',
      '\uff0f',
      ';',
      '%',
    );
    const attack = fc.array(part, { maxLength: 12 }).map((parts) => parts.join(''));
    fc.assert(
      fc.property(
        fc.oneof(
          attack,
          attack.map((text) => `/${text}`),
          fc.webPath(),
          anyText(),
        ),
        (text) => {
          const path = localPath(text);
          for (const base of ['', BASE]) {
            const url = new URL(base + path, 'https://service.example.com/auth/oidc/callback');
            expect(url.origin).toBe('https://service.example.com');
            expect(url.pathname.startsWith(`${base}/`)).toBe(true);
            expect(url.pathname.slice(base.length)).not.toMatch(/^\/[/\\]/);
            // A browser does not rewrite the path, so what was checked is what is opened.
            expect(url.pathname).toBe(base + path.replace(/[?#].*/, ''));
          }
          if (text.startsWith('/') && /^[\w/-]*$/.test(text) && text[1] !== '/') expect(path).toBe(text);
        },
      ),
      { numRuns: atDepth({ quick: 500, full: 100_000 }) },
    );
  });
});
