import { describe, expect, it } from 'vitest';
import { ConfigError } from '../../../src/base/options.ts';
import type { FirstTokens } from '../../../src/products/server/first-start.ts';
import { MemoryBacking, MemoryStore } from '../../../src/stores/memory/memory-store.ts';
import { accepted, prepare } from '../../support/admin.ts';
import { startTestService, type TestService } from '../../support/service.ts';

const NO_TOKENS = { INIT_ADMIN_API_TOKENS: '', INIT_CLIENT_API_TOKENS: '', INIT_FRONTEND_API_TOKENS: '' };

type Environment = Readonly<Record<string, string>>;

/** Starts on the store, runs `work`, stops. */
async function started<Result>(
  backing: MemoryBacking,
  env: Environment,
  work: (service: TestService) => Result | Promise<Result>,
): Promise<Result> {
  const service = await startTestService({ env: { ...NO_TOKENS, ...env }, store: new MemoryStore({ backing }) });
  try {
    return await work(service);
  } finally {
    await service.close();
  }
}

/** Starts on the store, and expects it to refuse. */
async function refusedStart(backing: MemoryBacking, env: Environment): Promise<string> {
  const problem = await started(backing, env, () => 'it started').catch((error: unknown) => error);
  expect(problem).toBeInstanceOf(ConfigError);
  return (problem as ConfigError).message;
}

const tokensOf = (service: TestService) => [...service.running.services.state.values('apiTokens')];

describe('the first start', () => {
  it('creates one valid token of each kind, and the next start creates none', async () => {
    const backing = new MemoryBacking();
    const first = (await started(backing, {}, async (service) => {
      const tokens = (await service.running.started) as FirstTokens;
      await accepted(service, 'getProjects', { token: tokens.admin });
      await accepted(service, 'getAllClientFeatures', { token: tokens.client });
      await accepted(service, 'getFrontendFeatures', { token: tokens.frontend });
      return tokens;
    })) as FirstTokens;
    await started(backing, {}, async (service) => {
      expect(await service.running.started).toBeNull();
      expect(tokensOf(service).map(({ secret }) => secret)).toEqual([first.admin, first.client, first.frontend]);
    });
  });

  it('creates content and tokens in one commit, so that no crash leaves a store without access', async () => {
    const backing = new MemoryBacking();
    await started(backing, {}, () => expect(backing.tip).toBe(1));
  });

  it('creates only the tokens of environment variables, once', async () => {
    const backing = new MemoryBacking();
    const env = {
      INIT_ADMIN_API_TOKENS: '*:*.admin-1, *:*.admin-2',
      INIT_BACKEND_API_TOKENS: 'default:production.backend',
      INIT_FRONTEND_API_TOKENS: '*:development.frontend.with.dots',
    };
    const expected = [
      ['admin', 'init-admin-1', '*', ['*']],
      ['admin', 'init-admin-2', '*', ['*']],
      ['client', 'init-client-1', 'production', ['default']],
      ['frontend', 'init-frontend-1', 'development', ['*']],
    ];
    const details = (service: TestService) =>
      tokensOf(service).map(({ type, tokenName, environment, projects }) => [type, tokenName, environment, projects]);
    for (const _start of ['first', 'second']) {
      await started(backing, env, async (service) => {
        expect(await service.running.started).toBeNull();
        expect(details(service)).toEqual(expected);
        await accepted(service, 'getAllClientFeatures', { token: 'default:production.backend' });
        await accepted(service, 'getProjects', { token: '*:*.admin-2' });
        await accepted(service, 'getFrontendFeatures', { token: '*:development.frontend.with.dots' });
      });
    }
  });

  it('creates the tokens of both lists of client tokens, and a token in both lists once', async () => {
    const env = {
      INIT_CLIENT_API_TOKENS: '*:development.client,*:development.both',
      INIT_BACKEND_API_TOKENS: '*:development.both,*:production.backend',
    };
    await started(new MemoryBacking(), env, (service) => {
      expect(tokensOf(service).map(({ type, secret }) => [type, secret])).toEqual([
        ['client', '*:development.client'],
        ['client', '*:development.both'],
        ['client', '*:production.backend'],
      ]);
    });
  });
});

