import { afterEach, describe, expect, it } from 'vitest';
import { ROLE_ID } from '../../src/model/role.ts';
import { filesWith } from '../support/http/raw-bytes.ts';
import { PASSWORD } from '../support/people.ts';
import { untilTrue } from '../support/until.ts';
import { Fleet, type ReplicaProcess } from './fleet.ts';

type Headers = Record<string, string>;

const EXPIRY = '2040-01-01T00:00:00.000Z';
const NEW_PASSWORD = 'Battery-Staple-7';
// In compressed files, a secret could be there without being found.
const REDIS = { args: ['--rdbcompression', 'no'] };

describe('A credential of a user, with several replicas', () => {
  let fleet: Fleet;

  afterEach(() => fleet.dispose());

  const made = async (replica: ReplicaProcess, path: string, body: unknown, headers: Headers = {}) => {
    const answer = await replica.call('POST', path, { body, headers });
    expect(answer.status, `${path}: ${answer.text}`).toBeLessThan(300);
    return answer;
  };

  const statusOf = async (replica: ReplicaProcess, headers: Headers) =>
    (await replica.call('GET', '/api/admin/projects', { headers })).status;

  /** Signs on at the replica. Returns the headers that the browser sends from then on, and no others. */
  const signOn = async (replica: ReplicaProcess, email: string, password = PASSWORD): Promise<Headers> => {
    const { headers } = await made(replica, '/auth/simple/login', { email, password });
    const cookie = headers.get('set-cookie')?.split(';')[0] ?? '';
    return { cookie, authorization: '', 'sec-fetch-site': 'same-origin' };
  };

  it('is accepted by each, is refused by each once it has ended, and is stored in plain text by none', async () => {
    fleet = await Fleet.start(2, { LOG_LEVEL: 'debug', LOCAL_COPY_EVERY_MS: '200' }, REDIS);
    const [first, second] = [fleet.at(0), fleet.at(1)];
    const user = { email: 'ada@example.org', rootRole: ROLE_ID.admin, password: PASSWORD };
    const { id } = (await made(first, '/api/admin/user-admin', user)).json;
    const [browser, other] = [await signOn(first, user.email), await signOn(first, user.email)];
    const token = { description: 'CI', expiresAt: EXPIRY };
    const pats = [
      (await made(first, '/api/admin/user/tokens', token, browser)).json,
      (await made(first, '/api/admin/user/tokens', { ...token, description: 'CD' }, browser)).json,
    ];
    const account = (await made(first, '/api/admin/service-account', { name: 'Robot', rootRole: 3 })).json;
    const robot = (await made(first, `/api/admin/service-account/${account.id}/token`, token)).json;
    const { resetPasswordUrl } = (await made(first, '/api/admin/user-admin/reset-password', { id })).json;
    const [pat, secondPat, ofRobot] = [pats[0].secret, pats[1].secret, robot.secret];
    const credentials = [browser, other, ...[pat, secondPat, ofRobot].map((authorization) => ({ authorization }))];
    for (const each of credentials)
      await untilTrue(async () => (await statusOf(second, each)) === 200, 'it is accepted');

    /** Expects that the second replica refuses what was revoked at the first: at once when the request names the revision, and then always. */
    const refusedAfter = async (answer: { headers: globalThis.Headers; status: number }, headers: Headers) => {
      // A sign-out redirects the browser.
      expect([200, 303]).toContain(answer.status);
      const revision = answer.headers.get('burgee-revision') ?? '';
      expect(revision).not.toBe('');
      expect(await statusOf(second, { ...headers, 'burgee-min-revision': revision })).toBe(401);
      expect(await statusOf(first, headers)).toBe(401);
      expect(await statusOf(second, headers)).toBe(401);
    };
    await refusedAfter(await first.call('POST', '/logout', { headers: other }), other);
    await refusedAfter(await first.call('DELETE', `/api/admin/user/tokens/${pats[1].id}`, { headers: browser }), {
      authorization: secondPat,
    });
    const third = await signOn(second, user.email);
    await untilTrue(async () => (await statusOf(first, third)) === 200, 'the other replica has the session');
    const changed = { password: NEW_PASSWORD, oldPassword: PASSWORD };
    await refusedAfter(
      await first.call('POST', '/api/admin/user/change-password', { body: changed, headers: third }),
      browser,
    );
    expect(await statusOf(second, third)).toBe(200);
    await refusedAfter(await first.call('DELETE', `/api/admin/service-account/${account.id}`), {
      authorization: ofRobot,
    });
    // Adds a second admin: the only one cannot be deleted.
    await made(first, '/api/admin/user-admin', { ...user, email: 'grace@example.org' });
    const deleted = await first.call('DELETE', `/api/admin/user-admin/${id}`);
    await refusedAfter(deleted, third);
    expect(await statusOf(second, { authorization: pat })).toBe(401);

    const texts = [browser, other, third].map(({ cookie = '' }) => cookie.slice(cookie.indexOf('=') + 1));
    const link = new URL(resetPasswordUrl).searchParams.get('token') as string;
    const secrets = [PASSWORD, NEW_PASSWORD, pat, secondPat, ofRobot, link, ...texts];
    await Promise.all(fleet.replicas.map((replica) => replica.end()));
    await fleet.redis.command('SAVE');
    for (const secret of secrets) {
      expect(secret.length).toBeGreaterThan(12);
      expect(filesWith(fleet.redis.directory, secret)).toEqual([]);
      for (const replica of fleet.replicas) {
        expect(filesWith(replica.directory, secret)).toEqual([]);
        expect(replica.log).not.toContain(secret);
      }
    }
    for (const replica of fleet.replicas) expect(replica.log).toContain('/api/admin/projects');
  });

  it('is refused by all three once it was revoked at one: at the next request that names the revision, and soon at every other', async () => {
    fleet = await Fleet.start(3, {});
    const [first, , third] = [fleet.at(0), fleet.at(1), fleet.at(2)];
    const user = { email: 'ada@example.org', rootRole: ROLE_ID.viewer, password: PASSWORD };
    const { id } = (await made(first, '/api/admin/user-admin', user)).json;
    const browser = await signOn(first, user.email);
    const token = { description: 'CI', expiresAt: EXPIRY };
    const { id: patId, secret } = (await made(first, '/api/admin/user/tokens', token, browser)).json;
    const kept = (await made(first, '/api/admin/user/tokens', { ...token, description: 'CD' }, browser)).json.secret;
    const other = await signOn(third, user.email);
    const letIn = async (headers: Headers) => {
      for (const replica of fleet.replicas)
        await untilTrue(async () => (await statusOf(replica, headers)) === 200, 'every replica accepts it');
    };
    for (const headers of [browser, other, { authorization: secret }, { authorization: kept }]) await letIn(headers);
    const taken: [
      what: string,
      headers: Headers,
      take: () => Promise<{ status: number; headers: globalThis.Headers }>,
    ][] = [
      [
        'a token',
        { authorization: secret },
        () => third.call('DELETE', `/api/admin/user/tokens/${patId}`, { headers: browser }),
      ],
      ['a session', other, () => first.call('POST', '/logout', { headers: other })],
      ['a user', { authorization: kept }, () => first.call('DELETE', `/api/admin/user-admin/${id}`)],
    ];
    for (const [what, headers, take] of taken) {
      const answer = await take();
      expect([200, 303], what).toContain(answer.status);
      const revision = answer.headers.get('burgee-revision') ?? '';
      // Whatever the time: a replica that has the revision of the revocation refuses the credential.
      const knowing = { ...headers, 'burgee-min-revision': revision };
      const unaware = fleet.replicas.map((replica) =>
        untilTrue(async () => (await statusOf(replica, headers)) === 401, `all refuse ${what} without the revision`),
      );
      const aware = fleet.replicas.map(async (replica) => expect(await statusOf(replica, knowing), what).toBe(401));
      await Promise.all([...unaware, ...aware]);
    }
  });

  it('is throttled by each for attempts at the other', async () => {
    fleet = await Fleet.start(2, {});
    const [first, second] = [fleet.at(0), fleet.at(1)];
    const user = { email: 'ada@example.org', rootRole: ROLE_ID.viewer, password: PASSWORD };
    const { headers } = await made(first, '/api/admin/user-admin', user);
    const attempt = async (replica: ReplicaProcess, password: string) => {
      const options = {
        body: { email: user.email, password },
        headers: { 'burgee-min-revision': headers.get('burgee-revision') ?? '' },
      };
      return (await replica.call('POST', '/auth/simple/login', options)).status;
    };
    for (let count = 0; count < 10; count++) expect(await attempt(first, 'Wrong-Horse-9')).toBe(401);
    expect(await attempt(first, PASSWORD)).toBe(429);
    await untilTrue(async () => (await attempt(second, PASSWORD)) === 429, 'the other replica has the attempts');
  });
});
