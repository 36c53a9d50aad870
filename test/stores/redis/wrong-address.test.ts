import { writeFileSync } from 'node:fs';
import { createServer, type Server, type Socket } from 'node:net';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { freePort } from '../../../bench/support/free-port.ts';
import { systemClock } from '../../../src/base/clock.ts';
import { silentLogger } from '../../../src/base/logger.ts';
import { parseConnectionString } from '../../../src/stores/redis/connection-string.ts';
import { RedisStore } from '../../../src/stores/redis/redis-store.ts';
import { explained } from '../../../src/stores/redis/wrong-address.ts';
import { selfSigned } from '../../support/programs/certificate.ts';
import { RedisServer, type RedisServerOptions } from '../../support/programs/redis.ts';
import { until } from '../../support/until.ts';
import { TEST_TIMEOUTS } from './redis-replica.ts';

/** Longer than a test may last: only a store that does not try for ever rejects earlier. */
const OPEN_MS = 600_000;

const closers: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

async function redis(options: RedisServerOptions = {}): Promise<RedisServer> {
  const server = await RedisServer.start(options);
  closers.push(() => server.dispose());
  return server;
}

/** A server of another kind: `answer` gets each piece that a client sends. */
async function other(answer: (socket: Socket, piece: string) => void): Promise<number> {
  const sockets = new Set<Socket>();
  const server: Server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => {});
    socket.on('data', (piece) => answer(socket, String(piece)));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  closers.push(async () => {
    for (const socket of sockets) socket.destroy();
    await new Promise((resolve) => server.close(resolve));
  });
  return (server.address() as { port: number }).port;
}

function storeAt(url: string, openMs = OPEN_MS): RedisStore {
  const timeouts = { ...TEST_TIMEOUTS, graceMs: 0, openMs };
  const store = new RedisStore({ url, logger: silentLogger, clock: systemClock, timeouts });
  closers.push(() => store.close());
  return store;
}

/** Expects that the store ends its start by itself, and returns the sentence. */
async function refusedAt(url: string): Promise<string> {
  const store = storeAt(url);
  const message = await store.open().then(
    () => 'opened',
    (error: Error) => error.message,
  );
  expect(store.status()).toMatchObject({ reachable: false, refusal: 'unfit-server' });
  return message;
}

/** Expects that the store goes on trying, and returns what it says meanwhile, once it says `expected`. */
async function triedAt(url: string, expected: string): Promise<string> {
  const store = storeAt(url);
  const opening = store.open().catch(() => 'closed');
  const status = await until(
    () => store.status() as { readonly reason?: string; readonly refusal?: string },
    ({ reason }) => reason?.includes(expected) === true,
  );
  expect(status.refusal).toBe('unreachable');
  expect(await Promise.race([opening, Promise.resolve('still trying')])).toBe('still trying');
  return status.reason ?? '';
}

