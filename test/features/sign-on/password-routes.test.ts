import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { passwordProblems } from '../../../src/features/people/passwords/password.ts';
import { ROLE_ID } from '../../../src/model/role.ts';
import { hashedSecret } from '../../../src/model/token-secret.ts';
import {
  accepted,
  CONFLICT,
  eventsOf,
  FORBIDDEN,
  INVALID,
  MISSING,
  refused,
  UNAUTHENTICATED,
} from '../../support/admin.ts';
import { filesWith } from '../../support/http/raw-bytes.ts';
import { ManualClock } from '../../support/manual-clock.ts';
import { browserOf, PASSWORD, personalTokenOf, putUser } from '../../support/people.ts';
import { startTestService, type TestService } from '../../support/service.ts';

const NEW = 'Battery-Staple-7';
const DAY_MS = 86_400_000;

let service: TestService;
let clock: ManualClock;

async function start(onDisk = false): Promise<void> {
  clock = new ManualClock();
  service = await startTestService({ onDisk, clock, env: { UNLEASH_URL: 'https://flags.example.org/' } });
  await putUser(service, 1, { rootRole: ROLE_ID.admin });
  await putUser(service, 2);
}

beforeEach(() => start());

afterEach(() => service.close());

const as = async (userId: number) => ({ token: null, headers: await browserOf(service, userId) });
const opens = async (userId: number, password: string) =>
  (await service.call('login', { body: { email: `user-${userId}@example.org`, password } })).status === 200;
const tokenOf = (url: string) => new URL(url).searchParams.get('token') as string;

describe('the strength of a password', () => {
  it('requires ten characters of four kinds', () => {
    expect(passwordProblems(PASSWORD)).toEqual([]);
    expect(passwordProblems('Prix-Élevé9')).toEqual([]);
    expect(passwordProblems('')).toHaveLength(5);
    for (const [weak, reason] of [
      ['Short-1a', /10 characters/],
      ['correct-horse-9', /uppercase/],
      ['CORRECT-HORSE-9', /lowercase/],
      ['Correct-Horse-x', /number/],
      ['CorrectHorse99', /special/],
      [`Aa1-${'x'.repeat(1_000)}`, /at most/],
    ] as const) {
      expect(passwordProblems(weak), weak).toEqual([expect.stringMatching(reason)]);
    }
  });

  it('is reported by the validation, without the password in the answer', async () => {
    for (const operation of ['validatePassword', 'validateUserPassword']) {
      await accepted(service, operation, { body: { password: NEW } });
      const { text, body } = await refused(service, operation, INVALID, { body: { password: 'weak-secret' } });
      expect(body.details.map(({ path }: { path: string }) => path)).toEqual(['/password', '/password']);
      const messages = body.details.map(({ message }: { message: string }) => message);
      expect(body.details[0].validationErrors, 'the field that the Unleash pages read').toEqual(messages);
      expect(text).not.toContain('weak-secret');
    }
  });
});

describe('a new password', () => {
  it('can be set by the user with the old one, and ends the other sessions of the user', async () => {
    const [own, other] = [await as(2), await as(2)];
    const change = (body: object) => ({
      ...own,
      body: { password: NEW, confirmPassword: NEW, oldPassword: PASSWORD, ...body },
    });
    await refused(service, 'changeOwnPassword', INVALID, change({ oldPassword: 'Wrong-Horse-9' }));
    await refused(service, 'changeOwnPassword', INVALID, change({ password: 'weak', confirmPassword: 'weak' }));
    await refused(service, 'changeOwnPassword', INVALID, change({ confirmPassword: `${NEW}x` }));
    const events = await eventsOf(service, async () => {
      await accepted(service, 'changeOwnPassword', change({}));
    });
    expect(events).toMatchObject([
      { type: 'user-updated', createdByUserId: 2, data: { id: 2, passwordChanged: true } },
    ]);
    expect(JSON.stringify(events)).not.toMatch(/scrypt|Staple/);
    await accepted(service, 'getOwnSessions', own);
    await refused(service, 'getOwnSessions', UNAUTHENTICATED, other);
    expect([await opens(2, PASSWORD), await opens(2, NEW)]).toEqual([false, true]);
  });

  it('cannot be set by guessing the old one: the attempts are throttled like sign-ons', async () => {
    const own = await as(2);
    const body = { password: NEW, oldPassword: 'Wrong-Horse-9' };
    for (let count = 0; count < 10; count++) await refused(service, 'changeOwnPassword', INVALID, { ...own, body });
    const throttled = await service.call('changeOwnPassword', { ...own, body: { ...body, oldPassword: PASSWORD } });
    expect(throttled.status).toBe(429);
    expect(await opens(2, PASSWORD)).toBe(false);
  });

  it('can be set by an admin and by no other user, and ends every session of the user', async () => {
    const signedOn = await as(2);
    const request = { params: { id: 2 }, body: { password: NEW } };
    await refused(service, 'changeUserPassword', FORBIDDEN, { ...(await as(2)), ...request });
    await refused(service, 'changeUserPassword', MISSING, { params: { id: 99 }, body: { password: NEW } });
    await refused(service, 'changeUserPassword', INVALID, { params: { id: 2 }, body: { password: 'weak' } });
    await accepted(service, 'changeUserPassword', { ...(await as(1)), ...request });
    await refused(service, 'getOwnSessions', UNAUTHENTICATED, signedOn);
    expect(await opens(2, NEW)).toBe(true);
  });
});

