import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Packr } from 'msgpackr';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { systemClock } from '../../src/base/clock.ts';
import { silentLogger } from '../../src/base/logger.ts';
import { loadLocalCopy } from '../../src/engine/local-copy.ts';
import { readBackup, stageInFile } from '../../src/products/maintenance/backup-file.ts';
import { COMMIT_FORMAT, EVENT_FORMAT, encodeCommit } from '../../src/state/commit.ts';
import { encodeSnapshot, SNAPSHOT_FORMAT } from '../../src/state/snapshot.ts';
import { State } from '../../src/state/state.ts';
import { LmdbStore } from '../../src/stores/lmdb/lmdb-store.ts';
import { FILE_FORMAT, Framing, MAGIC } from '../../src/stores/local/framed-file.ts';
import { RedisStore } from '../../src/stores/redis/redis-store.ts';
import type { EventEntry, Store } from '../../src/stores/store.ts';
import { BurgeeProcess } from '../support/burgee-process.ts';
import { RedisServer } from '../support/redis.ts';
import { commitAt, writeHistory } from './histories.ts';
import { expectRefusal, tell } from './store-command.ts';

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
const newerEvent = () => Uint8Array.from(packr.pack([EVENT_FORMAT + 1, { number: 7 }]));

const TAG_TYPE = { name: 'early', description: null, icon: null, color: null };

/** A record in the format of this version, which changes what only the next version knows, after something that this one does. */
function recordWith(seq: number, schemas: unknown, changes: unknown): Uint8Array {
  const by = { id: 1, name: 'newer' };
  return Uint8Array.from(
    packr.pack([COMMIT_FORMAT, seq, `w${seq}`, '2026-01-01T00:00:00.000Z', by, [], 1, 0, schemas, changes]),
  );
}

const withBanner = (seq: number) =>
  recordWith(
    seq,
    [
      ['tagTypes', 1],
      ['novelties', 1],
    ],
    [
      [0, 'early', TAG_TYPE],
      [1, '1', { id: 1, message: 'hello' }],
    ],
  );
const withNewerTagType = (seq: number) => recordWith(seq, [['tagTypes', 2]], [[0, 'early', { called: 'early' }]]);

function appendRecord(store: Store, expectedTip: number, bytes: Uint8Array): Promise<unknown> {
  return store.append({ expectedTip, writeId: 'newer', entries: [{ seq: expectedTip + 1, bytes }], events: [] });
}

async function* snapshotWith(slice: object): AsyncGenerator<Uint8Array> {
  const pack = (piece: object) => Uint8Array.from(new Packr({ useRecords: true }).pack(piece));
  yield pack({ kind: 'header', format: SNAPSHOT_FORMAT, seq: 3, lastEventId: 6 });
  yield pack({ kind: 'slice', entries: [['1', { id: 1 }]], ...slice });
  yield pack({ kind: 'end', revisions: [], chapters: [], entryCount: 1 });
}

/** How a history gets something of the next version, and what this version says to it. */
const NEWER: readonly [string, (store: Store) => Promise<unknown>, RegExp][] = [
  [
    'a snapshot',
    (store) => store.saveSnapshot(3, newerSnapshot()).then(() => store.trim(3)),
    /snapshot has format 3; this Burgee reads formats 1 to 2\. Start a version that reads it/,
  ],
  [
    'a log record',
    (store) =>
      store.append({ expectedTip: 3, writeId: 'newer', entries: [{ seq: 4, bytes: newerCommit() }], events: [] }),
    /log record has format 3; this Burgee reads formats 1 to 2\. Start a version that reads it/,
  ],
  [
    'a log record with a collection that is new, behind a change that is not',
    (store) => appendRecord(store, 3, withBanner(4)),
    /log record has the collection "novelties", which this Burgee does not know\. Start a version that reads it/,
  ],
  [
    'a log record with a newer schema of a collection',
    (store) => appendRecord(store, 3, withNewerTagType(4)),
    /log record has "tagTypes" of schema 2; this Burgee reads up to schema 1\. Start a version that reads it/,
  ],
  [
    'a snapshot with a collection that is new',
    (store) => store.saveSnapshot(3, snapshotWith({ collection: 'novelties', schema: 1 })).then(() => store.trim(3)),
    /snapshot has the collection "novelties", which this Burgee does not know\. Start a version that reads it/,
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
  const timer = setTimeout(() => void service.stop(), 50_000);
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
    redis.cli('HSET', '{burgee}:meta', 'format', '3');
    const before = redis.cli('HGETALL', '{burgee}:meta');
    await expectNoStart({ REDIS_URL: redis.url }, /the log has format 3; this Burgee reads format 2/);
    expect(redis.cli('HGETALL', '{burgee}:meta')).toBe(before);
  });
});