describe('the first admin', () => {
  const people = (service: TestService) => [...service.running.services.state.values('users')];
  const login = (service: TestService, username: string, password: string) =>
    service.call('login', { body: { username, password } });
  const NAMED = { UNLEASH_DEFAULT_ADMIN_USERNAME: 'root', UNLEASH_DEFAULT_ADMIN_PASSWORD: 'unleash4all' };

  it('is created with the first tokens, with a password that is returned with them and stored as a hash', async () => {
    const backing = new MemoryBacking();
    await started(backing, {}, async (service) => {
      const { signOn } = (await service.running.started) as FirstTokens;
      const { username, password } = signOn as { username: string; password: string };
      expect(username).toBe('admin');
      expect((await login(service, username, password)).body).toMatchObject({ id: 1, username: 'admin', rootRole: 1 });
      expect(JSON.stringify(people(service))).not.toContain(password);
      for (const { bytes } of backing.log) expect(Buffer.from(bytes).includes(password)).toBe(false);
    });
    await started(backing, {}, (service) => expect(people(service)).toHaveLength(1));
  });

  it('is the user of the environment variables when there are no users', async () => {
    const backing = new MemoryBacking();
    await started(backing, { INIT_ADMIN_API_TOKENS: '*:*.a' }, (service) => expect(people(service)).toEqual([]));
    await started(backing, NAMED, async (service) => {
      expect((await login(service, 'root', 'unleash4all')).status).toBe(200);
    });
    const other = { ...NAMED, UNLEASH_DEFAULT_ADMIN_PASSWORD: 'Another-One-9' };
    await started(backing, other, async (service) => {
      expect(people(service)).toHaveLength(1);
      expect((await login(service, 'root', 'Another-One-9')).status).toBe(401);
    });
  });

  it('is not created with a random password that would not be shown', async () => {
    const env = { INIT_ADMIN_API_TOKENS: '*:*.a', UNLEASH_DEFAULT_ADMIN_USERNAME: 'root' };
    await started(new MemoryBacking(), env, (service) => {
      expect(people(service)).toEqual([]);
      expect(service.running.services.passwords.derivations).toBe(0);
    });
  });

  it('of environment variables is returned with the first tokens, without the password', async () => {
    await started(new MemoryBacking(), NAMED, async (service) => {
      expect(await service.running.started).toMatchObject({
        signOn: { username: 'root', password: null },
        admin: expect.any(String),
      });
      expect(people(service)).toMatchObject([{ username: 'root' }]);
    });
  });
});

