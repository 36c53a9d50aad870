import { createServer, type Server } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { parseConnectionString } from '../../../src/stores/redis/connection-string.ts';
import { checkServer } from '../../../src/stores/redis/server-check.ts';
import { Session } from '../../../src/stores/redis/session.ts';
import { RedisServer } from '../../support/programs/redis.ts';

const closers: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

const check = async (port: number) => {
  const target = parseConnectionString(`redis://127.0.0.1:${port}`);
  const session = await Session.open(target, { host: '127.0.0.1', port }, { connectMs: 60_000, commandMs: 60_000 });
  try {
    return await checkServer(session, target);
  } finally {
    session.drop('checked');
  }
};

/** A server that answers INFO with these fields, and CONFIG GET with this value. No Redis of another version is installed, and no disk is damaged. */
async function answering(fields: Readonly<Record<string, string>>, appendfsync: string): Promise<number> {
  const info = Object.entries({ redis_mode: 'standalone', role: 'master', ...fields })
    .map(([name, value]) => `${name}:${value}\r\n`)
    .join('');
  const bulk = (text: string) => `$${text.length}\r\n${text}\r\n`;
  const server: Server = createServer((socket) => {
    socket.on('error', () => {});
    socket.on('data', (piece) => {
      const isInfo = String(piece).toUpperCase().includes('INFO');
      socket.write(isInfo ? bulk(info) : `*2\r\n${bulk('appendfsync')}${bulk(appendfsync)}`);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  closers.push(() => new Promise((resolve) => server.close(resolve)));
  return (server.address() as { port: number }).port;
}

describe('the check of a Redis server', () => {
  it.each(['5.0.14', '6.0.16'])('refuses a version that lacks commands: %s', async (version) => {
    const port = await answering({ redis_version: version }, 'always');
    await expect(check(port)).rejects.toMatchObject({
      message: `the server is Redis ${version}; 6.2 or newer is needed`,
      isLasting: true,
    });
  });

  it('accepts the oldest version that has all commands', async () => {
    const port = await answering({ redis_version: '6.2.0', aof_enabled: '1', run_id: 'run' }, 'always');
    expect(await check(port)).toEqual({ runId: 'run.', lineageId: '', version: '6.2.0', findings: [] });
  });

  it('finds each setting with which commits may be lost', async () => {
    const fields = { redis_version: '7.2.4', aof_enabled: '1', aof_last_write_status: 'err' };
    const port = await answering({ ...fields, maxmemory_policy: 'volatile-ttl' }, 'no');
    expect((await check(port)).findings).toEqual([
      'the server failed to write its append-only file: look at its log and its disk',
      'appendfsync is no: acknowledged commits can be lost. Set appendfsync always',
      'maxmemory-policy is volatile-ttl: the server may drop the log. Set maxmemory-policy noeviction',
    ]);
  });

  it('says what it cannot read on a server that does not allow CONFIG', async () => {
    const server = await RedisServer.start();
    closers.push(() => server.dispose());
    await server.command('ACL', 'SETUSER', 'default', '-config');
    expect((await check(server.port)).findings).toEqual([
      'appendfsync cannot be read (CONFIG is not allowed): make sure that it is always',
    ]);
  });

  it('refuses a replica of another server', async () => {
    const server = await RedisServer.start();
    closers.push(() => server.dispose());
    await server.command('REPLICAOF', '127.0.0.1', '1');
    await expect(check(server.port)).rejects.toThrow('the server is a replica (role slave): it cannot be written to');
  });
});