const UNREADABLE: readonly [string, (seq: number) => Uint8Array, string][] = [
  ['a format', newerCommit, 'log record has format 3; this Burgee reads formats 1 to 2'],
  ['a collection', withBanner, 'log record has the collection "novelties", which this Burgee does not know'],
  ['a schema', withNewerTagType, 'log record has "tagTypes" of schema 2; this Burgee reads up to schema 1'],
  ['no layout at all', () => Uint8Array.of(0xdc, 0xff, 0xc1), 'log record is damaged'],
];

describe('a replica that hears of a commit it cannot read while it runs', () => {
  it.each(UNREADABLE)(
    'of %s: says so, serves what it has, and writes nothing on top of it',
    async (_of, make, told) => {
      const tokens = {
        INIT_ADMIN_API_TOKENS: '*:*.formats-admin',
        INIT_CLIENT_API_TOKENS: '*:development.formats-client',
      };
      const service = new BurgeeProcess({ REDIS_URL: redis.url, DATA_DIR: join(root, 'data'), ...tokens });
      const store = inRedis();
      const admin = { authorization: '*:*.formats-admin', 'content-type': 'application/json' };
      try {
        const url = await service.url();
        const { tip } = await store.open();
        expect(await appendRecord(store, tip, make(tip + 1))).toMatchObject({ status: 'appended' });
        await service.logged(/the log cannot be followed/);
        expect(service.stderr).toContain(told.replaceAll('"', '\\"'));
        const authorization = { authorization: '*:development.formats-client' };
        expect((await fetch(`${url}/api/client/features`, { headers: authorization })).status).toBe(200);
        for (let round = 0; round < 3; round++) {
          const body = JSON.stringify({ name: `on-top-${round}` });
          const write = await fetch(`${url}/api/admin/projects/default/features`, {
            method: 'POST',
            headers: admin,
            body,
          });
          expect(write.status).toBe(503);
          expect(await write.text()).toContain('nothing was changed');
        }
        const ready = await fetch(`${url}/ready`);
        expect(ready.status).toBe(200);
        const { stale, revision } = (await ready.json()) as { stale: string; revision: number };
        expect(stale).toContain(told);
        expect(stale).toContain('writes are refused');
        // Nothing of the commit is applied, not even what this version would know.
        expect(revision).toBe(tip);
        expect(await (await fetch(`${url}/api/admin/tag-types`, { headers: admin })).text()).not.toContain('early');
        expect(await store.tip()).toBe(tip + 1);
        expect(service.stderr.match(/the log cannot be followed/g)).toHaveLength(1);
      } finally {
        await service.stop();
        await store.close();
      }
    },
  );
});

