import { execFileSync, spawn } from 'node:child_process';
import { mkdtemp, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { networkInterfaces, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { VERSION } from '../../src/base/version.ts';
import { head, RawConnection } from '../support/http/raw-http.ts';
import { BurgeeProcess } from '../support/programs/burgee-process.ts';

const ADMIN = '*:*.process-test';
const CLIENT = '*:development.process-test';

let directory: string;
const processes: BurgeeProcess[] = [];

function start(environment: Readonly<Record<string, string>> = {}): BurgeeProcess {
  const burgee = new BurgeeProcess({ DATA_DIR: directory, ...environment });
  processes.push(burgee);
  return burgee;
}

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'burgee-process-'));
});

afterEach(async () => {
  await Promise.all(processes.splice(0).map((burgee) => burgee.stop()));
  await rm(directory, { recursive: true, force: true });
});

describe.each(['SIGTERM', 'SIGINT'] as const)('on %s', (signal) => {
  it('a request in progress is answered, others are refused, and the process ends with 0', async () => {
    const burgee = start({ INIT_ADMIN_API_TOKENS: ADMIN, INIT_CLIENT_API_TOKENS: CLIENT });
    const url = await burgee.url();
    const idle = await RawConnection.open(url);
    idle.write(head('GET /ready HTTP/1.1'));
    expect((await idle.answer())?.status).toBe(200);
    const asking = await RawConnection.open(url);
    const listening = await RawConnection.open(url);
    for (const connection of [asking, listening]) {
      connection.write(head('GET /ready HTTP/1.1'));
      await connection.answer();
    }
    const body = '{"name":"in-flight"}';
    const underWay = await RawConnection.open(url);
    const request = head(
      'POST /api/admin/projects/default/features HTTP/1.1',
      `authorization: ${ADMIN}`,
      'content-type: application/json',
      `content-length: ${body.length}`,
    );
    underWay.write(request + body.slice(0, 5));
    // This answer comes after the head above was read: one event loop handles both.
    idle.write(head('GET /health HTTP/1.1'));
    await idle.answer();

    burgee.process.kill(signal);
    await burgee.logged(new RegExp(`stopping on ${signal}`));
    asking.write(head('GET /ready HTTP/1.1'));
    const ready = await asking.answer();
    expect(ready?.status).toBe(503);
    expect(ready?.headers.get('connection')).toBe('close');
    await asking.closed;
    listening.write(head('GET /api/client/streaming HTTP/1.1', `authorization: ${CLIENT}`));
    // After 429, an SDK would poll from then on.
    expect((await listening.answer())?.status).toBe(503);
    await listening.closed;
    await expect(RawConnection.open(url)).rejects.toThrow();

    underWay.write(body.slice(5));
    const answer = await underWay.answer();
    expect(answer?.status).toBe(201);
    expect(answer?.headers.get('connection')).toBe('close');
    await underWay.closed;
    await idle.closed;
    expect(await burgee.exited).toBe(0);
    expect(burgee.stderr).toMatch(/"tookMs":\d+,"msg":"burgee has stopped"}\n$/);

    const again = start({ INIT_ADMIN_API_TOKENS: ADMIN });
    const kept = await fetch(`${await again.url()}/api/admin/projects/default/features/in-flight`, {
      headers: { authorization: ADMIN },
    });
    expect(kept.status).toBe(200);
  });

  it('a request that never ends delays the stop no longer than GRACEFUL_SHUTDOWN_TIMEOUT', async () => {
    const burgee = start({ INIT_ADMIN_API_TOKENS: ADMIN, GRACEFUL_SHUTDOWN_TIMEOUT: '100' });
    const url = await burgee.url();
    const underWay = await RawConnection.open(url);
    underWay.write(
      head(
        'POST /api/admin/projects/default/features HTTP/1.1',
        `authorization: ${ADMIN}`,
        'content-type: application/json',
        'content-length: 100',
      ),
    );
    await fetch(`${url}/health`);
    burgee.process.kill(signal);
    expect(await burgee.exited).toBe(0);
    await underWay.closed;
  });
});

