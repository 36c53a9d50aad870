import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Packr } from 'msgpackr';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { SERVICE } from '../../../src/base/asking/asker.ts';
import { systemClock } from '../../../src/base/clock.ts';
import { silentLogger } from '../../../src/base/logger.ts';
import { readBackup, stageInFile } from '../../../src/products/maintenance/backup-file.ts';
import { COMMIT_FORMAT, EVENT_FORMAT, encodeCommit } from '../../../src/state/commit.ts';
import { encodeSnapshot, SNAPSHOT_FORMAT } from '../../../src/state/snapshot.ts';
import { State } from '../../../src/state/state.ts';
import { LmdbStore } from '../../../src/stores/lmdb/lmdb-store.ts';
import { FILE_FORMAT, Framing, MAGIC } from '../../../src/stores/local/framed-file.ts';
import { RedisStore } from '../../../src/stores/redis/redis-store.ts';
import type { EventEntry, Store } from '../../../src/stores/store.ts';
import { BurgeeProcess } from '../../support/programs/burgee-process.ts';
import { RedisServer } from '../../support/programs/redis.ts';
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
afterEach(async () => {
  await redis.command('FLUSHALL');
  rmSync(root, { recursive: true, force: true });
});

const packr = new Packr({ useRecords: false });

/** A snapshot of the next version: a header with its format, then a piece of a kind that this version does not have. */
async function* newerSnapshot(): AsyncGenerator<Uint8Array> {
  yield Uint8Array.from(
    new Packr({ useRecords: true }).pack({ kind: 'header', format: SNAPSHOT_FORMAT + 1, seq: 4, lastEventId: 6 }),
  );
  yield Uint8Array.from(packr.pack({ kind: 'columns', of: 'features', names: ['a'] }));
}

/** As the last version with format 1 wrote them: changes name their collection, and slices have no schema. */
async function* olderSnapshot(): AsyncGenerator<Uint8Array> {
  const pack = (piece: object) => Uint8Array.from(new Packr({ useRecords: true }).pack(piece));
  yield pack({ kind: 'header', format: 1, seq: 3, lastEventId: 6 });
  yield pack({ kind: 'slice', collection: 'tagTypes', entries: [['early', TAG_TYPE]] });
  yield pack({ kind: 'end', revisions: [], entryCount: 1 });
}
const olderCommit = (seq: number) =>
  Uint8Array.from(
    packr.pack([
      1,
      seq,
      'w',
      '2026-01-01T00:00:00.000Z',
      { id: 1, name: 'older' },
      [],
      1,
      0,
      [['tagTypes', 'early', TAG_TYPE]],
    ]),
  );

const newerCommit = () => Uint8Array.from(packr.pack([COMMIT_FORMAT + 1, { seq: 4, tables: [] }]));
const newerEvent = () => Uint8Array.from(packr.pack([EVENT_FORMAT + 1, { number: 7 }]));

const TAG_TYPE = { name: 'early', description: null, icon: null, color: null };

/** A record in the format of this version, with schemas and changes of the next version. */
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

/** How content of another version is added to a history, and the error message of this version. */
const OTHERS: readonly [string, (store: Store) => Promise<unknown>, RegExp][] = [
  [
    'a snapshot of format 1',
    (store) => store.saveSnapshot(3, olderSnapshot()).then(() => store.trim(3)),
    /snapshot has format 1; this Burgee reads format 2\. Start a version that reads it/,
  ],
  [
    'a log record of format 1',
    (store) => appendRecord(store, 3, olderCommit(4)),
    /log record has format 1; this Burgee reads format 2\. Start a version that reads it/,
  ],
  [
    'a snapshot of format 3',
    (store) => store.saveSnapshot(3, newerSnapshot()).then(() => store.trim(3)),
    /snapshot has format 3; this Burgee reads format 2\. Start a version that reads it/,
  ],
  [
    'a log record of format 3',
    (store) =>
      store.append({ expectedTip: 3, writeId: 'newer', entries: [{ seq: 4, bytes: newerCommit() }], events: [] }),
    /log record has format 3; this Burgee reads format 2\. Start a version that reads it/,
  ],
  [
    'a log record with a new collection, after a change of a known one',
    (store) => appendRecord(store, 3, withBanner(4)),
    /log record has the collection "novelties", which this Burgee does not know\. Start a version that reads it/,
  ],
  [
    'a log record with a newer schema of a collection',
    (store) => appendRecord(store, 3, withNewerTagType(4)),
    /log record has "tagTypes" of schema 2; this Burgee reads up to schema 1\. Start a version that reads it/,
  ],
  [
    'a snapshot with a new collection',
    (store) => store.saveSnapshot(3, snapshotWith({ collection: 'novelties', schema: 1 })).then(() => store.trim(3)),
    /snapshot has the collection "novelties", which this Burgee does not know\. Start a version that reads it/,
  ],
];

const lmdb = () => new LmdbStore({ directory: join(root, 'data'), logger: silentLogger });
const inRedis = () =>
  new RedisStore({ url: redis.url, logger: silentLogger, clock: systemClock, timeouts: { graceMs: 0 } });

/** Writes a history into the store, then calls `add`. */
async function prepare(store: Store, add: (store: Store) => Promise<unknown>): Promise<void> {
  await store.open();
  await writeHistory(store);
  await add(store);
  await store.close();
}

/** The whole content of the store. */
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