describe('a link to set a password', () => {
  const makeLink = async (id: number | string = 2): Promise<string> => {
    const { body } = await accepted(service, 'resetUserPassword', { body: { id } });
    expect(body.resetPasswordUrl).toMatch(/^https:\/\/flags\.example\.org\/reset-password\?token=[\w-]{43}$/);
    return tokenOf(body.resetPasswordUrl);
  };
  const use = (token: string, password = NEW) => ({ body: { token, password } });

  it('works once, for a day, and ends every session of the user', async () => {
    const token = await makeLink('2');
    const { body } = await accepted(service, 'validateToken', { query: `token=${token}` });
    expect(body).toMatchObject({ id: 2, email: 'user-2@example.org', token, role: { id: ROLE_ID.viewer } });
    const signedOn = await as(2);
    await refused(service, 'changePasswordByLink', INVALID, use(token, 'weak'));
    await accepted(service, 'changePasswordByLink', use(token));
    await refused(service, 'getOwnSessions', UNAUTHENTICATED, signedOn);
    expect(await opens(2, NEW)).toBe(true);
    await refused(service, 'changePasswordByLink', UNAUTHENTICATED, use(token));
    await refused(service, 'validateToken', UNAUTHENTICATED, { query: `token=${token}` });
    const late = await makeLink();
    clock.advance(DAY_MS);
    await refused(service, 'changePasswordByLink', UNAUTHENTICATED, use(late));
  });

  it('is made for the user with this email, username or id', async () => {
    await putUser(service, 2, { email: 'vera@example.com', username: 'vera' });
    await putUser(service, 3, { email: null, username: '2' });
    await putUser(service, 4, { accountType: 'Service Account', username: 'bot' });
    const userOf = async (id: number | string) =>
      (await accepted(service, 'validateToken', { query: `token=${await makeLink(id)}` })).body.id;
    for (const id of ['vera@example.com', ' VERA@example.com', 'vera', 2]) expect(await userOf(id)).toBe(2);
    // A username wins over the id of another user: tools send the text that they show.
    expect(await userOf('2')).toBe(3);
    expect(await userOf('3')).toBe(3);
    for (const id of ['bot', 4, '4']) await refused(service, 'resetUserPassword', MISSING, { body: { id } });
  });

  it('revokes the personal tokens of the user, as a password from an admin does; a change by the user keeps them', async () => {
    const isOpen = async (token: string) => (await service.call('getProjects', { token })).status === 200;
    await putUser(service, 3);
    const [byLink, byAdmin, byOwner, ofOther] = [
      await personalTokenOf(service, 2),
      await personalTokenOf(service, 1),
      await personalTokenOf(service, 3),
      await personalTokenOf(service, 3),
    ];
    const events = await eventsOf(service, async () => {
      await accepted(service, 'changePasswordByLink', use(await makeLink()));
      const reset = { params: { id: 1 }, body: { password: NEW, confirmPassword: NEW } };
      await accepted(service, 'changeUserPassword', reset);
    });
    const own = { password: NEW, confirmPassword: NEW, oldPassword: PASSWORD };
    await accepted(service, 'changeOwnPassword', { ...(await as(3)), body: own });
    expect(await Promise.all([byLink, byAdmin, byOwner, ofOther].map(isOpen))).toEqual([false, false, true, true]);
    expect(events.map(({ type }) => type).filter((type) => type === 'pat-deleted')).toHaveLength(2);
  });

  it('replaces the older link of the user, and is stored as a hash that is not valid as a link', async () => {
    await service.close();
    await start(true);
    const first = await makeLink();
    const second = await makeLink();
    const { derivations } = service.running.services.passwords;
    await refused(service, 'changePasswordByLink', UNAUTHENTICATED, use(first));
    await refused(service, 'changePasswordByLink', UNAUTHENTICATED, use(hashedSecret(second)));
    expect(service.running.services.passwords.derivations).toBe(derivations);
    await service.running.snapshotter.snapshot();
    for (const text of [first, second]) expect(filesWith(service.directory, text)).toEqual([]);
    for (const id of [99, '99', 'nobody@example.org', 'nobody', '__proto__'])
      await refused(service, 'resetUserPassword', MISSING, { body: { id } });
    for (const id of ['', 'x'.repeat(256), null, true, { id: 2 }])
      await refused(service, 'resetUserPassword', INVALID, { body: { id } });
    await accepted(service, 'deleteUser', { params: { id: 2 } });
    await refused(service, 'changePasswordByLink', UNAUTHENTICATED, use(second));
    expect(service.running.services.state.size('passwordLinks')).toBe(0);
  });

  it('is returned for a user who is created without a password, and not for one with a password', async () => {
    const body = { email: 'new@example.org', rootRole: ROLE_ID.editor };
    const { body: made } = await accepted(service, 'createUser', { body });
    expect(made.inviteLink).toMatch(/^https:\/\/flags\.example\.org\/new-user\?token=/);
    clock.advance(6 * DAY_MS);
    await accepted(service, 'changePasswordByLink', use(tokenOf(made.inviteLink)));
    expect((await service.call('login', { body: { email: body.email, password: NEW } })).status).toBe(200);
    const other = { email: 'other@example.org', rootRole: ROLE_ID.viewer, password: NEW };
    await refused(service, 'createUser', INVALID, { body: { ...other, password: 'weak' } });
    expect((await accepted(service, 'createUser', { body: other })).body).not.toHaveProperty('inviteLink');
    expect((await service.call('login', { body: { email: other.email, password: NEW } })).status).toBe(200);
  });

  it('requested by email returns the same answer for every email, and is throttled', async () => {
    const answers = new Set<string>();
    for (let count = 0; count < 5; count++) {
      for (const email of ['user-2@example.org', 'nobody@example.org']) {
        const { status, text } = await service.call('sendResetPasswordEmail', { body: { email } });
        answers.add(`${status} ${text}`);
      }
    }
    expect([...answers]).toEqual(['200 ']);
    const { status } = await service.call('sendResetPasswordEmail', { body: { email: 'user-2@example.org' } });
    expect(status).toBe(429);
    expect(service.running.services.state.size('passwordLinks')).toBe(0);
  });

  it('does not accumulate: each new link removes some expired links', async () => {
    for (let id = 3; id < 23; id++) {
      await putUser(service, id);
      await makeLink(id);
    }
    clock.advance(2 * DAY_MS);
    await makeLink(1);
    expect(service.running.services.state.size('passwordLinks')).toBe(5);
    await makeLink(1);
    expect(service.running.services.state.size('passwordLinks')).toBe(1);
  });
});

