import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { systemClock } from '../../src/base/clock.ts';
import { type Logger, silentLogger } from '../../src/base/logger.ts';
import { Rejection } from '../../src/base/rejection.ts';
import { AppendGate } from '../../src/engine/append-gate.ts';
import type { Decidable } from '../../src/engine/command.ts';
import { loadLocalCopy, localCopyPath } from '../../src/engine/local-copy.ts';
import { Membership } from '../../src/engine/membership.ts';
import { Replica } from '../../src/engine/replica.ts';
import { Writer } from '../../src/engine/writer.ts';
import { loadGuards } from '../../src/features/guards.ts';
import { State } from '../../src/state/state.ts';
import { RedisStore } from '../../src/stores/redis/redis-store.ts';
import { TEST_TIMEOUTS, TestReplica } from '../stores/redis/redis-replica.ts';
import { TcpFaultProxy } from '../stores/tcp-fault-proxy.ts';
import { RedisServer } from '../support/programs/redis.ts';
import { untilTrue } from '../support/until.ts';

const GUARDS = await loadGuards();

const BY = { id: 1, name: 'test' };

const count: Decidable<string, string> = {
  decide: ({ draft }, name) => {
    draft.put('counters', { value: 1 }, name);
    return name;
  },
};

/** A replica as in a service, whose connection to Redis can be cut. */
class Station {
  readonly directory = mkdtempSync(join(tmpdir(), 'burgee-losses-'));
  readonly store: RedisStore;
  readonly replica: Replica;
  readonly membership: Membership;
  readonly #writer: Writer;
  /** Called synchronously when commits are logged as given up, with the path of their file. */
  onGivenUp: (path: string | null) => void = () => {};

  constructor(url: string) {
    const error = (fields: { givenUp?: number; file?: string | null }) => {
      if (fields.givenUp) this.onGivenUp(fields.file ?? null);
    };
    const logger = { debug() {}, info() {}, warn() {}, fatal() {}, error } as unknown as Logger;
    this.store = new RedisStore({ url, logger: silentLogger, clock: systemClock, timeouts: TEST_TIMEOUTS });
    this.replica = new Replica(new State(), this.store);
    const gate = new AppendGate(this.store, this.replica);
    this.#writer = new Writer(this.replica, gate, systemClock, silentLogger, { guards: GUARDS });
    this.membership = new Membership({
      replica: this.replica,
      store: this.store,
      gate,
      clock: systemClock,
      logger,
      dataDirectory: this.directory,
      copy: null,
      onLoss: 'refill',
      localCopyEveryMs: 3_600_000,
      openMs: 5_000,
    });
  }

  get losses() {
    return this.membership.status().losses;
  }

  has(name: string): boolean {
    return this.replica.state.get('counters', name) !== undefined;
  }