describe('a stop while contexts are evaluated on every core', () => {
  it('ends what is not finished in time, and logs none of it as a failure', async () => {
    const env = { INIT_ADMIN_API_TOKENS: ADMIN, INIT_CLIENT_API_TOKENS: '*:development.bulk' };
    const burgee = start({ ...env, GRACEFUL_SHUTDOWN_TIMEOUT: '100' });
    const url = await burgee.url();
    const features = Array.from({ length: 4_500 }, (_, index) => ({ name: `flag-${index}` }));
    const data = {
      features,
      featureStrategies: features.map(({ name }) => ({ featureName: name, name: 'default' })),
      featureEnvironments: features.map(({ name }) => ({ featureName: name, enabled: true })),
    };
    const imported = await fetch(`${url}/api/admin/features-batch/import`, {
      method: 'POST',
      headers: { authorization: ADMIN, 'content-type': 'application/json' },
      body: JSON.stringify({ environment: 'development', project: 'default', data }),
    });
    expect(imported.status, await imported.text()).toBe(200);
    const contexts = '{"userId":"1"}\n'.repeat(20_000);
    const streams = [];
    for (let count = 0; count < 4; count++) {
      const stream = await RawConnection.open(url);
      stream.write(
        head(
          'POST /api/client/evaluate HTTP/1.1',
          'authorization: *:development.bulk',
          'content-type: application/x-ndjson',
          // One byte more than arrives: the callers are still sending.
          `content-length: ${contexts.length + 1}`,
        ),
      );
      stream.write(contexts);
      await new Promise((resolve) => stream.socket.once('data', resolve));
      // The test reads and drops the answer: there is always work.
      stream.socket.removeAllListeners('data').resume();
      streams.push(stream);
    }
    // One caller disconnects, which is not a failure either.
    streams[0]?.destroy();
    burgee.process.kill('SIGTERM');
    expect(await burgee.exited).toBe(0);
    for (const stream of streams) stream.destroy();
    expect(burgee.stderr.split('\n').filter((line) => /"level":[56]0|Terminating/.test(line))).toEqual([]);
  });
});

