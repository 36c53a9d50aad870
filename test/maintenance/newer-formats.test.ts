import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Packr } from 'msgpackr';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { systemClock } from '../../src/base/clock.ts';
import { silentLogger } from '../../src/base/logger.ts';
import { checkBackup, stageInFile } from '../../src/maintenance/backup-file.ts';
import { BACKUP_FORMAT, encodePreamble, MAGIC } from '../../src/maintenance/backup-format.ts';
import { COMMIT_FORMAT, encodeCommit } from '../../src/state/commit.ts';
import { encodeSnapshot, SNAPSHOT_FORMAT } from '../../src/state/snapshot.ts';
import { State } from '../../src/state/state.ts';
import { LmdbStore } from '../../src/stores/lmdb/lmdb-store.ts';
import { RedisStore } from '../../src/stores/redis/redis-store.ts';
import type { EventEntry, Store } from '../../src/stores/store.ts';
import { BurgeeProcess } from '../support/burgee-process.ts';
import { RedisServer } from '../support/redis.ts';
import { commitAt, writeHistory } from './histories.ts';
import { expectRefusal } from './store-command.ts';

let redis: RedisServer;
let root: string;

beforeAll(async () => {
  redis = await RedisServer.start();
});
afterAll(() => redis.dispose());
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'burgee-formats-'));
});
afterEach(() => {
  redis.cli('FLUSHALL');
  rmSync(root, { recursive: true, force: true });
});

const packr = new Packr({ useRecords: false });

/** What the next version may write: a header that says so, then things that this one cannot know. */
async function* newerSnapshot(): AsyncGenerator<Uint8Array> {
  yield Uint8Array.from(
    new Packr({ useRecords: true }).pack({ kind: 'header', format: SNAPSHOT_FORMAT + 1, seq: 4, lastEventId: 6 }),
  );
  yield Uint8Array.from(packr.pack({ kind: 'columns', of: 'features', names: ['a'] }));
}

const newerCommit = () => Uint8Array.from(packr.pack([COMMIT_FORMAT + 1, { seq: 4, tables: [] }]));
const newerEvent = () => Uint8Array.from(packr.pack([COMMIT_FORMAT + 1, { number: 7 }]));

/** How a history gets something of the next version, and what this version says to it. */
const NEWER: readonly [string, (store: Store) => Promise<unknown>, RegExp][] = [
  [
    'a snapshot',
    (store) => store.saveSnapshot(3, newerSnapshot()).then(() => store.trim(3)),
    /snapshot has format 2; this Burgee reads format 1/,
  ],
  [
    'a log record',
    (store) =>
      store.append({ expectedTip: 3, writeId: 'newer', entries: [{ seq: 4, bytes: newerCommit() }], events: [] }),
    /log record has format 2; this Burgee reads format 1/,
  ],
];

const lmdb = () => new LmdbStore({ directory: join(root, 'data'), logger: silentLogger });
const inRedis = () =>
  new RedisStore({ url: redis.url, logger: silentLogger, clock: systemClock, timeouts: { graceMs: 0 } });

/** A history in the store, with what `add` does to it. */
async function prepare(store: Store, add: (store: Store) => Promise<unknown>): Promise<void> {
  await store.open();
  await writeHistory(store);
  await add(store);
  await store.close();
}

/** Everything that the store holds. */
async function contentOf(store: Store): Promise<unknown> {
  const opening = await store.open();
  const snapshot = await store.loadSnapshot();
  const pieces: string[] = [];
  for await (const piece of snapshot?.pieces ?? []) pieces.push(Buffer.from(piece).toString('hex'));
  const log = (await store.read(opening.firstSeq, 100)).map(({ bytes }) => Buffer.from(bytes).toString('hex'));
  const events = (await store.readEventsForward(1, 100)).map(({ bytes }) => Buffer.from(bytes).toString('hex'));
  await store.close();
  return { opening, info: snapshot?.info, pieces, log, events };
}

/** The service refuses to start: exit code 1, one line for people. */
async function expectNoStart(env: Readonly<Record<string, string>>, message: RegExp): Promise<void> {
  const service = new BurgeeProcess({ LOG_LEVEL: 'fatal', DATA_DIR: join(root, 'data'), ...env });
  const timer = setTimeout(() => void service.stop(), 20_000);
  const code = await service.exited;
  clearTimeout(timer);
  expect({ code, stdout: service.stdout }, service.stderr).toEqual({ code: 1, stdout: '' });
  expect(service.stderr).toMatch(message);
  expect(service.stderr).toMatch(/^burgee cannot start: .*\n$/);
}

describe('a service that finds what a newer Burgee wrote', () => {
  for (const [name, add, message] of NEWER) {
    it(`${name} in LMDB, does not start, and leaves it as it is`, async () => {
      await prepare(lmdb(), add);
      const before = await contentOf(lmdb());
      await expectNoStart({}, message);
      expect(await contentOf(lmdb())).toEqual(before);
    });

    it(`${name} in Redis, does not start, and leaves it as it is`, async () => {
      await prepare(inRedis(), add);
      const before = await contentOf(inRedis());
      await expectNoStart({ REDIS_URL: redis.url }, message);
      expect(await contentOf(inRedis())).toEqual(before);
    });
  }

  it('keys of another format in Redis, does not start, and leaves them as they are', async () => {
    await prepare(inRedis(), async () => {});
    redis.cli('HSET', '{burgee}:meta', 'format', '2');
    const before = redis.cli('HGETALL', '{burgee}:meta');
    await expectNoStart({ REDIS_URL: redis.url }, /the log has format 2; this Burgee reads format 1/);
    expect(redis.cli('HGETALL', '{burgee}:meta')).toBe(before);
  });
});

