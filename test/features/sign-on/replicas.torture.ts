import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Fleet } from '../../replicas/fleet.ts';
import { filesBelow, filesWith } from '../../support/http/raw-bytes.ts';
import { untilTrue } from '../../support/until.ts';
import { Browser } from './browser.ts';
import { answeredByOidc, introduceOidc, OIDC_CALLBACK, startOidcProvider } from './oidc/oidc-world.ts';
import {
  answered,
  handOver,
  introduce,
  isSignedOn,
  type SamlWorld,
  SECRETS_KEY,
  startSamlWorld,
} from './saml/saml-world.ts';

let world: SamlWorld;
let fleet: Fleet;

/** The public address of the service: any replica may answer. */
const NAME = 'http://127.0.0.1:4242';
const CALLBACK = '/auth/saml/callback';

beforeAll(async () => {
  world = await startSamlWorld();
  fleet = await Fleet.start(2, { UNLEASH_URL: NAME, SECRETS_KEY }, { args: ['--rdbcompression', 'no'] });
  await introduce(world, fleet.at(0).url);
  await untilTrue(
    async () => (await new Browser().get(`${fleet.at(1).url}/auth/saml/login`)).status === 303,
    'both know',
  );
});

afterAll(async () => {
  await fleet.dispose();
  await world.provider.end();
});

describe('signing on at several replicas', () => {
  it('may begin at one and end at another, and is valid at both', async () => {
    const answer = await answered(world, fleet.at(0).url, { nameId: 'ann@example.com' });
    expect(answer.action).toBe(NAME + CALLBACK);
    expect((await handOver(answer, answer.xml, true, fleet.at(1).url + CALLBACK)).status).toBe(303);
    for (const { url } of fleet.replicas) await untilTrue(() => isSignedOn(url, answer.browser), 'signed on');
  });

  it('works once, also when several replicas receive the answer at the same time', async () => {
    for (let round = 0; round < 5; round++) {
      const answer = await answered(world, fleet.at(0).url, { nameId: `round-${round}@example.com` });
      const pages = await Promise.all(
        [0, 1, 0, 1].map((index) => handOver(answer, answer.xml, false, fleet.at(index).url + CALLBACK)),
      );
      expect(pages.map(({ status }) => status).sort()).toEqual([303, 401, 401, 401]);
    }
  });

  it('with OpenID Connect may begin at one and end at another, once', async () => {
    const provider = await startOidcProvider();
    try {
      await introduceOidc(provider, fleet.at(0).url, {}, NAME);
      const login = `${fleet.at(1).url}/auth/oidc/login`;
      await untilTrue(async () => (await new Browser().get(login)).status === 303, 'both know');
      await provider.put('/subject', { id: 'eve', claims: { email: 'eve@example.com', email_verified: true } });
      const browser = new Browser();
      const back = await answeredByOidc(fleet.at(0).url, browser, { name: NAME });
      const attempt = new Map(browser.cookies);
      const here = fleet.at(1).url + OIDC_CALLBACK + back.search;
      expect((await browser.get(here)).status).toBe(303);
      for (const { url } of fleet.replicas) await untilTrue(() => isSignedOn(url, browser), 'signed on');
      const again = new Browser();
      for (const [name, value] of attempt) again.cookies.set(name, value);
      expect((await again.get(fleet.at(0).url + OIDC_CALLBACK + back.search)).status).toBe(401);
      expect(await isSignedOn(fleet.at(0).url, again)).toBe(false);
    } finally {
      await provider.end();
    }
  });

  it('does not work again at another replica, nor after its restart', async () => {
    const answer = await answered(world, fleet.at(0).url, { nameId: 'bob@example.com' });
    const attempt = new Map(answer.browser.cookies);
    expect((await handOver(answer, answer.xml, false, fleet.at(0).url + CALLBACK)).status).toBe(303);
    const again = async () => {
      const browser = new Browser();
      for (const [name, value] of attempt) browser.cookies.set(name, value);
      const page = await handOver({ ...answer, browser }, answer.xml, false, fleet.at(1).url + CALLBACK);
      expect(await isSignedOn(fleet.at(1).url, browser)).toBe(false);
      return page.status;
    };
    expect(await again()).toBe(401);
    await fleet.at(1).end('SIGKILL');
    await fleet.at(1).start();
    expect(await again()).toBe(401);
  });

  it('ends at all replicas when the user signs out', async () => {
    const answer = await answered(world, fleet.at(0).url, { nameId: 'cara@example.com' });
    await handOver(answer, answer.xml, false, fleet.at(0).url + CALLBACK);
    const kept = new Browser();
    for (const [name, value] of answer.browser.cookies) kept.cookies.set(name, value);
    await untilTrue(() => isSignedOn(fleet.at(1).url, kept), 'signed on at the other');
    expect((await answer.browser.get(`${fleet.at(0).url}/auth/saml/logout`)).status).toBe(303);
    await untilTrue(async () => !(await isSignedOn(fleet.at(1).url, kept)), 'signed out at the other');
  });

  it('stores neither the signing key nor the secrets of a browser in Redis, in a file or in a log', async () => {
    const answer = await answered(world, fleet.at(0).url, { nameId: 'dan@example.com' });
    const attempt = answer.browser.cookies.get('burgee-sign-on')?.split('.')[1] ?? '';
    await handOver(answer, answer.xml, false, fleet.at(0).url + CALLBACK);
    const key = world.own.key.split('\n')[3] ?? '';
    const session = answer.browser.cookies.get('burgee-session') ?? '';
    for (const secret of [key, attempt, session]) expect(secret.length).toBeGreaterThan(30);
    await fleet.redis.command('SAVE');
    for (const secret of [key, attempt, session]) {
      expect(filesWith(fleet.redis.directory, secret)).toEqual([]);
      for (const { directory, log } of fleet.replicas) {
        expect(filesWith(directory, secret)).toEqual([]);
        expect(log).not.toContain(secret);
      }
    }
    expect(filesBelow(fleet.redis.directory).size).toBeGreaterThan(0);
    expect(filesWith(fleet.redis.directory, 'dan@example.com').length).toBeGreaterThan(0);
  });
});
