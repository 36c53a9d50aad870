import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ROLE_ID } from '../../../src/model/role.ts';
import { hashedSecret } from '../../../src/model/token-secret.ts';
import { MemoryBacking, MemoryStore } from '../../../src/stores/memory/memory-store.ts';
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
import { ManualClock } from '../../support/manual-clock.ts';
import { browserOf, personalTokenOf, putUser } from '../../support/people.ts';
import { startTestService, type TestService } from '../../support/service.ts';

const EXPIRY = '2030-05-01T00:00:00.000Z';

let service: TestService;
let clock: ManualClock;

beforeEach(async () => {
  clock = new ManualClock();
  service = await startTestService({ clock, store: new MemoryStore({ backing: new MemoryBacking() }) });
  await putUser(service, 1, { rootRole: ROLE_ID.admin });
  await putUser(service, 2);
});

afterEach(() => service.close());

const as = async (userId: number) => ({ token: null, headers: await browserOf(service, userId) });

describe('personal tokens', () => {
  it('are created with a secret that is returned once and stored as a hash, and are listed without it', async () => {
    const body = { description: 'CI', expiresAt: '2030-05-01T02:00:00+02:00' };
    let made: Record<string, unknown> = {};
    let secret = '';
    const events = await eventsOf(service, async () => {
      const answer = await accepted(service, 'createOwnPersonalToken', { ...(await as(2)), body });
      expect(answer.status).toBe(201);
      expect(answer.headers.get('location')).toBe(`/api/admin/user/tokens/${answer.body.id}`);
      secret = answer.body.secret;
      made = answer.body;
    });
    expect(secret).toMatch(/^user:[0-9a-f]{56}$/);
    expect(made).toMatchObject({ id: 1, userId: 2, description: 'CI', expiresAt: EXPIRY, seenAt: null });
    expect(events).toMatchObject([{ type: 'pat-created', createdByUserId: 2, createdBy: 'user-2@example.org' }]);
    const list = await accepted(service, 'getOwnPersonalTokens', await as(2));
    expect(list.body.pats).toMatchObject([{ id: 1, description: 'CI' }]);
    for (const text of [list.text, JSON.stringify(events)]) {
      expect(text).not.toContain(secret);
      expect(text).not.toContain(hashedSecret(secret));
    }
    expect(service.running.services.state.get('personalTokens', hashedSecret(secret))?.id).toBe(1);
    await accepted(service, 'getProjects', { token: secret });
  });

  it('are visible to their owner only, and stop working at once when they are deleted or expire', async () => {
    const token = await personalTokenOf(service, 2, '2026-01-01T02:00:00.000Z');
    const other = await personalTokenOf(service, 2);
    expect((await accepted(service, 'getOwnPersonalTokens', await as(1))).body.pats).toEqual([]);
    await refused(service, 'deleteOwnPersonalToken', MISSING, { ...(await as(1)), params: { id: 1 } });
    await accepted(service, 'getProjects', { token });
    clock.advance(7_200_000);
    await refused(service, 'getProjects', UNAUTHENTICATED, { token });
    const events = await eventsOf(service, async () => {
      await accepted(service, 'deleteOwnPersonalToken', { ...(await as(2)), params: { id: 2 } });
    });
    expect(events).toMatchObject([{ type: 'pat-deleted', preData: null, data: { id: 2, userId: 2 } }]);
    await refused(service, 'getProjects', UNAUTHENTICATED, { token: other });
    await refused(service, 'deleteOwnPersonalToken', MISSING, { ...(await as(2)), params: { id: 2 } });
  });

  it('create no token that outlives them, and end no session of their owner', async () => {
    const create = (who: object, description: string, expiresAt: string) =>
      service.call('createOwnPersonalToken', { ...who, body: { description, expiresAt } });
    const { secret: token } = (await create(await as(2), 'short', EXPIRY)).body;
    const later = await create({ token }, 'long', '2030-05-01T00:00:01.000Z');
    expect([later.status, later.body.details[0].message]).toEqual([400, expect.stringContaining(`(${EXPIRY})`)]);
    const equal = await create({ token }, 'as long', EXPIRY);
    expect(equal.status).toBe(201);
    expect((await create({ token: equal.body.secret }, 'as long again', '2031-01-01T00:00:00Z')).status).toBe(400);
    expect((await create(await as(2), 'long, by its owner', '2031-01-01T00:00:00Z')).status).toBe(201);

    const browser = await as(2);
    const { sessions } = (await accepted(service, 'getOwnSessions', browser)).body;
    const params = { sessionId: sessions[0].id };
    await refused(service, 'endOwnSession', FORBIDDEN, { token, params });
    await refused(service, 'endOwnOtherSessions', FORBIDDEN, { token });
    expect((await accepted(service, 'getOwnSessions', browser)).body.sessions).toHaveLength(sessions.length);
    await accepted(service, 'endOwnOtherSessions', browser);
  });

  it('of one owner have different descriptions, and their number is limited', async () => {
    const create = async (userId: number, description: string) => ({
      ...(await as(userId)),
      body: { description, expiresAt: EXPIRY },
    });
    for (let count = 0; count < 10; count++)
      await accepted(service, 'createOwnPersonalToken', await create(2, `token ${count}`));
    await refused(service, 'createOwnPersonalToken', CONFLICT, await create(2, ' token 3'));
    const past = { description: 'past', expiresAt: new Date(Date.now() - 1_000).toISOString() };
    await refused(service, 'createOwnPersonalToken', INVALID, { ...(await as(2)), body: past });
    const { body } = await refused(service, 'createOwnPersonalToken', INVALID, await create(2, 'one more'));
    expect(body.message).toContain('PERSONAL_TOKENS_LIMIT');
    await accepted(service, 'createOwnPersonalToken', await create(1, 'token 3'));
    for (const wrong of [{ description: 'x' }, { expiresAt: EXPIRY }, { description: ' ', expiresAt: EXPIRY }]) {
      await refused(service, 'createOwnPersonalToken', INVALID, { ...(await as(2)), body: wrong });
    }
  });

  it('are not available to an admin token, because it belongs to no user', async () => {
    expect((await accepted(service, 'getOwnPersonalTokens')).body.pats).toEqual([]);
    await refused(service, 'createOwnPersonalToken', INVALID, { body: { description: 'x', expiresAt: EXPIRY } });
    await refused(service, 'deleteOwnPersonalToken', INVALID, { params: { id: 1 } });
  });

  it('record the time of their last use, for the user as well, at intervals', async () => {
    const token = await personalTokenOf(service, 2);
    await personalTokenOf(service, 2);
    const { state } = service.running.services;
    const { seq } = state;
    for (let count = 0; count < 5; count++) await accepted(service, 'getProjects', { token });
    expect(state.seq).toBe(seq);
    clock.advance(30_000);
    for (let turn = 0; turn < 50; turn++) await new Promise((resolve) => setImmediate(resolve));
    const seenAt = new Date(clock.nowMs()).toISOString();
    const { body } = await accepted(service, 'getOwnPersonalTokens', await as(2));
    expect(body.pats.map((pat: { seenAt: string }) => pat.seenAt)).toEqual([seenAt, null]);
    expect(state.get('users', '2')?.seenAt).toBe(seenAt);
  });
});