describe('a replica that hears of a commit of a newer Burgee while it runs', () => {
  it('says so, serves what it has, and writes nothing on top of it', async () => {
    const tokens = {
      INIT_ADMIN_API_TOKENS: '*:*.formats-admin',
      INIT_CLIENT_API_TOKENS: '*:development.formats-client',
    };
    const service = new BurgeeProcess({ REDIS_URL: redis.url, DATA_DIR: join(root, 'data'), ...tokens });
    const store = inRedis();
    try {
      const url = await service.url();
      const { tip } = await store.open();
      const entries = [{ seq: tip + 1, bytes: newerCommit() }];
      expect(await store.append({ expectedTip: tip, writeId: 'newer', entries, events: [] })).toEqual({
        status: 'appended',
      });
      await service.logged(/the log cannot be followed/);
      expect(service.stderr).toContain('log record has format 2; this Burgee reads format 1');
      const authorization = { authorization: '*:development.formats-client' };
      expect((await fetch(`${url}/api/client/features`, { headers: authorization })).status).toBe(200);
      const write = await fetch(`${url}/api/admin/projects/default/features`, {
        method: 'POST',
        headers: { authorization: '*:*.formats-admin', 'content-type': 'application/json' },
        body: '{"name":"on-top"}',
      });
      expect(write.status).toBe(503);
      expect(await store.tip()).toBe(tip + 1);
    } finally {
      await service.stop();
      await store.close();
    }
  });
});

describe('a move that finds what a newer Burgee wrote', () => {
  const newEvent: (typeof NEWER)[number] = [
    'an audit event',
    // The commit is of this version: the state can be read, and only the event tells.
    (store) => {
      const entries = [{ seq: 4, bytes: encodeCommit(commitAt(4, 7, 1)) }];
      return store.append({ expectedTip: 3, writeId: 'w4', entries, events: [{ id: 7, bytes: newerEvent() }] });
    },
    /event record is not of format 1/,
  ];

  for (const [name, add, message] of [...NEWER, newEvent]) {
    it(`${name}, is refused, and the target stays empty`, async () => {
      for (const [store, place] of [
        [lmdb(), `lmdb:${join(root, 'data')}`],
        [inRedis(), redis.url],
      ] as const) {
        await prepare(store, add);
        await expectRefusal(['copy', '--from', place, '--to', `lmdb:${join(root, 'target')}`], message);
        await expectRefusal(['backup', '--from', place, '--to', join(root, 'backup')], message);
      }
      await expectRefusal(['digest', '--from', `lmdb:${join(root, 'target')}`], /there is no store/);
      await expectRefusal(['digest', '--from', `file:${join(root, 'backup')}`], /ENOENT/);
    });
  }
});

describe('a backup of a newer Burgee', () => {
  const history = { seq: 3, lastEventId: 6, ancestor: { epoch: 'e', seq: 3, writeId: '' } };
  const path = () => join(root, 'newer.backup');

  it('is refused by its format, before anything is written', async () => {
    const preamble = encodePreamble();
    preamble.writeUInt32LE(BACKUP_FORMAT + 1, MAGIC.length);
    writeFileSync(path(), Buffer.concat([preamble, Buffer.from('whatever it has')]));
    await expectRefusal(
      ['restore', '--from', path(), '--to', redis.url],
      /newer.backup has format 2; this Burgee reads format 1/,
    );
    expect(redis.cli('KEYS', '*').trim()).toBe('');
  });

  it('is refused by what is in it: a snapshot, an audit event', async () => {
    const cases: [AsyncIterable<Uint8Array>, EventEntry[], RegExp][] = [
      [newerSnapshot(), [], /snapshot has format 2/],
      [encodeSnapshot(stateAt(3)), [{ id: 6, bytes: newerEvent() }], /event record is not of format 1/],
    ];
    for (const [pieces, events, message] of cases) {
      rmSync(path(), { force: true });
      const staging = await stageInFile(path(), history);
      await staging.putSnapshot(pieces);
      await staging.putEvents(events);
      await staging.seal();
      await staging.commit();
      await staging.close();
      expect(await checkBackup(path())).toEqual(history);
      await expectRefusal(['restore', '--from', path(), '--to', redis.url], message);
      await expectRefusal(['restore', '--from', path(), '--to', `lmdb:${join(root, 'target')}`], message);
      expect(redis.cli('KEYS', '*').trim()).toBe('');
      await expectRefusal(['digest', '--from', `lmdb:${join(root, 'target')}`], /there is no store/);
    }
  });
});

function stateAt(seq: number): State {
  const state = new State();
  state.seq = seq;
  state.lastEventId = 6;
  return state;
}