describe('later starts', () => {
  it('create the tokens that are new in the environment variables, in any order of the list', async () => {
    const backing = new MemoryBacking();
    const start = (list: string) =>
      started(backing, { INIT_CLIENT_API_TOKENS: list }, (service) =>
        tokensOf(service).map(({ secret, tokenName }) => `${secret} ${tokenName}`),
      );
    await start('*:development.a');
    expect(await start('*:development.b,*:development.a')).toEqual([
      '*:development.a init-client-1',
      '*:development.b init-client-2',
    ]);
  });

  it('find environments whose names have dots', async () => {
    const backing = new MemoryBacking();
    await started(backing, { INIT_ADMIN_API_TOKENS: '*:*.a' }, async (service) => {
      const body = { name: 'eu.west', type: 'production' };
      await accepted(service, 'createEnvironment', { token: '*:*.a', body });
    });
    await started(backing, { INIT_CLIENT_API_TOKENS: '*:eu.west.x.y' }, (service) => {
      expect(tokensOf(service)).toMatchObject([{}, { environment: 'eu.west', secret: '*:eu.west.x.y' }]);
    });
  });

  it('skip tokens whose environment or project an admin deleted, and succeed', async () => {
    const backing = new MemoryBacking();
    const env = {
      INIT_ADMIN_API_TOKENS: '*:*.a',
      INIT_CLIENT_API_TOKENS: '*:development.b,*:production.c',
      INIT_FRONTEND_API_TOKENS: 'gone:production.d',
    };
    await started(backing, { INIT_ADMIN_API_TOKENS: '*:*.a' }, (service) =>
      accepted(service, 'createProject', { token: '*:*.a', body: { id: 'gone', name: 'Gone' } }),
    );
    await started(backing, env, async (service) => {
      await accepted(service, 'removeEnvironment', { token: '*:*.a', params: { name: 'development' } });
      await accepted(service, 'deleteProject', { token: '*:*.a', params: { projectId: 'gone' } });
    });
    await started(backing, env, (service) => {
      expect(tokensOf(service).map(({ secret }) => secret)).toEqual(['*:*.a', '*:production.c']);
    });
  });

  it('accept an existing token for several projects, although its text does not contain them', async () => {
    const backing = new MemoryBacking();
    const secret = '[]:development.several';
    await started(backing, { INIT_ADMIN_API_TOKENS: '*:*.a' }, (service) =>
      prepare(service, (draft) => {
        const scope = { environment: 'development', projects: ['default'] };
        const times = { createdAt: '2026-01-01T00:00:00.000Z', expiresAt: null, seenAt: null };
        draft.put('apiTokens', { secret, tokenName: 'several', type: 'client', ...scope, ...times, alias: null });
      }),
    );
    await started(backing, { INIT_CLIENT_API_TOKENS: secret }, (service) => {
      expect(tokensOf(service)).toMatchObject([{}, { secret, projects: ['default'] }]);
    });
  });
});

describe('a start is refused, with a message without secrets, when', () => {
  it.each([
    ['a token is malformed', 'INIT_CLIENT_API_TOKENS', 'topsecret', /item 1: .*project:environment\.secret/],
    ['the second token is malformed', 'INIT_ADMIN_API_TOKENS', '*:*.fine,:x.topsecret', /item 2: /],
    ['a secret is missing', 'INIT_FRONTEND_API_TOKENS', '*:development.', /item 1: /],
    [
      'an environment does not exist',
      'INIT_CLIENT_API_TOKENS',
      '*:nowhere.topsecret',
      /environment nowhere does not exist/,
    ],
    [
      'a project does not exist',
      'INIT_CLIENT_API_TOKENS',
      'nowhere:development.topsecret',
      /project nowhere does not exist/,
    ],
    [
      'a client token is for all environments',
      'INIT_CLIENT_API_TOKENS',
      '*:*.topsecret',
      /must be for one environment/,
    ],
    [
      'a token is for several projects',
      'INIT_CLIENT_API_TOKENS',
      '[]:development.topsecret',
      /item 1: .*name its projects/,
    ],
    [
      'an admin token is not for all projects and environments',
      'INIT_ADMIN_API_TOKENS',
      '*:development.topsecret',
      /all projects/,
    ],
  ])('%s', async (_what, variable, text, expected) => {
    const backing = new MemoryBacking();
    const message = await refusedStart(backing, { [variable]: text });
    expect(message).toMatch(expected);
    expect(message.startsWith(`${variable}, item `)).toBe(true);
    expect(message).not.toContain('topsecret');
    // The next start is still a first start.
    expect(backing.tip).toBe(0);
    await started(backing, {}, async (service) => expect(await service.running.started).not.toBeNull());
  });

  it('a token is listed for two types', async () => {
    const env = {
      INIT_CLIENT_API_TOKENS: '*:development.topsecret',
      INIT_FRONTEND_API_TOKENS: '*:development.topsecret',
    };
    const message = await refusedStart(new MemoryBacking(), env);
    expect(message).toMatch(/^INIT_FRONTEND_API_TOKENS, item 1: .*type client/);
    expect(message).not.toContain('topsecret');
  });
});
