import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { connect, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type DirectoryLock, lockDirectory } from '../../../src/stores/lmdb/directory-lock.ts';
import { StoreError } from '../../../src/stores/store.ts';

describe('lockDirectory', () => {
  let root: string;
  let locks: DirectoryLock[];

  beforeEach(() => {
    root = mkdtempSync(join(tmpdir(), 'burgee-lock-'));
    locks = [];
  });

  afterEach(async () => {
    for (const lock of locks) await lock.release();
    rmSync(root, { recursive: true, force: true });
  });

  const lock = async (directory = root) => {
    const acquired = await lockDirectory(directory);
    locks.push(acquired);
    return acquired;
  };

  const refusal = async (directory = root) => {
    const error = await lock(directory).then(
      () => undefined,
      (caught) => caught as StoreError,
    );
    expect(error).toBeInstanceOf(StoreError);
    return error?.message ?? '';
  };

  it('refuses a second holder, also in the same process, and names the first one', async () => {
    await lock();
    expect(await refusal()).toContain(`process ${process.pid} on`);
    expect(await refusal()).toContain('DATA_DIR');
  });

  it.each([
    ['answers nothing, as a suspended process does', () => {}],
    ['answers something else', (socket: Socket) => void socket.end('{}')],
  ])('refuses a directory whose holder %s', async (_, answer) => {
    mkdirSync(join(root, 'lock'));
    const sockets: Socket[] = [];
    const holder = createServer((socket) => {
      sockets.push(socket);
      socket.on('error', () => {});
      answer(socket);
    });
    await new Promise<void>((resolve) => holder.listen({ path: join(root, 'lock', '7') }, resolve));
    try {
      expect(await refusal()).toMatch(
        / is in use by another process\. A data directory belongs to one Burgee at a time/,
      );
      expect(readdirSync(join(root, 'lock'))).toEqual(['7']);
    } finally {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => holder.close(resolve));
    }
    // The holder has removed its socket.
    await lock();
    expect(readdirSync(join(root, 'lock'))).toEqual(['1']);
  });

  it('can be acquired again after its release, any number of times, and leaves few files', async () => {
    for (let round = 0; round < 20; round += 1) {
      const acquired = await lock();
      await refusal();
      await acquired.release();
    }
    expect(readdirSync(join(root, 'lock')).length).toBeLessThan(8);
  });

  it('is acquired by exactly one of many concurrent callers', async () => {
    for (let round = 0; round < 10; round += 1) {
      const results = await Promise.allSettled(Array.from({ length: 12 }, () => lock()));
      expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
      for (const acquired of locks.splice(0)) await acquired.release();
    }
  });

  it('locks each directory separately', async () => {
    for (const name of ['a', 'b']) {
      mkdirSync(join(root, name));
      await lock(join(root, name));
    }
    await refusal(join(root, 'a'));
  });

  it('refuses a directory whose path is longer than a socket address may be', async () => {
    const directory = join(root, 'x'.repeat(120));
    mkdirSync(directory, { recursive: true });
    expect(await refusal(directory)).toMatch(/^cannot lock .*: its path is longer than \d+ bytes\. Set DATA_DIR/);
  });

  it('refuses a directory in which no socket can be made', async () => {
    writeFileSync(join(root, 'lock'), 'a file where the sockets would be');
    expect(await refusal()).toMatch(/^cannot lock .*EEXIST.*Set DATA_DIR to a directory on a local disk$/);
  });

  it('removes the files of starts that did not finish, and no other files', async () => {
    const acquired = await lock();
    await acquired.release();
    writeFileSync(join(root, 'lock', 'starting-1-dead'), '');
    writeFileSync(join(root, 'lock', 'README'), 'mine');
    await lock();
    expect(readdirSync(join(root, 'lock')).sort()).toEqual(['1', '2', 'README']);
  });

  it('is released even if a client never closes its connection', async () => {
    const acquired = await lock();
    const socket = connect({ path: join(root, 'lock', '1'), allowHalfOpen: true });
    socket.on('error', () => {});
    await new Promise((resolve) => socket.once('connect', resolve));
    await acquired.release();
    socket.destroy();
    await lock();
  });
});
