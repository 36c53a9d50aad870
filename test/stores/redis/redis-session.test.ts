import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { parseConnectionString } from '../../../src/stores/redis/connection-string.ts';
import { LostAnswerError, NotSentError, RefusedError, Session } from '../../../src/stores/redis/session.ts';
import { RedisServer } from '../../support/programs/redis.ts';

describe('a command to Redis', () => {
  let server: RedisServer;
  let session: Session;

  beforeEach(async () => {
    server = await RedisServer.start();
    const address = { host: '127.0.0.1', port: server.port };
    session = await Session.open(parseConnectionString(server.url), address, { connectMs: 2_000, commandMs: 5_000 });
  });
  afterEach(async () => {
    session.drop('the test has ended');
    await server.dispose();
  });

  const errorOf = (command: Promise<unknown>) => command.then(() => undefined).catch((error: unknown) => error);

  it('certainly has no effect if the connection ended before it', async () => {
    session.drop('no longer wanted');
    expect(await errorOf(session.command('SET', 'key', 'value'))).toBeInstanceOf(NotSentError);
    expect((await server.command('EXISTS', 'key')).trim()).toBe('0');
  });

  it('certainly has no effect if the server ended before it', async () => {
    await server.kill();
    await session.endReason;
    expect(await errorOf(session.command('PING'))).toBeInstanceOf(NotSentError);
    await server.start();
  });

  it('may have an effect if the connection ends before the answer', async () => {
    server.signal('SIGSTOP');
    const command = errorOf(session.command('SET', 'key', 'value'));
    await server.kill();
    expect(await command).toBeInstanceOf(LostAnswerError);
    await server.start();
  });

  it('certainly has no effect if the server refuses it', async () => {
    expect(await errorOf(session.command('SET', 'key'))).toBeInstanceOf(RefusedError);
  });
});
