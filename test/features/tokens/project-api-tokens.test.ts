import { beforeAll, describe, expect, it } from 'vitest';
import { ROLE_ID } from '../../../src/model/role.ts';
import { customRole, give } from '../../access/people.ts';
import { accepted, FORBIDDEN, INVALID, MISSING, prepare, refused } from '../../support/admin.ts';
import { personalTokenOf, putUser } from '../../support/people.ts';
import { startTestService, useService } from '../../support/service.ts';

const service = useService();
let owner: string;
let maker: string;

beforeAll(async () => {
  await accepted(service, 'createProject', { body: { id: 'other', name: 'other' } });
  await putUser(service, 1);
  await putUser(service, 2);
  await prepare(service, (draft) => {
    draft.put('roles', customRole(1, 'custom', [{ name: 'CREATE_PROJECT_API_TOKEN' }]));
    give(draft, 'default', 'user', 1, [ROLE_ID.owner]);
    give(draft, 'default', 'user', 2, [customRole(1, 'custom', []).id]);
  });
  owner = await personalTokenOf(service, 1);
  maker = await personalTokenOf(service, 2);
});

const inProject = (projectId: string) => ({ params: { projectId } });
const create = (token: string, projectId: string, body: object) => ({ token, ...inProject(projectId), body });

describe('API tokens of a project', () => {
  it('are created, listed and deleted by its owner, and give access to that project only', async () => {
    const made = await accepted(
      service,
      'createProjectApiToken',
      create(owner, 'default', { type: 'client', tokenName: 'own', environment: 'development' }),
    );
    expect(made.body).toMatchObject({ projects: ['default'], environment: 'development', type: 'client' });
    const { secret } = made.body;
    expect((await service.call('getAllClientFeatures', { token: secret })).status).toBe(200);
    const list = await accepted(service, 'getProjectApiTokens', { token: owner, ...inProject('default') });
    expect(list.body.tokens.map(({ tokenName }: { tokenName: string }) => tokenName)).toContain('own');
    const params = { projectId: 'default', token: secret };
    await accepted(service, 'deleteProjectApiToken', { token: owner, params });
    await refused(service, 'deleteProjectApiToken', MISSING, { token: owner, params });
    expect((await service.call('getAllClientFeatures', { token: secret })).status).toBe(401);
  });

  it('cannot be created for another project, for all projects, or as admin tokens', async () => {
    for (const scope of [
      { projects: ['other'] },
      { projects: ['default', 'other'] },
      { projects: ['*'] },
      { project: '*' },
    ]) {
      const body = { type: 'client', tokenName: 'wide', ...scope };
      await refused(service, 'createProjectApiToken', INVALID, create(owner, 'default', body));
    }
    const admin = { type: 'admin', tokenName: 'sly' };
    const answer = await service.call('createProjectApiToken', create(owner, 'default', admin));
    expect([400, 403]).toContain(answer.status);
    const body = { type: 'client', tokenName: 'foreign' };
    await refused(service, 'createProjectApiToken', FORBIDDEN, create(owner, 'other', body));
    await refused(service, 'getProjectApiTokens', FORBIDDEN, { token: owner, ...inProject('other') });
  });

  it('of another project or of all projects are not visible or deletable; a token of several needs the permission in each', async () => {
    const secrets: Record<string, string> = {};
    for (const [name, projects] of Object.entries({ other: ['other'], all: ['*'], both: ['default', 'other'] })) {
      const body = { type: 'frontend', tokenName: name, environment: 'development', projects };
      secrets[name] = (await accepted(service, 'createApiToken', { body })).body.secret;
    }
    const remove = (name: string, projectId: string) => ({
      token: owner,
      params: { projectId, token: secrets[name] as string },
    });
    await refused(service, 'deleteProjectApiToken', MISSING, remove('other', 'default'));
    await refused(service, 'deleteProjectApiToken', FORBIDDEN, remove('other', 'other'));
    await refused(service, 'deleteProjectApiToken', MISSING, remove('all', 'default'));
    await refused(service, 'deleteProjectApiToken', FORBIDDEN, remove('both', 'default'));
    const list = await accepted(service, 'getProjectApiTokens', { token: owner, ...inProject('default') });
    expect(list.text).not.toContain(secrets.other);
    expect(list.text).not.toContain(secrets.all);
  });

  it('are announced to its owner before they expire; those of other projects, of several and of all projects are not', async () => {
    const DAY_MS = 86_400_000;
    const at = (days: number) => new Date(Date.now() + days * DAY_MS).toISOString();
    const scopes = { mine: ['default'], theirs: ['other'], shared: ['default', 'other'], everywhere: ['*'] };
    await prepare(service, (draft) => {
      for (const [tokenName, projects] of Object.entries(scopes))
        draft.put('apiTokens', {
          secret: `in-use:development.${tokenName}`,
          tokenName,
          projects,
          type: 'client',
          alias: null,
          environment: 'development',
          createdAt: at(-30),
          expiresAt: at(3),
          seenAt: at(-1),
        });
    });
    await service.running.services.tokenExpiry.search();
    const namesFor = async (token?: string) => {
      const { body } = await accepted(service, 'getExpiringApiTokens', token === undefined ? {} : { token });
      return body.tokens.map(({ tokenName }: { tokenName: string }) => tokenName).sort();
    };
    expect(await namesFor(owner)).toEqual(['mine']);
    expect(await namesFor()).toEqual(['everywhere', 'mine', 'shared', 'theirs']);
    await refused(service, 'getExpiringApiTokens', FORBIDDEN, { token: maker });
  });

  it('need a separate permission for each operation', async () => {
    const body = { type: 'frontend', tokenName: 'by-maker', environment: 'development' };
    const { body: made } = await accepted(service, 'createProjectApiToken', create(maker, 'default', body));
    const params = { projectId: 'default', token: made.secret };
    await refused(service, 'deleteProjectApiToken', FORBIDDEN, { token: maker, params });
    await refused(service, 'getProjectApiTokens', FORBIDDEN, { token: maker, ...inProject('default') });
    await refused(service, 'createProjectApiToken', FORBIDDEN, create(maker, 'nowhere', body));
  });

  it('count towards the limit of the instance', async () => {
    const limited = await startTestService({ env: { UNLEASH_API_TOKENS_LIMIT: '4' } });
    try {
      const body = { type: 'client', tokenName: 'fourth', environment: 'development' };
      await accepted(limited, 'createProjectApiToken', { ...inProject('default'), body });
      const more = { ...inProject('default'), body: { ...body, tokenName: 'fifth' } };
      const { body: refusal } = await refused(limited, 'createProjectApiToken', INVALID, more);
      expect(refusal.message).toContain('UNLEASH_API_TOKENS_LIMIT');
    } finally {
      await limited.close();
    }
  });
});
