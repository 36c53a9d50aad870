import { beforeAll, describe, expect, it } from 'vitest';
import { accepted, eventsOf, INVALID, MISSING, prepare, refused, UNAUTHENTICATED } from '../../support/admin.ts';
import { ManualClock } from '../../support/manual-clock.ts';
import { CLIENT_TOKEN, useService } from '../../support/service.ts';

const clock = new ManualClock();
const service = useService({ clock });

beforeAll(async () => {
  await accepted(service, 'createProject', { body: { id: 'shop', name: 'Shop' } });
  await accepted(service, 'createProject', { body: { id: 'mobile', name: 'Mobile' } });
});

const create = async (body: Record<string, unknown>) => (await accepted(service, 'createApiToken', { body })).body;
const list = (token: string) => service.call('getAllClientFeatures', { token });
const inDays = (days: number) => new Date(clock.nowMs() + days * 86_400_000).toISOString();

describe('API tokens', () => {
  it('are created with a secret that contains their project and environment', async () => {
    const body = { type: 'client', tokenName: 'backend of shop', environment: 'production', projects: ['shop'] };
    const answer = await accepted(service, 'createApiToken', {
      body: { ...body, secret: 'chosen', expiresAt: inDays(1) },
    });
    expect(answer.status).toBe(201);
    expect(answer.headers.get('location')).toBe('/api/admin/api-tokens/backend%20of%20shop');
    expect(answer.body).toEqual({
      ...body,
      username: 'backend of shop',
      project: 'shop',
      secret: expect.stringMatching(/^shop:production\.[0-9a-f]{56}$/),
      createdAt: '2026-01-01T00:00:00.000Z',
      expiresAt: '2026-01-02T00:00:00.000Z',
      seenAt: null,
      alias: null,
      secure: false,
    });
    expect((await list(answer.body.secret)).status).toBe(200);
  });

  it('leave no secret in the audit log', async () => {
    let secret = '';
    const events = await eventsOf(service, async () => {
      ({ secret } = await create({ type: 'frontend', tokenName: 'audited', project: 'shop' }));
      await accepted(service, 'updateApiToken', { params: { token: secret }, body: { expiresAt: inDays(2) } });
      await accepted(service, 'deleteApiToken', { params: { token: secret } });
    });
    expect(events).toMatchObject([
      { type: 'api-token-created', environment: 'development', project: 'shop', data: { tokenName: 'audited' } },
      { type: 'api-token-updated', data: { expiresAt: inDays(2) }, preData: { expiresAt: null } },
      { type: 'api-token-deleted', data: null, preData: { tokenName: 'audited', type: 'frontend' } },
    ]);
    expect(JSON.stringify(events)).not.toContain(secret.split('.')[1]);
  });

  it('reach all projects of development by default, and take types in any letter case and older field names', async () => {
    expect(await create({ type: 'Client', username: 'old style' })).toMatchObject({
      type: 'client',
      tokenName: 'old style',
      environment: 'development',
      project: '*',
      projects: ['*'],
      secret: expect.stringMatching(/^\*:development\./),
    });
    expect(await create({ type: 'FRONTEND', tokenName: 'x', projects: ['*', 'shop'] })).toMatchObject({
      type: 'frontend',
      projects: ['*'],
    });
  });

  it('for several projects do not name them in the secret', async () => {
    expect(await create({ type: 'client', tokenName: 'two', projects: ['shop', 'mobile', 'shop'] })).toMatchObject({
      projects: ['mobile', 'shop'],
      project: 'mobile,shop',
      secret: expect.stringMatching(/^\[\]:development\./),
    });
  });

  it.each([
    ['no type', { tokenName: 'x' }],
    ['an unknown type', { type: 'root', tokenName: 'x' }],
    ['no name', { type: 'client' }],
    ['a blank name', { type: 'client', tokenName: ' ' }],
    ['a name that is too long', { type: 'client', tokenName: 'x'.repeat(101) }],
    ['an environment that does not exist', { type: 'client', tokenName: 'x', environment: 'nowhere' }],
    ['all environments', { type: 'client', tokenName: 'x', environment: '*' }],
    ['a project that does not exist', { type: 'client', tokenName: 'x', project: 'nowhere' }],
    ['no project at all', { type: 'client', tokenName: 'x', projects: [] }],
    ['both project and projects', { type: 'client', tokenName: 'x', project: 'shop', projects: ['shop'] }],
    ['an invalid time', { type: 'client', tokenName: 'x', expiresAt: 'tomorrow' }],
    ['an admin type', { type: 'admin', tokenName: 'x' }],
    ['an admin type and one environment', { type: 'Admin', tokenName: 'x', environment: 'development' }],
    ['an admin type and one project', { type: 'admin', tokenName: 'x', project: 'shop' }],
  ])('are not created with %s', async (_what, body) => {
    await refused(service, 'createApiToken', INVALID, { body });
  });

  it('may share a name, also among tokens of their type and environment', async () => {
    await create({ type: 'client', tokenName: 'same' });
    await create({ type: 'client', tokenName: 'same' });
    await create({ type: 'client', tokenName: 'same', environment: 'production' });
    await create({ type: 'frontend', tokenName: 'same' });
    const { body } = await accepted(service, 'getApiTokensByName', { params: { token: 'same' } });
    expect(body.tokens).toHaveLength(4);
    expect(new Set(body.tokens.map(({ secret }: { secret: string }) => secret)).size).toBe(4);
    const none = await accepted(service, 'getApiTokensByName', { params: { token: 'nobody' } });
    expect(none.body).toEqual({ tokens: [] });
  });

  it('are listed, all of them or those of one project', async () => {
    const all = (await accepted(service, 'getAllApiTokens')).body.tokens;
    expect(all.map(({ secret }: { secret: string }) => secret)).toContain(CLIENT_TOKEN);
    const { body } = await accepted(service, 'getProjectApiTokens', { params: { projectId: 'shop' } });
    expect(body.tokens.map(({ tokenName }: { tokenName: string }) => tokenName)).toEqual(['backend of shop', 'two']);
    await refused(service, 'getProjectApiTokens', MISSING, { params: { projectId: 'nowhere' } });
  });

  it('that do not exist can be updated and deleted without an error and without an event', async () => {
    const events = await eventsOf(service, async () => {
      await accepted(service, 'updateApiToken', { params: { token: 'x' }, body: { expiresAt: inDays(1) } });
      await accepted(service, 'deleteApiToken', { params: { token: 'x' } });
    });
    expect(events).toEqual([]);
    await refused(service, 'updateApiToken', INVALID, { params: { token: CLIENT_TOKEN }, body: { expiresAt: 'soon' } });
    await refused(service, 'updateApiToken', INVALID, { params: { token: CLIENT_TOKEN }, body: {} });
  });

  it('give no access any more as soon as they are deleted', async () => {
    const { secret } = await create({ type: 'client', tokenName: 'deleted' });
    expect((await list(secret)).status).toBe(200);
    await accepted(service, 'deleteApiToken', { params: { token: secret } });
    await refused(service, 'getAllClientFeatures', UNAUTHENTICATED, { token: secret });
  });

  it('give no access as soon as they expire, and give it again when they get more time', async () => {
    const { secret } = await create({ type: 'client', tokenName: 'expiring', expiresAt: inDays(10) });
    const params = { token: secret };
    clock.advance(10 * 86_400_000 - 1);
    expect((await list(secret)).status).toBe(200);
    clock.advance(1);
    await refused(service, 'getAllClientFeatures', UNAUTHENTICATED, { token: secret });
    await accepted(service, 'updateApiToken', { params, body: { expiresAt: '2026-02-01T02:00:00+02:00' } });
    expect((await list(secret)).status).toBe(200);
    const { state } = service.running.services;
    expect(state.get('apiTokens', secret)?.expiresAt).toBe('2026-02-01T00:00:00.000Z');
    await accepted(service, 'updateApiToken', { params, body: { expiresAt: null } });
    clock.advance(1000 * 86_400_000);
    expect((await list(secret)).status).toBe(200);
  });

  it('are read from the authorization header, with or without the Bearer scheme', async () => {
    for (const prefix of ['', 'Bearer ', 'bearer ']) expect((await list(prefix + CLIENT_TOKEN)).status).toBe(200);
    for (const wrong of ['Basic ', 'x']) {
      await refused(service, 'getAllClientFeatures', UNAUTHENTICATED, { token: wrong + CLIENT_TOKEN });
    }
    for (const token of ['__proto__', 'constructor', CLIENT_TOKEN.slice(0, -1), `${CLIENT_TOKEN}x`]) {
      await refused(service, 'getAllClientFeatures', UNAUTHENTICATED, { token });
    }
  });

  it('leave no scope in memory after the last token of that scope was deleted', async () => {
    const { tokens, clientViews } = service.running.services;
    const before = tokens.scopeCount;
    const scoped = { type: 'client', environment: 'production', projects: ['mobile', 'default'] };
    const first = (await create({ ...scoped, tokenName: 'scope-1' })).secret;
    const second = (await create({ ...scoped, tokenName: 'scope-2' })).secret;
    expect(tokens.scopeCount).toBe(before + 1);
    const scope = tokens.find(first)?.scope;
    if (!scope) throw new Error('the token is not found');
    const view = clientViews.view(scope, 1);
    await accepted(service, 'deleteApiToken', { params: { token: first } });
    await accepted(service, 'updateApiToken', { params: { token: second }, body: { expiresAt: null } });
    expect(clientViews.view(scope, 1)).toBe(view);
    await accepted(service, 'deleteApiToken', { params: { token: second } });
    expect(tokens.scopeCount).toBe(before);
    expect(clientViews.view(scope, 1)).not.toBe(view);
    clientViews.release(scope);
  });

  it('have the scope that is stored now, whichever command has stored it', async () => {
    const { secret } = await create({ type: 'client', tokenName: 'moved', projects: ['shop'] });
    await prepare(service, (draft) => {
      const token = draft.get('apiTokens', secret);
      if (token) draft.put('apiTokens', { ...token, projects: ['mobile'] });
    });
    expect([...(service.running.services.tokens.find(secret)?.scope.projects ?? [])]).toEqual(['mobile']);
  });
});
