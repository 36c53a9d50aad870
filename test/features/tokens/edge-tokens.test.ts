import { beforeAll, describe, expect, it } from 'vitest';
import { ROLE_ID } from '../../../src/model/role.ts';
import { customRole, give, user } from '../../access/people.ts';
import { accepted, eventsOf, FORBIDDEN, INVALID, prepare, refused, UNAUTHENTICATED } from '../../support/admin.ts';
import { personalTokenOf, putUser } from '../../support/people.ts';
import { CLIENT_TOKEN, startTestService, useService } from '../../support/service.ts';

const service = useService();
beforeAll(async () => {
  await accepted(service, 'createProject', { body: { id: 'shop', name: 'Shop' } });
});
const DEVELOPMENT = { environment: 'development', projects: ['shop'] };
const PRODUCTION = { environment: 'production', projects: ['*'] };

const issue = async (tokens: readonly object[], at = service) =>
  (await accepted(at, 'issueEdgeTokens', { body: { tokens } })).body.tokens;

describe('/edge/issue-token', () => {
  it('returns a client token for each scope, which clients and /edge/validate accept', async () => {
    const tokens = await issue([DEVELOPMENT, PRODUCTION]);
    expect(tokens).toEqual([
      { token: expect.stringMatching(/^shop:development\.[0-9a-f]{56}$/), type: 'client', ...DEVELOPMENT },
      { token: expect.stringMatching(/^\*:production\.[0-9a-f]{56}$/), type: 'client', ...PRODUCTION },
    ]);
    const texts = tokens.map(({ token }: { token: string }) => token);
    const validated = await accepted(service, 'getValidTokens', { body: { tokens: texts } });
    expect(validated.body.tokens).toEqual(tokens);
    for (const token of texts) await accepted(service, 'getAllClientFeatures', { token });
  });

  it('returns the same tokens again, and creates none', async () => {
    const scopes = [DEVELOPMENT, { environment: 'development', projects: ['default', 'shop', 'default'] }];
    const first = await issue(scopes);
    const events = await eventsOf(service, async () => {
      const [one, other] = scopes;
      expect(await issue([{ ...other, projects: ['shop', 'default'] }, one as object])).toEqual([first[1], first[0]]);
    });
    expect(events).toEqual([]);
    expect(first[1].projects).toEqual(['default', 'shop']);
  });

  it('creates a token in place of one that was deleted or has expired, and returns no token that people created', async () => {
    const [{ token }] = await issue([DEVELOPMENT]);
    await accepted(service, 'deleteApiToken', { params: { token } });
    await accepted(service, 'createApiToken', { body: { type: 'client', tokenName: 'by a person', ...DEVELOPMENT } });
    const [{ token: second }] = await issue([DEVELOPMENT]);
    expect(second).not.toBe(token);
    const { body } = await accepted(service, 'getApiTokensByName', { params: { token: 'by a person' } });
    expect(body.tokens[0].secret).not.toBe(second);
    const body2 = { expiresAt: '2020-01-01T00:00:00.000Z' };
    await accepted(service, 'updateApiToken', { params: { token: second }, body: body2 });
    expect((await issue([DEVELOPMENT]))[0].token).not.toBe(second);
  });

  it('refuses a request that an Edge has signed with its client secret', async () => {
    await refused(service, 'issueEdgeTokens', UNAUTHENTICATED, {
      token: `HMAC enterprise-edge:${Buffer.alloc(32, 1).toString('base64')}`,
      headers: {
        'x-timestamp': '1796000000',
        'x-nonce': '0f3c',
        'content-sha256': Buffer.alloc(32, 2).toString('base64'),
      },
      body: { tokens: [DEVELOPMENT] },
    });
  });

  it('records the new tokens in the audit log, without their texts', async () => {
    let text = '';
    const scope = { environment: 'production', projects: ['shop'] };
    const events = await eventsOf(service, async () => {
      text = (await issue([scope]))[0].token;
    });
    expect(events).toMatchObject([{ type: 'api-token-created', environment: 'production', project: 'shop' }]);
    expect(JSON.stringify(events)).not.toContain(text.split('.')[1]);
  });

  it('creates all tokens or none', async () => {
    const wrong = { environment: 'nowhere', projects: ['shop'] };
    const { body } = await refused(service, 'issueEdgeTokens', INVALID, {
      body: { tokens: [{ environment: 'development', projects: ['default'] }, wrong] },
    });
    expect(body.details[0].path).toBe('/tokens/1/environment');
    const missing = { environment: 'development', projects: ['no-project'] };
    await refused(service, 'issueEdgeTokens', INVALID, { body: { tokens: [missing] } });
    for (const tokens of [
      [{ environment: 'development', projects: [] }],
      [{ projects: ['shop'] }],
      Array.from({ length: 101 }, () => DEVELOPMENT),
    ])
      await refused(service, 'issueEdgeTokens', INVALID, { body: { tokens } });
    expect(await issue([])).toEqual([]);
  });

  it('needs the permission to create client tokens in all of the projects, and shows no token to callers who may not read it', async () => {
    const body = { tokens: [DEVELOPMENT] };
    await refused(service, 'issueEdgeTokens', UNAUTHENTICATED, { body, token: null });
    await refused(service, 'issueEdgeTokens', FORBIDDEN, { body, token: CLIENT_TOKEN });
    await putUser(service, 71);
    const viewer = await personalTokenOf(service, 71);
    await refused(service, 'issueEdgeTokens', FORBIDDEN, { body, token: viewer });
    await putUser(service, 72);
    const owner = await personalTokenOf(service, 72);
    await prepare(service, (draft) => give(draft, 'shop', 'user', 72, [ROLE_ID.owner]));
    const ofOwner = await accepted(service, 'issueEdgeTokens', { body, token: owner });
    expect(ofOwner.body.tokens).toEqual(await issue([DEVELOPMENT]));
    await prepare(service, (draft) => {
      const role = customRole(1, 'root-custom', [{ name: 'CREATE_CLIENT_API_TOKEN' }]);
      draft.put('roles', role);
      draft.put('users', { ...user(73), rootRole: role.id });
    });
    const creator = await accepted(service, 'issueEdgeTokens', { body, token: await personalTokenOf(service, 73) });
    expect(creator.body.tokens[0].token).not.toBe(ofOwner.body.tokens[0].token);
    for (const projects of [['shop', 'default'], ['*']])
      await refused(service, 'issueEdgeTokens', FORBIDDEN, {
        body: { tokens: [{ environment: 'development', projects }] },
        token: owner,
      });
  });

  it('creates new tokens for every request if only hashes of secrets are stored', async () => {
    const hashing = await startTestService({ env: { API_TOKEN_SECRETS: 'hashed' } });
    try {
      const scope = { environment: 'development', projects: ['default'] };
      const [{ token: first }] = await issue([scope], hashing);
      const [{ token: second }] = await issue([scope], hashing);
      expect(second).not.toBe(first);
      for (const token of [first, second]) await accepted(hashing, 'getAllClientFeatures', { token });
    } finally {
      await hashing.close();
    }
  });
});