describe('a public signup link', () => {
  const create = async () =>
    (await accepted(service, 'createPublicSignupToken', { body: { name: 'Team', expiresAt: '2026-03-01T00:00:00Z' } }))
      .body;
  const join = (token: string, email: string, rest: object = {}) => ({
    params: { token },
    body: { email, name: 'New', password: NEW, ...rest },
  });

  it('lets users create their own accounts, as viewers, until it is switched off or expires', async () => {
    const { secret, url, role } = await create();
    const params = { token: secret };
    expect(url).toBe(`https://flags.example.org/signup?invite=${secret}`);
    expect(role).toMatchObject({ id: ROLE_ID.viewer });
    await accepted(service, 'validatePublicSignupToken', { params });
    const events = await eventsOf(service, async () => {
      const { status, body } = await accepted(service, 'addPublicSignupTokenUser', join(secret, 'new@example.org'));
      // Unleash's page takes any other status for a failure.
      expect(status).toBe(201);
      expect(body).toMatchObject({ email: 'new@example.org', rootRole: ROLE_ID.viewer });
    });
    expect(events.map(({ type }) => type)).toEqual(['user-created', 'public-signup-token-user-added']);
    expect(JSON.stringify(events)).not.toContain(secret);
    expect((await service.call('login', { body: { email: 'new@example.org', password: NEW } })).status).toBe(200);
    await refused(service, 'addPublicSignupTokenUser', CONFLICT, join(secret, 'NEW@example.org'));
    await refused(service, 'addPublicSignupTokenUser', INVALID, join(secret, 'weak@example.org', { password: 'weak' }));
    const { body: shown } = await accepted(service, 'getPublicSignupToken', { params });
    expect(shown.users).toMatchObject([{ email: 'new@example.org' }]);
    await accepted(service, 'updatePublicSignupToken', { params, body: { enabled: false } });
    await refused(service, 'validatePublicSignupToken', INVALID, { params });
    await refused(service, 'addPublicSignupTokenUser', INVALID, join(secret, 'late@example.org'));
    await accepted(service, 'updatePublicSignupToken', { params, body: { enabled: true } });
    clock.advance(60 * DAY_MS);
    await refused(service, 'addPublicSignupTokenUser', INVALID, join(secret, 'late@example.org'));
    const { body } = await accepted(service, 'getAllPublicSignupTokens');
    expect(body.tokens).toMatchObject([{ name: 'Team', enabled: true, createdBy: expect.any(String) }]);
    await refused(service, 'updatePublicSignupToken', MISSING, { params: { token: 'f'.repeat(32) }, body: {} });
    await refused(service, 'getPublicSignupToken', MISSING, { params: { token: '__proto__' } });
  });

  it('is valid for a month at most: a later end is shortened, as in Unleash', async () => {
    const lasts = async (expiresAt: string) => {
      const { body } = await accepted(service, 'createPublicSignupToken', { body: { name: 'Long', expiresAt } });
      return (Date.parse(body.expiresAt) - clock.nowMs()) / DAY_MS;
    };
    expect(await lasts(new Date(clock.nowMs() + 400 * DAY_MS).toISOString())).toBe(30);
    expect(await lasts(new Date(clock.nowMs() + 7 * DAY_MS).toISOString())).toBe(7);
  });

  it('does not reveal whether the email or the username is in use', async () => {
    const { secret } = await create();
    await accepted(service, 'createUser', { body: { username: 'grace', rootRole: ROLE_ID.viewer } });
    const answers = [];
    for (const [email, username] of [
      ['user-2@example.org', 'nobody'],
      ['nobody@example.org', 'grace'],
    ] as const) {
      const { body } = await refused(service, 'addPublicSignupTokenUser', CONFLICT, join(secret, email, { username }));
      answers.push({ ...body, id: '' });
    }
    expect(answers[0]).toEqual(answers[1]);
  });

  it('refuses the email of another user as a username', async () => {
    const { secret } = await create();
    for (const username of ['ceo@example.com', 'CEO@example.com', '@']) {
      const account = join(secret, 'mallory@example.org', { username });
      const { body } = await refused(service, 'addPublicSignupTokenUser', INVALID, account);
      expect(body.details).toMatchObject([{ path: '/username' }]);
    }
    await accepted(service, 'createUser', { body: { email: 'ceo@example.com', rootRole: ROLE_ID.viewer } });
    for (const [email, username] of [
      ['own@example.org', 'OWN@example.org'],
      ['plain@example.org', 'plain'],
    ] as const)
      await accepted(service, 'addPublicSignupTokenUser', join(secret, email, { username }));
  });

  it('creates no admins, whatever the request contains, and limits the attempts from one address', async () => {
    const { secret } = await create();
    const { body } = await accepted(
      service,
      'addPublicSignupTokenUser',
      join(secret, 'sly@example.org', { rootRole: ROLE_ID.admin, accountType: 'Service Account', id: 1 }),
    );
    expect(body).toMatchObject({ rootRole: ROLE_ID.viewer, accountType: 'User', id: 3 });
    const { state } = service.running.services;
    const users = state.size('users');
    const statuses = [];
    for (let count = 0; count < 12; count++) {
      const answer = await service.call('addPublicSignupTokenUser', join(secret, 'sly@example.org'));
      statuses.push(answer.status);
    }
    expect(statuses).toEqual([...Array(9).fill(409), 429, 429, 429]);
    expect(state.size('users')).toBe(users);
  });
});