  async write(names: readonly string[]): Promise<void> {
    const outcomes = await Promise.all(names.map((name) => this.#writer.submit(count, name, BY)));
    expect(outcomes.filter((outcome) => outcome instanceof Rejection)).toEqual([]);
  }

  async close(): Promise<void> {
    await this.#writer.close();
    await this.membership.close();
    await this.store.close();
    rmSync(this.directory, { recursive: true });
  }
}

const linesOf = (path: string | null) =>
  readFileSync(path ?? '', 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));

describe('a replica that gives up divergent commits', () => {
  let server: RedisServer;
  let proxy: TcpFaultProxy;
  let station: Station;

  beforeEach(async () => {
    server = await RedisServer.start();
    proxy = await TcpFaultProxy.start(server.port);
    station = new Station(proxy.url);
    await station.membership.join();
  });

  afterEach(async () => {
    await station.close();
    await proxy.close();
    await server.dispose();
  });

  const cut = () => {
    proxy.isClosed = true;
    proxy.cut();
  };

  /** The replica writes these names, Redis loses them, and another replica writes while this one is disconnected. */
  const part = async (names: readonly string[]) => {
    await station.write(['base']);
    server.backUp('early');
    await station.write(names);
    cut();
    await server.restore('early');
    const other = await TestReplica.start(server.url);
    expect(await other.write('other')).toBe('acknowledged');
    await other.close();
  };

  const isLevel = () => station.has('other') && !station.replica.isForeign;

  it('saves them to disk and logs the path before it drops them, even if Redis is killed at that moment', async () => {
    await part(['lost-1', 'lost-2', 'lost-3']);
    let saved: unknown[] | undefined;
    station.onGivenUp = (path) => {
      server.signal('SIGKILL');
      saved = linesOf(path);
      expect(station.has('lost-3')).toBe(true);
    };
    proxy.isClosed = false;
    await untilTrue(() => saved !== undefined, 'it is logged');
    expect(saved).toMatchObject([
      { kind: 'surplus', fromSeq: 2, throughSeq: 4 },
      { kind: 'commit', seq: 2, changes: [{ collection: 'counters', key: 'lost-1', before: null }] },
      { kind: 'commit', seq: 3, changes: [{ key: 'lost-2' }] },
      { kind: 'commit', seq: 4, changes: [{ key: 'lost-3' }] },
    ]);
    expect(station.losses).toMatchObject({
      adopted: 1,
      givenUp: 3,
      divergentFile: expect.stringMatching(/divergent-.*-4\.ndjson$/),
    });
    await server.kill();
    await server.start();
    await untilTrue(isLevel, 'it has what Redis has');
    expect(station.losses).toMatchObject({ adopted: 1, givenUp: 3 });
  });

  it('sets a copy of its state aside if it no longer has the commits, and saves the difference once it can', async () => {
    const names = Array.from({ length: 2_100 }, (_, index) => `lost-${index}`);
    await part(names);
    let aside: string | null = null;
    station.onGivenUp = (path) => {
      aside = path;
      cut();
    };
    proxy.isClosed = false;
    await untilTrue(() => aside !== null, 'it is logged');
    expect(basename(aside ?? '')).toMatch(/^replica\.copy\./);
    const elsewhere = join(station.directory, 'elsewhere');
    mkdirSync(elsewhere);
    cpSync(aside ?? '', localCopyPath(elsewhere));
    const copy = await loadLocalCopy(elsewhere, silentLogger);
    expect(names.filter((name) => !copy?.state.get('counters', name))).toEqual([]);
    expect(station.losses).toMatchObject({ givenUp: 2_100, divergentFile: aside });
    proxy.isClosed = false;
    await untilTrue(() => station.losses.divergentFile?.endsWith('.ndjson') === true, 'the difference is saved');
    const keys = new Set(linesOf(station.losses.divergentFile).map(({ key }) => key));
    expect(names.filter((name) => !keys.has(name))).toEqual([]);
    expect(isLevel()).toBe(true);
  });

  it('continues if they cannot be saved, and saves them as soon as it can', async () => {
    await part(['lost-1', 'lost-2']);
    const { epoch, seq } = station.store.position;
    const path = join(station.directory, `divergent-${epoch}-${seq}.ndjson`);
    mkdirSync(path);
    proxy.isClosed = false;
    await untilTrue(isLevel, 'it has what Redis has');
    expect(station.losses).toMatchObject({ adopted: 1, givenUp: 2, divergentFile: null });
    rmdirSync(path);
    await untilTrue(() => station.losses.divergentFile !== null, 'they are saved');
    expect(linesOf(path)).toMatchObject([
      { kind: 'surplus', fromSeq: 2, throughSeq: 3 },
      { kind: 'commit', changes: [{ key: 'lost-1' }] },
      { kind: 'commit', changes: [{ key: 'lost-2' }] },
    ]);
    // Nothing waits to be saved any more: also the end of the process does not write the file again.
    rmSync(path);
    await station.membership.close();
    expect(existsSync(path)).toBe(false);
  });
});