describe('a start that fails', () => {
  it('reports that the port is in use, and ends with 1', async () => {
    const first = start();
    const port = new URL(await first.url()).port;
    const second = start({ HTTP_PORT: port, DATA_DIR: join(directory, 'second') });
    expect(await second.exited).toBe(1);
    expect(second.stderr).toMatch(
      new RegExp(`^burgee cannot start: cannot listen on 127\\.0\\.0\\.1, port ${port}: the port is in use`, 'm'),
    );
    expect(second.stderr).not.toContain('    at ');
    expect(second.stdout).toBe('');
  });

  it('does not use up the first tokens: the next start shows them', async () => {
    const first = start();
    const port = new URL(await first.url()).port;
    const second = start({ HTTP_PORT: port, DATA_DIR: join(directory, 'second') });
    await second.exited;
    const third = start({ DATA_DIR: join(directory, 'second') });
    await third.url();
    // Its two outputs are two pipes: one may be read before the other.
    await expect.poll(() => third.stdout, { timeout: 10_000 }).toContain('first-tokens.txt');
  });

  it.each([
    ['192.0.2.1', 'this machine has no address 192.0.2.1'],
    ['no-such-host.invalid', 'the name no-such-host.invalid cannot be resolved'],
  ])('reports that %s is not an address to listen on', async (host, cause) => {
    const burgee = start({ HTTP_HOST: host });
    expect(await burgee.exited).toBe(1);
    expect(burgee.stderr).toContain(`burgee cannot start: cannot listen on ${host}, port 0: ${cause}`);
  });

  it('reports that a port is for root, when the user is not root', async () => {
    // Root may open any port, unless it drops the capability.
    const wrapper = process.getuid?.() === 0 ? ['setpriv', '--bounding-set=-net_bind_service'] : [];
    const burgee = new BurgeeProcess({ DATA_DIR: directory, HTTP_PORT: '1' }, wrapper);
    processes.push(burgee);
    const unprivilegedFrom = Number(
      await readFile('/proc/sys/net/ipv4/ip_unprivileged_port_start', 'utf8').catch(() => '1024'),
    );
    // In many containers every user may open every port.
    if (unprivilegedFrom <= 1) return void (await burgee.url());
    expect(await burgee.exited).toBe(1);
    expect(burgee.stderr).toContain('port 1: this process may not use the port');
  });

  it('refuses a misspelled variable of the store, with which every process would use its own store', async () => {
    const burgee = start({ REDIS_URI: 'redis://:hush-hush@redis:6379' });
    expect(await burgee.exited).toBe(1);
    expect(burgee.stderr).toMatch(/^burgee cannot start: .*REDIS_URI.*is REDIS_URL meant\?/);
    expect(burgee.stderr).not.toContain('hush-hush');
  });

  it('reports that another process uses the data directory, and ends with 1', async () => {
    await start().url();
    const second = start();
    expect(await second.exited).toBe(1);
    expect(second.stderr).toMatch(/^burgee cannot start: .*(process|in use)/m);
    expect(second.stderr).toContain(directory);
    expect(second.stderr).not.toContain('    at ');
  });

  it.each([
    [{ HTTP_PORT: 'abc' }, 'HTTP_PORT must be a whole number, at most 65535, not "abc"'],
    [{ HTTP_PORT: '70000' }, 'HTTP_PORT must be a whole number, at most 65535, not "70000"'],
    [{ PORT: '-1', HTTP_PORT: '' }, 'PORT must be a whole number, at most 65535, not "-1"'],
    [{ LOG_LEVEL: 'loud' }, 'LOG_LEVEL must be one of debug, info, warn, error, fatal, silent, not "loud"'],
    [{ AUTH_TYPE: 'magic' }, 'AUTH_TYPE must be one of open-source, none, not "magic"'],
    [{ HTTP_SHARE_PORT: 'maybe' }, 'HTTP_SHARE_PORT must be true or false, not "maybe"'],
    [{ BASE_URI_PATH: '/a b' }, 'BASE_URI_PATH must be a path such as /flags, not "/a b"'],
    [{ UNLEASH_URL: 'notaurl' }, 'UNLEASH_URL must be an address such as https://flags.example.com, not "notaurl"'],
    [{ UNLEASH_URL: 'ftp://a' }, 'UNLEASH_URL must be an address such as https://flags.example.com, not "ftp://a"'],
    [{ BODY_LIMIT_BYTES: '0' }, 'BODY_LIMIT_BYTES must be a whole number, at least 1, not "0"'],
    [
      { HANDLER_DEADLINE_MS: '3000000000' },
      'HANDLER_DEADLINE_MS must be a whole number, at least 1, at most 2147483647, not "3000000000"',
    ],
  ])('reports which setting is wrong, and ends with 1: %j', async (environment, message) => {
    const burgee = start(environment as unknown as Record<string, string>);
    expect(await burgee.exited).toBe(1);
    expect(burgee.stderr).toBe(`burgee cannot start: ${message}\n`);
  });

  it('reports which token is wrong without showing it, and ends with 1', async () => {
    const burgee = start({ INIT_ADMIN_API_TOKENS: `${ADMIN},very-secret` });
    expect(await burgee.exited).toBe(1);
    expect(burgee.stderr).toMatch(/burgee cannot start: INIT_ADMIN_API_TOKENS, item 2/);
    expect(burgee.stderr).not.toContain('very-secret');
  });
});