describe('a service that finds what the version before wrote', () => {
  it('serves it, and writes on', async () => {
    const fixture = new URL('../fixtures/format-1.json', import.meta.url);
    const { log } = JSON.parse(readFileSync(fixture, 'utf8')) as { log: string[] };
    const older = lmdb();
    await older.open();
    const entries = log.map((text, index) => ({ seq: index + 1, bytes: Uint8Array.from(Buffer.from(text, 'base64')) }));
    await older.append({ expectedTip: 0, writeId: 'older', entries, events: [] });
    await older.close();
    const authorization = '*:*.formats-admin';
    const env = { DATA_DIR: join(root, 'data'), INIT_ADMIN_API_TOKENS: authorization };
    const written = new BurgeeProcess(env);
    try {
      const url = await written.url();
      const made = await fetch(`${url}/api/admin/tag-types`, {
        method: 'POST',
        headers: { authorization, 'content-type': 'application/json' },
        body: '{"name":"newer"}',
      });
      expect(made.status, await made.text()).toBe(201);
    } finally {
      await written.stop();
    }
    const again = new BurgeeProcess(env);
    try {
      const types = await fetch(`${await again.url()}/api/admin/tag-types`, { headers: { authorization } });
      const { tagTypes } = (await types.json()) as { tagTypes: { name: string }[] };
      expect(tagTypes.map(({ name }) => name)).toEqual(expect.arrayContaining(['newer', 'type-0', 'type-39']));
    } finally {
      await again.stop();
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
    /event record has format 2; this Burgee reads format 1/,
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
  const history = { seq: 3, lastEventId: 6, ancestor: { epoch: 'e', seq: 3, writeId: '', ancestors: [] } };
  const path = () => join(root, 'newer.backup');

  it('is refused by its format, before anything is written', async () => {
    const preamble = new Framing().begin();
    preamble.writeUInt32LE(FILE_FORMAT + 1, MAGIC.length);
    writeFileSync(path(), Buffer.concat([preamble, Buffer.from('whatever it has')]));
    await expectRefusal(
      ['restore', '--from', path(), '--to', redis.url],
      /newer.backup has format 3; this Burgee reads formats 1 and 2/,
    );
    expect(redis.cli('KEYS', '*').trim()).toBe('');
  });

  it('is refused by what is in it: a snapshot, an audit event', async () => {
    const cases: [AsyncIterable<Uint8Array>, EventEntry[], RegExp][] = [
      [newerSnapshot(), [], /snapshot has format 3/],
      [
        encodeSnapshot(stateAt(3)),
        [{ id: 6, bytes: newerEvent() }],
        /event record has format 2; this Burgee reads format 1/,
      ],
    ];
    for (const [pieces, events, message] of cases) {
      rmSync(path(), { force: true });
      const staging = await stageInFile(path(), history);
      await staging.putSnapshot(pieces);
      await staging.putEvents(events);
      await staging.seal();
      await staging.commit();
      await staging.close();
      expect((await readBackup(path())).history).toEqual(history);
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

describe('files of format 1', () => {
  const fixture = (name: string) => fileURLToPath(new URL(`../fixtures/${name}`, import.meta.url));

  it('are read: a backup', async () => {
    const [from, to] = await tell(
      'restore',
      '--from',
      fixture('format-1.backup'),
      '--to',
      `lmdb:${join(root, 'target')}`,
    );
    expect(to).toMatchObject({ revision: 2, eventCount: 2, state: from?.state, events: from?.events });
    expect((await readBackup(fixture('format-1.backup'))).history.ancestor.epoch).toBe('epoch-of-the-older');
  });

  it('are read: a local copy', async () => {
    copyFileSync(fixture('format-1.copy'), join(root, 'replica.copy'));
    const copy = await loadLocalCopy(root, silentLogger);
    expect(copy?.position).toMatchObject({ epoch: 'epoch-of-the-older', seq: 3, writeId: 'w3' });
    expect([...(copy?.state.values('tagTypes') ?? [])].map(({ name }) => name)).toEqual(['one', 'two', 'three']);
  });

  it('are told apart: a local copy is no backup', async () => {
    await expectRefusal(
      ['restore', '--from', fixture('format-1.copy'), '--to', `lmdb:${join(root, 'target')}`],
      /format-1.copy is the local copy of a replica, not a backup/,
    );
  });
});