/** Expects that the service refuses to start: exit code 1, one readable line. */
async function expectNoStart(env: Readonly<Record<string, string>>, message: RegExp): Promise<void> {
  const service = new BurgeeProcess({ LOG_LEVEL: 'fatal', DATA_DIR: join(root, 'data'), ...env });
  const timer = setTimeout(() => void service.stop(), 50_000);
  const code = await service.exited;
  clearTimeout(timer);
  expect({ code, stdout: service.stdout }, service.stderr).toEqual({ code: 1, stdout: '' });
  expect(service.stderr).toMatch(message);
  expect(service.stderr).toMatch(/^burgee cannot start: .*\n$/);
}

describe('a service on a store of another version, with', () => {
  for (const [name, add, message] of OTHERS) {
    it(`${name} in LMDB: does not start, and leaves the store unchanged`, async () => {
      await prepare(lmdb(), add);
      const before = await contentOf(lmdb());
      await expectNoStart({}, message);
      expect(await contentOf(lmdb())).toEqual(before);
    });

    it(`${name} in Redis: does not start, and leaves the store unchanged`, async () => {
      await prepare(inRedis(), add);
      const before = await contentOf(inRedis());
      await expectNoStart({ REDIS_URL: redis.url }, message);
      expect(await contentOf(inRedis())).toEqual(before);
    });
  }

  it.each(['1', '3'])('keys of format %s in Redis: does not start, and leaves them unchanged', async (format) => {
    await prepare(inRedis(), async () => {});
    await redis.command('HSET', '{burgee}:meta', 'format', format);
    const before = await redis.command('HGETALL', '{burgee}:meta');
    await expectNoStart(
      { REDIS_URL: redis.url },
      new RegExp(`the log has format ${format}; this Burgee reads format 2`),
    );
    expect(await redis.command('HGETALL', '{burgee}:meta')).toBe(before);
  });
});

const UNREADABLE: readonly [string, (seq: number) => Uint8Array, string][] = [
  ['its format', newerCommit, 'log record has format 3; this Burgee reads format 2'],
  ['a collection of it', withBanner, 'log record has the collection "novelties", which this Burgee does not know'],
  ['a schema of it', withNewerTagType, 'log record has "tagTypes" of schema 2; this Burgee reads up to schema 1'],
  ['its damage', () => Uint8Array.of(0xdc, 0xff, 0xc1), 'log record is damaged'],
];

describe('a running replica that receives a commit it cannot read,', () => {
  it.each(UNREADABLE)(
    'because of %s: reports it, serves its state, and writes nothing after it',
    async (_of, make, reason) => {
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
        expect(service.stderr).toContain(reason.replaceAll('"', '\\"'));
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
        expect(stale).toContain(reason);
        expect(stale).toContain('writes are refused');
        // No part of the commit is applied, not even the part that this version could read.
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

describe('a copy or a backup of a store of another version, with', () => {
  const newEvent: (typeof OTHERS)[number] = [
    'an audit event',
    // The commit is of this version: the state can be read, and only the event is newer.
    (store) => {
      const entries = [{ seq: 4, bytes: encodeCommit(commitAt(4, 7, 1)) }];
      return store.append({ expectedTip: 3, writeId: 'w4', entries, events: [{ id: 7, bytes: newerEvent() }] });
    },
    /event record has format 2; this Burgee reads format 1/,
  ];

  for (const [name, add, message] of [...OTHERS, newEvent]) {
    it(`${name}: is refused, and the target stays empty`, async () => {
      for (const [store, location] of [
        [lmdb(), `lmdb:${join(root, 'data')}`],
        [inRedis(), redis.url],
      ] as const) {
        await prepare(store, add);
        await expectRefusal(['copy', '--from', location, '--to', `lmdb:${join(root, 'target')}`], message);
        await expectRefusal(['backup', '--from', location, '--to', join(root, 'backup')], message);
      }
      await expectRefusal(['digest', '--from', `lmdb:${join(root, 'target')}`], /there is no store/);
      await expectRefusal(['digest', '--from', `file:${join(root, 'backup')}`], /ENOENT/);
    });
  }
});

describe('a backup of another version', () => {
  const history = { seq: 3, lastEventId: 6, ancestor: { epoch: 'e', seq: 3, writeId: '', ancestors: [] } };
  const path = () => join(root, 'other.backup');
  const preambleOf = (format: number) => {
    const preamble = new Framing().begin();
    preamble.writeUInt32LE(format, MAGIC.length);
    return preamble;
  };

  it.each([
    ['a backup of format 1', 1, preambleOf(1)],
    ['a local copy of format 1', 1, Buffer.from('burgee local copy, format 1\n')],
    ['a file of format 3', FILE_FORMAT + 1, preambleOf(FILE_FORMAT + 1)],
  ])('is refused by its format, before anything is written: %s', async (_what, format, beginning) => {
    writeFileSync(path(), Buffer.concat([beginning, Buffer.from('whatever it has')]));
    await expectRefusal(
      ['restore', '--from', path(), '--to', redis.url],
      new RegExp(`other.backup has format ${format}; this Burgee reads format 2. Start a version that reads it`),
    );
    expect((await redis.command('KEYS', '*')).trim()).toBe('');
  });

  it('is refused by its content: a snapshot, an audit event', async () => {
    const cases: [AsyncIterable<Uint8Array>, EventEntry[], RegExp][] = [
      [newerSnapshot(), [], /snapshot has format 3/],
      [
        encodeSnapshot(stateAt(3), SERVICE),
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
      expect((await redis.command('KEYS', '*')).trim()).toBe('');
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