describe('service accounts', () => {
  const create = async (body: object = { name: 'Release train', rootRole: ROLE_ID.editor }) =>
    (await accepted(service, 'createServiceAccount', { body })).body;

  it('have a username that is made of their name, and no email', async () => {
    const account = await create();
    expect(account).toMatchObject({
      username: 'service-release-train',
      accountType: 'Service Account',
      tokens: [],
    });
    expect(account).not.toHaveProperty('email');
    const list = await accepted(service, 'getServiceAccounts');
    expect(list.body.rootRoles.map(({ name }: { name: string }) => name)).toEqual(['Admin', 'Editor', 'Viewer']);
    await create({ username: 'taken', rootRole: ROLE_ID.viewer });
    await refused(service, 'createServiceAccount', CONFLICT, { body: { username: 'Taken', rootRole: ROLE_ID.viewer } });
  });

  it('act through their tokens within their role, until the account or the token is deleted', async () => {
    const { id } = await create();
    const params = { id };
    const made = await accepted(service, 'createServiceAccountToken', {
      params,
      body: { description: 'CI', expiresAt: EXPIRY },
    });
    expect(made.status).toBe(201);
    expect(made.headers.get('location')).toBe(`/api/admin/service-account/${id}/token/${made.body.id}`);
    const token = made.body.secret;
    const events = await eventsOf(service, async () => {
      await accepted(service, 'createFeature', { token, params: { projectId: 'default' }, body: { name: 'flag' } });
    });
    expect(events).toMatchObject([{ createdBy: 'service-release-train', createdByUserId: id }]);
    await refused(service, 'getServiceAccounts', FORBIDDEN, { token });
    await refused(service, 'createServiceAccountToken', CONFLICT, {
      params,
      body: { description: 'CI', expiresAt: EXPIRY },
    });
    const list = await accepted(service, 'getServiceAccountTokens', { params });
    expect(list.body.pats).toMatchObject([{ description: 'CI', userId: id }]);
    expect(list.text).not.toContain(token);
    const second = await accepted(service, 'createServiceAccountToken', {
      params,
      body: { description: 'CD', expiresAt: EXPIRY },
    });
    await accepted(service, 'deleteServiceAccountToken', { params: { id, tokenId: made.body.id } });
    await refused(service, 'getProjects', UNAUTHENTICATED, { token });
    await accepted(service, 'getProjects', { token: second.body.secret });
    await accepted(service, 'deleteServiceAccount', { params });
    await refused(service, 'getProjects', UNAUTHENTICATED, { token: second.body.secret });
  });

  it('are not users: a user or a token of another account is not found under their paths', async () => {
    const { id } = await create();
    const body = { description: 'CI', expiresAt: EXPIRY };
    await refused(service, 'createServiceAccountToken', MISSING, { params: { id: 2 }, body });
    await refused(service, 'deleteServiceAccount', MISSING, { params: { id: 2 } });
    await refused(service, 'getServiceAccountTokens', MISSING, { params: { id: 2 } });
    const { body: made } = await accepted(service, 'createServiceAccountToken', { params: { id }, body });
    const other = await create({ name: 'Other', rootRole: ROLE_ID.viewer });
    await refused(service, 'deleteServiceAccountToken', MISSING, { params: { id: other.id, tokenId: made.id } });
  });
});