describe('a wrong REDIS_URL gets one sentence that says what to change', () => {
  it('a node of a cluster, and a server that is part of none', async () => {
    const node = await redis({ args: ['--cluster-enabled', 'yes'] });
    expect(await refusedAt(node.url)).toContain(`let REDIS_URL begin with redis-cluster://127.0.0.1:${node.port}`);
    const alone = await redis();
    const url = alone.url.replace('redis:', 'redis-cluster:');
    expect(await refusedAt(url)).toContain(`not part of a cluster: let REDIS_URL begin with ${alone.url}`);
  });

  it('a Sentinel, a server that is none, and a name that the Sentinel does not know', async () => {
    const sentinel = await redis({ sentinel: [] });
    const direct = await refusedAt(sentinel.url);
    expect(direct).toContain(`is a Sentinel: let REDIS_URL begin with redis-sentinel://127.0.0.1:${sentinel.port}/`);
    const alone = await redis();
    const asSentinel = `${alone.url.replace('redis:', 'redis-sentinel:')}/main`;
    expect(await refusedAt(asSentinel)).toContain(`is no Sentinel: let REDIS_URL begin with ${alone.url}`);
    const unknown = `${sentinel.url.replace('redis:', 'redis-sentinel:')}/nobody`;
    expect(await triedAt(unknown, 'correct the name')).toContain('it knows no server "nobody"');
  });

  it('a database that does not exist', async () => {
    const server = await redis({ args: ['--databases', '2'] });
    expect(await refusedAt(`${server.url}/7`)).toContain('has no database 7: correct the number at the end');
  });

  it('a proxy that refuses commands, with an answer or by closing the connection', async () => {
    const answering = await other((socket) => socket.write("-ERR unknown command 'INFO'\r\n"));
    expect(await refusedAt(`redis://127.0.0.1:${answering}`)).toContain('name the Redis server behind it');
    const envoy = await other((socket) => socket.write("-ERR unsupported command 'info'\r\n"));
    expect(await refusedAt(`redis://127.0.0.1:${envoy}`)).toContain('name the Redis server behind it');
    // As twemproxy does. A server that is ending does the same, so it is tried again.
    const closing = await other((socket) => socket.end());
    const said = await triedAt(`redis://127.0.0.1:${closing}`, 'at the first command');
    expect(said).toContain('Let REDIS_URL name the Redis server itself');
  });

  it('a web server, a closed port and an unknown host', async () => {
    const web = await other((socket) => socket.end('HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n'));
    expect(await refusedAt(`redis://127.0.0.1:${web}`)).toContain('this is not Redis: another service answers there');
    const said = await triedAt(`redis://127.0.0.1:${await freePort()}`, 'nothing listens there');
    expect(said).toContain('correct host and port in REDIS_URL');
    await triedAt('redis://no-such-host.invalid', 'no such host is known');
  });

  it('a certificate that is not trusted, and a port without TLS', async () => {
    const plain = await redis();
    // Redis itself does not answer; another service answers something else.
    await triedAt(plain.url.replace('redis:', 'rediss:'), 'let REDIS_URL begin with redis://');
    const web = await other((socket) => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n'));
    const withoutTls = await refusedAt(`rediss://127.0.0.1:${web}`);
    expect(withoutTls).toContain('does not speak TLS there: let REDIS_URL begin with redis:// instead of rediss://');
    const { key, certificate } = selfSigned('localhost');
    const directory = plain.directory;
    writeFileSync(join(directory, 'key.pem'), key);
    writeFileSync(join(directory, 'certificate.pem'), certificate);
    const tlsPort = await freePort();
    const paths = ['key.pem', 'certificate.pem'].map((name) => join(directory, name));
    const tls = [
      '--tls-port',
      String(tlsPort),
      '--tls-key-file',
      ...paths.slice(0, 1),
      '--tls-cert-file',
      ...paths.slice(1),
    ];
    await redis({ args: [...tls, '--tls-auth-clients', 'no', '--tls-ca-cert-file', String(paths[1])] });
    const untrusted = await refusedAt(`rediss://127.0.0.1:${tlsPort}`);
    expect(untrusted).toContain('does not trust the certificate of Redis: start it with NODE_EXTRA_CA_CERTS=');
  });

  // A program must trust these certificates before it can find these faults, so the messages of TLS stand for a server.
  it.each([
    ['certificate has expired', 'renew the certificate', false],
    ['certificate is not yet valid', 'correct the clock', false],
    ["Hostname/IP does not match certificate's altnames: Host: a", 'let REDIS_URL name the host', true],
  ])('a certificate: "%s"', (message, advice, isLasting) => {
    const found = explained(new Error(message), parseConnectionString('rediss://127.0.0.1:6379'));
    expect(found).toMatchObject({ name: 'UnfitServerError', isLasting, message: expect.stringContaining(advice) });
  });

  it('and is used as soon as the server is the right one', async () => {
    const port = await freePort();
    const store = storeAt(`redis://127.0.0.1:${port}`);
    const opening = store.open();
    await until(
      () => store.status() as { readonly reason?: string },
      ({ reason }) => reason?.includes('nothing listens') === true,
    );
    const server = await redis();
    await server.command('PING');
    await server.kill();
    server.port = port;
    await server.start();
    await expect(opening).resolves.toMatchObject({ tip: 0 });
  });

  it('does not explain the refusal of a full Redis: the store opens as soon as there is memory', async () => {
    const server = await redis();
    await server.command('CONFIG', 'SET', 'maxmemory', '1');
    const store = storeAt(server.url);
    const opening = store.open();
    await until(
      () => store.status() as { readonly reason?: string },
      ({ reason }) => reason?.includes('OOM') === true,
    );
    await server.command('CONFIG', 'SET', 'maxmemory', '0');
    await expect(opening).resolves.toMatchObject({ tip: 0 });
  });
});