describe('the start', () => {
  it('logs version, Node, store, directory and revision', async () => {
    const burgee = start();
    await burgee.url();
    const [line = ''] = /^.*"burgee serves".*$/m.exec(burgee.stderr) ?? [];
    expect(JSON.parse(line)).toMatchObject({
      version: VERSION,
      node: process.version,
      store: 'embedded',
      directory,
      revision: expect.any(Number),
    });
  });

  it('logs the address of Redis without credentials', async () => {
    const burgee = start({ REDIS_URL: 'redis://someone:hush-hush@127.0.0.1:1/3' });
    const [line = ''] = await burgee.logged(/^.*"burgee starts".*$/m);
    expect(JSON.parse(line)).toMatchObject({ store: 'redis (single)', redis: '127.0.0.1:1/3', keyPrefix: 'burgee' });
    expect(burgee.stderr).not.toContain('hush-hush');
  });

  it('warns of variables whose names are similar to an option', async () => {
    const burgee = start({ LOG_LEVELS: 'debug', UNLEASH_SECRET: 'x' });
    await burgee.url();
    expect(burgee.stderr).toMatch(/LOG_LEVELS, which Burgee does not know: is LOG_LEVEL meant\?/);
    expect(burgee.stderr).toMatch(/UNLEASH_SECRET, which Burgee does not know/);
  });

  const loopback = networkInterfaces().lo ?? networkInterfaces().lo0 ?? [];
  it.each(
    loopback.flatMap(({ address, scopeid }) => (scopeid ? [] : address.includes(':') ? `[${address}]` : address)),
  )('is reachable at %s when no address is configured', async (address) => {
    const burgee = start({ HTTP_HOST: '' });
    const { port } = new URL(await burgee.url());
    expect((await fetch(`http://${address}:${port}/health`)).status).toBe(200);
  });
});

describe('a base path', () => {
  it.each(['flags', '/flags', '/flags/'])('may be written as %s', async (text) => {
    const url = await start({ BASE_URI_PATH: text }).url();
    expect((await fetch(`${url}/flags/health`)).status).toBe(200);
    expect((await fetch(`${url}/health`)).status).toBe(404);
  });
});

describe('the first start on an empty store', () => {
  const tokensIn = (text: string) => text.match(/(\*|\[\]|default):\S+\.[0-9a-f]{20,}/g) ?? [];

  it('writes tokens, a working curl line and a working SDK snippet once to a file for its owner, and logs no secret', async () => {
    const first = start({ BASE_URI_PATH: '/flags', LOG_LEVEL: 'debug' });
    const url = await first.url();
    const [, file = ''] = /cat '(.+)'/.exec(first.stdout) ?? [];
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    const text = await readFile(file, 'utf8');
    const tokens = [...new Set(tokensIn(text))];
    expect(tokens).toHaveLength(3);

    const curl = /^curl .+$/m.exec(text)?.[0] ?? '';
    execFileSync('sh', ['-c', curl.replaceAll('curl -sS', 'curl -sS --fail-with-body')]);
    const [admin = ''] = tokens;
    const flag = await fetch(`${url}/flags/api/admin/projects/default/features/hello`, {
      headers: { authorization: admin },
    });
    expect(await flag.json()).toMatchObject({ name: 'hello', enabled: true });

    const snippet = text.slice(text.indexOf('import {'));
    await symlink(fileURLToPath(new URL('../../node_modules', import.meta.url)), join(directory, 'node_modules'));
    await writeFile(join(directory, 'hello.mjs'), snippet);
    const sdk = spawn(process.execPath, [join(directory, 'hello.mjs')], { stdio: ['ignore', 'pipe', 'inherit'] });
    const said = await new Promise<string>((resolve) =>
      sdk.stdout.once('data', (chunk: Buffer) => resolve(String(chunk))),
    );
    sdk.kill();
    expect(said).toBe('hello is on\n');

    first.process.kill('SIGTERM');
    expect(await first.exited).toBe(0);
    for (const token of tokens) expect(first.stderr).not.toContain(token.slice(-20));
    expect(tokensIn(first.stdout + first.stderr)).toEqual([]);

    const second = start({ BASE_URI_PATH: '/flags' });
    await second.url();
    expect(second.stdout).toBe('');
    expect(tokensIn(second.stderr)).toEqual([]);
  });

  it('shows nothing when environment variables contain tokens', async () => {
    const burgee = start({ INIT_CLIENT_API_TOKENS: '*:development.named-by-the-environment', LOG_LEVEL: 'debug' });
    await burgee.url();
    expect(burgee.stdout).toBe('');
    expect(burgee.stderr).not.toContain('named-by-the-environment');
  });
});
