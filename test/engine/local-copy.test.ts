import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { systemClock } from '../../src/base/clock.ts';
import { silentLogger } from '../../src/base/logger.ts';
import { LocalCopyKeeper, loadLocalCopy } from '../../src/engine/local-copy.ts';
import { Replica } from '../../src/engine/replica.ts';
import { type Change, encodeCommit } from '../../src/state/commit.ts';
import { State } from '../../src/state/state.ts';
import { filesWith } from '../support/http/raw-bytes.ts';
import { SharedMemoryStore } from './shared-memory-store.ts';

async function writeTo(store: SharedMemoryStore, replica: Replica, changes: readonly Change[]): Promise<void> {
  const seq = replica.state.seq + 1;
  const writeId = `write-${seq}`;
  const by = { id: 1, name: 'test' };
  const events = { firstId: 0, count: 0 };
  const bytes = encodeCommit({ seq, writeId, at: '2026-01-01T00:00:00.000Z', by, changes, touched: [], events });
  await store.append({ expectedTip: seq - 1, writeId, entries: [{ seq, bytes }], events: [] });
  await replica.catchUp();
}

describe('the temporary file of a process that was killed while it saved its copy', () => {
  let directory: string;

  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), 'burgee-copy-'));
  });

  afterEach(() => rmSync(directory, { recursive: true }));

  const leave = (owner: string): string => {
    const name = `replica.copy.${owner}.tmp`;
    writeFileSync(join(directory, name), 'half a copy, with secrets of tokens');
    return name;
  };

  const afterStart = async (): Promise<string[]> => {
    await loadLocalCopy(directory, silentLogger);
    return readdirSync(directory).sort();
  };

  it('is removed at the next start, which has another process id', async () => {
    const { pid } = spawnSync(process.execPath, ['--version']);
    leave(`${hostname()}.${pid}`);
    expect(await afterStart()).toEqual([]);
  });

  it('is removed if the next start has the same process id or another host name, as in containers', async () => {
    leave(`${hostname()}.${process.pid}`);
    leave('0f3c.of-a.container.1');
    expect(await afterStart()).toEqual([]);
  });

  it('is not confused with a file that a running process is writing, or with a copy that was set aside', async () => {
    const written = leave(`${hostname()}.${process.ppid}`);
    writeFileSync(join(directory, 'replica.copy.2026-01-01T00-00-00.000Z'), 'a copy of another history');
    writeFileSync(join(directory, 'somebody-else.1.tmp'), '');
    const names = ['replica.copy.2026-01-01T00-00-00.000Z', written, 'somebody-else.1.tmp'].sort();
    expect(await afterStart()).toEqual(names);
  });

  it('is removed if its process id is in use again, but it was not changed for a long time', async () => {
    const path = join(directory, leave(`${hostname()}.${process.ppid}`));
    utimesSync(path, new Date(0), new Date(0));
    expect(await afterStart()).toEqual([]);
  });
});

describe('a local copy of a state from which a secret was removed', () => {
  it('records the commit that removed it, until the secret is erased', async () => {
    const directory = mkdtempSync(join(tmpdir(), 'burgee-copy-'));
    const store = new SharedMemoryStore();
    await store.open();
    const replica = new Replica(new State(), store);
    const secret = '*:*.secret';
    const write = (change: Change) => writeTo(store, replica, [change]);
    const dates = { createdAt: '2026-01-01T00:00:00.000Z', expiresAt: null, seenAt: null, alias: null };
    const token = { secret, tokenName: 'token', type: 'admin' as const, environment: '*', projects: ['*'], ...dates };
    await write({ collection: 'apiTokens', key: secret, entity: token });
    await write({ collection: 'apiTokens', key: secret });
    await write({ collection: 'tagTypes', key: 'later' });
    const keeper = new LocalCopyKeeper(replica, store, systemClock, silentLogger, { directory, everyMs: 10 });
    const savedSeq = async () => {
      await keeper.save();
      return (await loadLocalCopy(directory, silentLogger))?.secretDroppedSeq;
    };
    expect(await savedSeq()).toBe(2);
    replica.erasedThrough(1);
    expect(await savedSeq()).toBe(2);
    // The state itself does not change.
    replica.erasedThrough(2);
    expect(await savedSeq()).toBe(0);
    rmSync(directory, { recursive: true });
  });
});

describe('a local copy that was being saved while something was removed', () => {
  let directory: string;

  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), 'burgee-copy-'));
  });

  afterEach(() => rmSync(directory, { recursive: true }));

  it('is saved again without the removed content, even if nothing changes afterwards', async () => {
    const store = new SharedMemoryStore();
    await store.open();
    const replica = new Replica(new State(), store);
    const write = (changes: readonly Change[]) => writeTo(store, replica, changes);
    const tagType = (name: string, description: string): Change => {
      return { collection: 'tagTypes', key: name, entity: { name, description, icon: null, color: null } };
    };
    const others = Array.from({ length: 8_000 }, (_, index) => tagType(`tag-${index}`, 'x'.repeat(300)));
    await write([tagType('removed', 'what nobody may read'), ...others]);
    const keeper = new LocalCopyKeeper(replica, store, systemClock, silentLogger, { directory, everyMs: 10 });
    const saving = keeper.save();
    // The first part of the state is in the file, and most of it is not.
    while (filesWith(directory, 'what nobody may read').length === 0) await setImmediate();
    await write([{ collection: 'tagTypes', key: 'removed' }]);
    await saving;
    expect((await loadLocalCopy(directory, silentLogger))?.position.seq).toBe(2);
    expect(filesWith(directory, 'what nobody may read')).toEqual(['replica.copy']);
    await keeper.save();
    expect(filesWith(directory, 'what nobody may read')).toEqual([]);
  });
});
