import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { SUBCOMMANDS } from '../../../src/products/program/program.ts';
import { unknownVariables } from '../../../src/products/unknown-variables.ts';
import { BUILT_PROGRAM } from '../../support/programs/built-program.ts';
import { burgee } from '../../support/programs/run-burgee.ts';
import { ADMIN_TOKEN, CLIENT_TOKEN, startTestService, type TestService } from '../../support/service.ts';

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));
const UNUSED_URL = 'http://127.0.0.1:9';

describe('the program', () => {
  it('lists its commands, and has help for each', async () => {
    const { code, out } = await burgee(['--help']);
    expect(code).toBe(0);
    for (const { name, summary } of SUBCOMMANDS) {
      expect(out).toContain(`${name} `);
      expect(out).toContain(summary);
      if (name === 'bench') continue;
      const help = await burgee([name, '--help']);
      expect([name, help.code, help.err]).toEqual([name, 0, '']);
      expect(help.out).toContain(`burgee ${name}`);
      // An installed package has no npm scripts.
      expect(help.out).not.toContain('npm run');
    }
  });

  it('refuses unknown commands and options with one line', async () => {
    for (const args of [
      ['serv'],
      ['config', 'all'],
      ['config', '--every'],
      ['health', '--url'],
      ['token', 'make'],
      ['serve', '-p'],
    ]) {
      const { code, out, err } = await burgee(args, { BURGEE_TOKEN: 'x' });
      expect([args, code, out]).toEqual([args, 2, '']);
      expect(err).toMatch(/^burgee.*\n$/);
      expect(err).toMatch(/see (--help|burgee)/);
    }
  });

  it('runs as a process, with exit codes', () => {
    const run = (...args: string[]) =>
      spawnSync(process.execPath, [BUILT_PROGRAM, ...args], { encoding: 'utf8', env: {} });
    expect(run('--version')).toMatchObject({ status: 0, stdout: '0.1.0\n' });
    expect(run('health', '--url', UNUSED_URL)).toMatchObject({ status: 1, stdout: '' });
    const refused = spawnSync(process.execPath, [BUILT_PROGRAM], {
      encoding: 'utf8',
      env: { STRICT_CONFIG: 'true', HTTPPORT: '1' },
    });
    expect(refused).toMatchObject({ status: 1, stderr: expect.stringContaining('is HTTP_PORT meant?') });
  });

  it('completes commands and flags in bash', async () => {
    const { out } = await burgee(['completion', 'bash']);
    const complete = (...words: string[]) => {
      const script = `${out}\nCOMP_WORDS=(burgee ${words.map((word) => `'${word}'`).join(' ')}); COMP_CWORD=${words.length}; _burgee; echo "\${COMPREPLY[@]}"`;
      return spawnSync('bash', ['-c', script], { encoding: 'utf8' }).stdout.trim();
    };
    expect(complete('co')).toBe('config completion');
    expect(complete('config', '--ch')).toBe('--changed');
    for (const shell of ['zsh', 'fish']) expect((await burgee(['completion', shell])).out).toContain('health');
  });

  it('is packed with the files that it runs, and without tests', () => {
    const { stdout } = spawnSync('npm', ['pack', '--dry-run', '--json', '--ignore-scripts'], {
      cwd: ROOT,
      encoding: 'utf8',
    });
    const packed = JSON.parse(stdout) as { files: { path: string }[]; unpackedSize: number }[];
    const files = packed[0]?.files.map(({ path }) => path) ?? [];
    for (const file of [
      'dist/packed/program/main.js',
      'dist/packed/program/bulk-worker.js',
      'dist/packed/program/fleet.js',
      'README.md',
      'LICENSE',
      'redis.conf',
    ]) {
      expect(files).toContain(file);
    }
    expect(files.filter((file) => /^(test|src|node_modules|dist\/src|dist\/bench)\//.test(file))).toEqual([]);
  });

  it('has no file that only names what another file exports: a start would load a hundred of them', () => {
    const folder = `${ROOT}dist/packed/program`;
    const scripts = readdirSync(folder).filter((file) => file.endsWith('.js'));
    expect(scripts).toContain('main.js');
    const isFacade = (file: string) =>
      /^(\s*(import|export)\b[^;]*;)*\s*$/.test(readFileSync(`${folder}/${file}`, 'utf8'));
    expect(scripts.filter(isFacade)).toEqual([]);
  });
});

describe('a container that was started as Edge', () => {
  it('has a health check at its own port', async () => {
    const service = await startTestService();
    try {
      const { port } = new URL(service.url);
      for (const [args, environment] of [
        [['health', '-e', service.url], {}],
        [['health', '--edge-url', service.url], {}],
        [['ready'], { EDGE_URL: service.url }],
        [['health'], { UPSTREAM_URL: 'http://upstream', PORT: port, INTERFACE: '127.0.0.1' }],
      ] as const) {
        expect([args, (await burgee(args, environment)).code]).toEqual([args, 0]);
      }
      const { code, err } = await burgee(['health', '-e', service.url, '-c', '/no/such.pem']);
      expect([code, err]).toEqual([1, 'burgee health: /no/such.pem cannot be read: ENOENT\n']);
      expect((await burgee(['health'], { UPSTREAM_URL: 'http://upstream' })).err).toContain('127.0.0.1:3063');
      // Its options were passed on the command line: the environment does not contain them.
      const nowhere = await burgee(['health'], { LOG_FORMAT: 'plain', HTTP_HOST: '127.0.0.250' });
      expect([nowhere.code, nowhere.err]).toEqual([1, expect.stringContaining('--edge-url http://127.0.0.1:3063')]);
      const healthy = await burgee(['health'], { LOG_FORMAT: 'plain', PORT: port, HTTP_HOST: '127.0.0.1' });
      expect([healthy.code, healthy.err]).toEqual([0, '']);
    } finally {
      await service.close();
    }
  });

  it('can print its options as those of a relay', async () => {
    const environment = {
      UPSTREAM_URL: 'http://upstream',
      TOKENS: '*:development.secret-word',
      PORT: '99',
      WORKERS: '2',
    };
    const { code, out, err } = await burgee(['config', '--for', 'relay', '--changed'], environment);
    expect([code, err]).toEqual([0, expect.stringMatching(/^warning: WORKERS has no effect here.*\n$/)]);
    expect(out).toMatch(/^UPSTREAM_URL +http:\/\/upstream +UPSTREAM_URL$/m);
    expect(out).toMatch(/^TOKENS +\*\*\* +TOKENS$/m);
    expect(out).toMatch(/^HTTP_PORT +99 +PORT$/m);
    expect(out).not.toContain('secret-word');
    const signedOn = { ...environment, UPSTREAM_URL: 'https://me:secret-word@upstream/flags' };
    const shown = await burgee(['config', '--for', 'relay', '--changed'], signedOn);
    expect(shown.out).toMatch(/^UPSTREAM_URL +https:\/\/\*\*\*@upstream\/flags +UPSTREAM_URL$/m);
    const wrong = await burgee(['config', '--for', 'relay'], { UPSTREAM_URL: 'https://me:secret/word@upstream' });
    expect(wrong.err).toContain('not "***@upstream"');
    for (const text of [shown.out, shown.err, wrong.out, wrong.err]) expect(text).not.toMatch(/secret|word/);
    expect((await burgee(['config', '--for', 'relay'], {})).err).toContain('specify the address of upstream');
    expect((await burgee(['config', '--for', 'nobody'], {})).code).toBe(2);
    const offline = await burgee(['config', '--for', 'offline'], {});
    expect(offline.out).toMatch(/^HTTP_PORT +3063 +default$/m);
    expect(offline.out).toMatch(/^RELOAD_INTERVAL +0 +default$/m);
  });
});

describe('burgee config', () => {
  const environment = { HTTP_PORT: '', PORT: '4000', REDIS_URL: 'redis://me:secret-word@host', TAGS_LIMIT: '7' };

  it('prints the options of a service and their sources, without secrets', async () => {
    const { code, out, err } = await burgee(['config'], environment);
    expect([code, err]).toEqual([0, '']);
    expect(out).toMatch(/^PORT +4000 +PORT$/m);
    expect(out).toMatch(/^DATA_DIR +\.\/data +default$/m);
    expect(out).toMatch(/^REDIS_URL +\*\*\* +REDIS_URL$/m);
    expect(out).not.toContain('secret-word');
  });

  it('prints only options that are set with --changed, also as JSON', async () => {
    const options = JSON.parse((await burgee(['config', '--changed', '--json'], environment)).out) as object[];
    expect(options).toContainEqual(expect.objectContaining({ variable: 'PORT', value: '4000', from: ['PORT'] }));
    expect(options.length).toBe(3 - unknownVariables(environment).warnings.length);
  });

  it('refuses the same options as a service', async () => {
    expect(await burgee(['config'], { HTTP_PORT: 'many' })).toMatchObject({
      code: 1,
      err: expect.stringContaining('HTTP_PORT must be'),
    });
    expect(await burgee(['config'], { REDISURL: 'x' })).toMatchObject({
      code: 1,
      err: expect.stringContaining('is REDIS_URL meant?'),
    });
    expect(await burgee(['config'], { HTTPPORT: '1' })).toMatchObject({
      code: 0,
      err: expect.stringContaining('warning'),
    });
    expect((await burgee(['config'], { HTTPPORT: '1', STRICT_CONFIG: 'true' })).code).toBe(1);
  });
});

describe('the program beside a running service', () => {
  let service: TestService;
  const beside = (args: readonly string[], token = ADMIN_TOKEN) =>
    burgee([...args, '--url', `${service.url}/`], { BURGEE_TOKEN: token });

  beforeAll(async () => {
    service = await startTestService();
  });

  afterAll(() => service.close());

  it('reports its health and readiness', async () => {
    expect(await beside(['health'])).toMatchObject({ code: 0, out: expect.stringContaining('GOOD') });
    expect(await beside(['ready'])).toMatchObject({ code: 0, out: expect.stringContaining('READY') });
    const port = new URL(service.url).port;
    expect((await burgee(['health'], { HTTP_PORT: port })).code).toBe(0);
    expect(await burgee(['ready', '--url', UNUSED_URL])).toMatchObject({
      code: 1,
      err: expect.stringMatching(/^burgee ready: no answer .*\n$/),
    });
    expect((await burgee(['health', '--url', 'localhost'])).err).toContain('--url must be');
  });

  it('refuses an unknown token, a time in the past and an unknown type, each with its name', async () => {
    const create = ['token', 'create', '--name', 'x', '--type'];
    for (const [args, exitCode, text] of [
      [['token', 'delete', 'nope'], 1, /^burgee token: no token has this handle or secret: see burgee token list\n$/],
      [
        [...create, 'clientt'],
        2,
        /^burgee token: --type must be one of client, backend, frontend, admin, not "clientt"\n$/,
      ],
      [
        [...create, 'client', '--expires-at', '2020-01-01T00:00:00Z'],
        2,
        /^burgee token: --expires-at must be a time in the future/,
      ],
      [[...create, 'client', '--expires-at', 'soon'], 2, /^burgee token: --expires-at must be a time in the future/],
    ] as const) {
      const { code, out, err } = await beside(args);
      expect([args, code, out]).toEqual([args, exitCode, '']);
      expect(err).toMatch(text);
    }
  });

  it('creates a valid token, lists it without its secret, and deletes it', async () => {
    const made = await beside(['token', 'create', '--name', 'ci', '--type', 'client', '--project', 'default']);
    expect(made).toMatchObject({ code: 0, err: '' });
    const secret = made.out.trim();
    expect(secret).toMatch(/^default:development\./);
    expect((await service.call('getAllClientFeatures', { token: secret })).status).toBe(200);
    const { out } = await beside(['token', 'list']);
    expect(out).toMatch(/^ci\tclient\tdevelopment\tdefault\tnever\t[0-9a-f]{12}$/m);
    expect(out).not.toContain(secret);
    const asJson = await beside(['token', 'list', '--json']);
    const listed = asJson.out.split('\n').flatMap((line) => (line === '' ? [] : JSON.parse(line)));
    expect(listed).toContainEqual(
      expect.objectContaining({ tokenName: 'ci', type: 'client', handle: expect.stringMatching(/^[0-9a-f]{12}$/) }),
    );
    for (const text of [secret, ADMIN_TOKEN, CLIENT_TOKEN]) expect(asJson.out).not.toContain(text);
    expect((await beside(['token', 'delete', secret, '--json'])).code).toBe(2);
    expect((await beside(['token', 'delete', secret])).code).toBe(0);
    expect((await service.call('getAllClientFeatures', { token: secret })).status).toBe(401);
  });

  it('reports refusals of the service', async () => {
    const create = ['token', 'create', '--name', 'ci', '--type', 'client'];
    expect((await beside([...create, '--environment', 'nowhere'])).err).toMatch(
      /^burgee token: the service refused: 4\d\d .+\n$/,
    );
    expect((await beside(create, CLIENT_TOKEN)).err).toMatch(/refused: 40[13] /);
    expect((await beside(['token', 'create', '--name', 'ci'])).err).toContain('--type');
    expect((await burgee(create, {})).err).toContain('BURGEE_TOKEN');
  });
});

describe.each(['readable', 'hashed'])('the program beside a service whose secrets are %s', (kept) => {
  it('deletes the token with a handle from the list, and no other token with the same name', async () => {
    const service = await startTestService({ env: { API_TOKEN_SECRETS: kept } });
    onTestFinished(() => service.close());
    const beside = (...args: string[]) =>
      burgee(['token', ...args, '--url', service.url], { BURGEE_TOKEN: ADMIN_TOKEN });
    const secrets: string[] = [];
    for (let count = 0; count < 3; count++)
      secrets.push((await beside('create', '--name', 'twin', '--type', 'client')).out.trim());
    const { out } = await beside('list');
    const [handle = ''] = [...out.matchAll(/^twin\t.*\t([0-9a-f]{12})$/gm)].map(([, found]) => found);
    expect((await beside('delete', handle)).code).toBe(0);
    const answers = secrets.map((token) => service.call('getAllClientFeatures', { token }));
    expect((await Promise.all(answers)).map(({ status }) => status).sort()).toEqual([200, 200, 401]);
    expect(await beside('delete', handle)).toMatchObject({
      code: 1,
      err: `burgee token: no token has the handle ${handle}: see burgee token list\n`,
    });
  });
});
