import Type from 'typebox';
import { beforeAll, describe, expect, it } from 'vitest';
import { LIMITS } from '../../../src/features/modules.ts';
import { accepted, INVALID, refused } from '../../support/admin.ts';
import { browserOf, personalTokenOf, putUser } from '../../support/people.ts';
import { expectConforms, useService } from '../../support/service.ts';

/** Written from the contract. */
const SPLASH = Type.Object(
  { userId: Type.Integer(), splashId: Type.String(), seen: Type.Boolean() },
  { additionalProperties: false },
);
const FEEDBACK = Type.Object(
  {
    userId: Type.Integer(),
    feedbackId: Type.String(),
    neverShow: Type.Boolean(),
    given: Type.Union([Type.String({ format: 'date-time' }), Type.Null()]),
  },
  { additionalProperties: false },
);

const service = useService();
let token: string;

beforeAll(async () => {
  await putUser(service, 41);
  await putUser(service, 42);
  token = await personalTokenOf(service, 41);
});

const me = async (as: string) => (await accepted(service, 'getMe', { token: as })).body;
const update = async (id: string, body: Record<string, unknown>) =>
  (await accepted(service, 'updateFeedback', { token, params: { id }, body })).body;

describe('splash screens and feedback', () => {
  it('are empty at first', async () => {
    expect(await me(token)).toMatchObject({ splash: {}, feedback: [] });
  });

  it('are refused for a token that belongs to no user', async () => {
    await refused(service, 'updateSplashSettings', INVALID, { params: { id: 'welcome' } });
    await refused(service, 'createFeedback', INVALID, { body: { feedbackId: 'survey' } });
    await refused(service, 'updateFeedback', INVALID, { params: { id: 'survey' }, body: {} });
  });
});

describe('a splash screen', () => {
  it('stays seen for the user who has seen it, and for no other user', async () => {
    for (let count = 0; count < 2; count++) {
      const { status, body } = await accepted(service, 'updateSplashSettings', { token, params: { id: 'welcome' } });
      expect(status).toBe(200);
      expectConforms(SPLASH, body, 'the answer');
      expect(body).toEqual({ userId: 41, splashId: 'welcome', seen: true });
    }
    expect((await me(token)).splash).toEqual({ welcome: true });
    expect((await me(await personalTokenOf(service, 42))).splash).toEqual({});
  });

  it('can be marked as seen by a signed-in browser too', async () => {
    const headers = await browserOf(service, 42);
    const options = { token: null, headers, params: { id: '__proto__' } };
    expect((await accepted(service, 'updateSplashSettings', options)).body.userId).toBe(42);
    const { text } = await accepted(service, 'getMe', { token: null, headers });
    expect(text).toContain('"splash":{"__proto__":true}');
  });

  it('has a limited length of its name', async () => {
    await refused(service, 'updateSplashSettings', INVALID, { token, params: { id: 'x'.repeat(101) } });
  });
});

describe('feedback', () => {
  it('is created with its time', async () => {
    const body = { feedbackId: 'survey', neverShow: true };
    const answer = await accepted(service, 'createFeedback', { token, body });
    expect(answer.status).toBe(200);
    expectConforms(FEEDBACK, answer.body, 'the feedback');
    expect(answer.body).toMatchObject({ userId: 41, feedbackId: 'survey', neverShow: true });
    expect(Date.parse(answer.body.given)).toBeGreaterThan(0);
    expect((await me(token)).feedback).toEqual([answer.body]);
  });

  it('changes only the properties in the request', async () => {
    const given = '2026-05-01T10:00:00.000Z';
    const first = await update('later', { given });
    expectConforms(FEEDBACK, first, 'the feedback');
    expect(first).toEqual({ userId: 41, feedbackId: 'later', neverShow: false, given });
    expect(await update('later', { neverShow: true })).toEqual({ ...first, neverShow: true });
    expect(await update('later', {})).toEqual({ ...first, neverShow: true });
    expect(await update('later', { given: null })).toEqual({ ...first, neverShow: true, given: null });
  });

  it('belongs to the caller, whichever user the request names', async () => {
    const feedback = await update('mine', { userId: 42, neverShow: true });
    expect(feedback.userId).toBe(41);
    expect((await me(await personalTokenOf(service, 42))).feedback).toEqual([]);
  });

  it.each([
    ['a number for a boolean', { neverShow: 3 }],
    ['an invalid time', { given: 'yesterday' }],
    ['a string for a user id', { userId: 'ada' }],
  ])('is not changed with %s', async (_what, body) => {
    await refused(service, 'updateFeedback', INVALID, { token, params: { id: 'survey' }, body });
  });

  it('is not created without a feedbackId', async () => {
    await refused(service, 'createFeedback', INVALID, { token, body: { neverShow: true } });
  });
});

describe('the stored splash screens and feedback of a user', () => {
  it('are bounded', async () => {
    await putUser(service, 43);
    const own = await personalTokenOf(service, 43);
    const most = LIMITS.splashesOfUser.max;
    for (let count = 0; count < most; count++)
      await accepted(service, 'updateSplashSettings', { token: own, params: { id: `s${count}` } });
    await refused(service, 'updateSplashSettings', INVALID, { token: own, params: { id: 'one-more' } });
    await accepted(service, 'updateSplashSettings', { token: own, params: { id: 's0' } });
  });

  it('are deleted with the user', async () => {
    const { state } = service.running.services;
    expect(state.count('seenSplashesByUser', '41')).toBe(1);
    expect(state.count('feedbackByUser', '41')).toBe(3);
    await accepted(service, 'deleteUser', { params: { id: 41 } });
    expect(state.count('seenSplashesByUser', '41') + state.count('feedbackByUser', '41')).toBe(0);
    expect((await service.call('updateSplashSettings', { token, params: { id: 'welcome' } })).status).toBe(401);
  });
});
