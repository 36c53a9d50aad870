import { readdirSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, describe, expect, it } from 'vitest';
import { untilTrue } from '../support/until.ts';
import { Fleet } from './fleet.ts';
import { expectKept, Poller, Writers } from './load.ts';

describe('replicas whose Redis lost commits under load', () => {
  let fleet: Fleet;
  afterEach(() => fleet.dispose());

  const flushAll = async () => void (await fleet.redis.command('FLUSHALL'));
  const truncateLog = async () => {
    await fleet.redis.kill();
    fleet.redis.truncateLog(20_000);
    await fleet.redis.start();
  };

  const loseLog = async () => void (await fleet.redis.command('DEL', '{burgee}:log'));
  const loseSnapshots = async () => {
    const pieces = async () => (await fleet.redis.command('KEYS', '{burgee}:snapshot:*')).trim();
    await untilTrue(async () => (await pieces()) !== '', 'there is a snapshot');
    await fleet.redis.command('DEL', ...(await pieces()).split('\n'));
  };
  const untilTrimmed = () =>
    untilTrue(
      async () => Number((await fleet.redis.command('HGET', '{burgee}:meta', 'firstSeq')).trim()) > 1,
      'the log is trimmed',
    );
  const OFTEN = { SNAPSHOT_EVERY_COMMITS: '100' };
  // Under load the next snapshot must be seconds away: it would replace a lost one before the loss is noticed.
  const SELDOM = { SNAPSHOT_EVERY_COMMITS: '1000' };
  const loseTrimmed = async () => {
    await untilTrimmed();
    await loseSnapshots();
  };

  const readyAll = () => Promise.all(fleet.replicas.map(async (replica) => (await replica.ready()).json));

  describe.each<[string, () => Promise<void>, Readonly<Record<string, string>>?]>([
    ['all of them (FLUSHALL)', flushAll],
    ['the last ones (a truncated append-only file)', truncateLog],
    ['those of the log alone, while Redis runs', loseLog],
    ['those of the log alone, after a snapshot', loseLog, OFTEN],
    ['those of the snapshots alone', loseTrimmed, SELDOM],
  ])('%s', (_what, lose, environment = {}) => {
    it('are refilled by one of the replicas: nothing acknowledged is lost, and there is one history', async () => {
      fleet = await Fleet.start(3, environment);
      const pollers = fleet.replicas.map((replica) => new Poller(replica));
      const writers = new Writers(8, fleet.replicas, 'kept', 5);
      await untilTrue(() => writers.acknowledged.size > 150, 'there is something to lose');
      await lose();
      await untilTrue(async () => (await readyAll()).some(({ losses }) => losses.refilled > 0), 'it is refilled');
      const atRefill = writers.acknowledged.size;
      await untilTrue(() => writers.acknowledged.size > atRefill + 50, 'writes are accepted again');
      await writers.stop();
      for (const poller of pollers) await poller.stop();
      const { names } = await fleet.expectAgreement();
      expectKept(names, writers);
      const statuses = await readyAll();
      expect(statuses.reduce((sum, { losses }) => sum + losses.refilled, 0)).toBe(1);
      expect(statuses.map(({ losses }) => losses.current)).toEqual([null, null, null]);
      const fresh = await fleet.add();
      await fresh.start();
      expectKept((await fleet.expectAgreement()).names, writers);
    });

    it('refuse writes with REDIS_ON_LOSS=halt, serve reads, and report it', async () => {
      fleet = await Fleet.start(2, { ...environment, REDIS_ON_LOSS: 'halt' });
      const writers = new Writers(8, fleet.replicas, 'kept', 5);
      await untilTrue(() => writers.acknowledged.size > 100, 'there is something to lose');
      await lose();
      await untilTrue(async () => (await readyAll()).every(({ losses }) => losses.current !== null), 'both report it');
      const pollers = fleet.replicas.map((replica) => new Poller(replica));
      const acknowledged = writers.acknowledged.size;
      await sleep(1_500);
      await writers.stop();
      for (const poller of pollers) await poller.stop();
      expect(writers.acknowledged.size).toBe(acknowledged);
      for (const body of await readyAll()) {
        expect(body).toMatchObject({
          status: 'READY',
          store: expect.stringMatching(/^unreachable since/),
          stale: expect.stringMatching(/^since/),
          losses: { policy: 'halt', current: expect.stringMatching(/^behind: /), found: 1, refilled: 0, adopted: 0 },
          writesRefused: { reason: 'halted', advice: expect.stringContaining('REDIS_ON_LOSS=refill') },
        });
      }
      for (const replica of fleet.replicas) expect(replica.log).toContain('REDIS_ON_LOSS=halt');
      const names = new Set<string>((await fleet.at(0).poll()).json.features.map(({ name }: { name: string }) => name));
      for (const name of writers.refused) expect(names).not.toContain(name);
    });
  });

  it('adopt the history of one that had fewer commits, when the one that had more was stopped', async () => {
    fleet = await Fleet.start(2);
    const [a, b] = [fleet.at(0), fleet.at(1)];
    await a.create('both');
    await fleet.expectAgreement();
    await b.end();
    await a.create('a-only');
    const before = await a.poll();
    a.signal('SIGSTOP');
    await flushAll();
    await b.start();
    await untilTrue(async () => (await b.create('b-only')).status === 201, 'the other one has refilled');
    a.signal('SIGCONT');
    // The adoption is counted before the state is replaced, and both histories have the same revisions.
    await untilTrue(async () => {
      const { losses, stale } = (await a.ready()).json;
      return losses?.adopted === 1 && stale === null;
    }, 'it has adopted that');
    const { names } = await fleet.expectAgreement();
    expect([...names].sort()).toEqual(['b-only', 'both']);
    const after = await a.poll({ 'if-none-match': before.headers.get('etag') ?? '' });
    expect(after.status, 'other bytes under the same revision').toBe(200);
    expect(a.log).toContain('takes the history of Redis');
  });

  describe('while none of them was running', () => {
    /** One replica that has `kept` only in its copy; the content of Redis was deleted. */
    const loseWhileDown = async (environment: Record<string, string> = {}) => {
      fleet = await Fleet.start(1, environment);
      const replica = fleet.at(0);
      for (let count = 0; count < 10; count++) await replica.create(`kept-${count}`);
      await replica.end();
      await flushAll();
      return replica;
    };

    const namesOf = async (index: number): Promise<string[]> =>
      (await fleet.at(index).poll()).json.features.map(({ name }: { name: string }) => name);

    it('are refilled from a local copy', async () => {
      const replica = await loseWhileDown();
      await replica.start();
      await untilTrue(async () => (await replica.ready()).json.losses?.refilled === 1, 'it is refilled');
      expect((await replica.create('after')).status).toBe(201);
      const fresh = await fleet.add();
      await fresh.start();
      expect((await fleet.expectAgreement()).names.size).toBe(11);
    });

    describe.each([
      ['the log', async () => void (await fleet.redis.command('DEL', '{burgee}:log'))],
      ['the state of the log', async () => void (await fleet.redis.command('DEL', '{burgee}:meta'))],
      ['the pieces of its snapshots', loseSnapshots],
    ])('%s alone', (_key, lose) => {
      it('are refilled from a local copy that has all of it', async () => {
        fleet = await Fleet.start(1, OFTEN);
        const replica = fleet.at(0);
        for (let count = 0; count < 120; count++) await replica.create(`kept-${count}`);
        if (lose === loseSnapshots) await untilTrimmed();
        await replica.end();
        await lose();
        await replica.start();
        await untilTrue(async () => (await replica.ready()).json.losses?.refilled === 1, 'it is refilled');
        expect(await namesOf(0)).toHaveLength(120);
        expect((await replica.create('after')).status).toBe(201);
      });

      it('are never answered as an empty list by replicas that have less', async () => {
        fleet = await Fleet.start(1, OFTEN);
        const writer = fleet.at(0);
        for (let count = 0; count < 120; count++) await writer.create(`kept-${count}`);
        if (lose === loseSnapshots) await untilTrimmed();
        await writer.end('SIGKILL');
        await lose();
        const fresh = await fleet.add();
        for (const replica of [writer, fresh]) {
          await replica.spawn();
          const reason = async () => (await replica.ready().catch(() => undefined))?.json?.message ?? '';
          await untilTrue(
            async () => /missing, and no running replica has all/.test(await reason()),
            'it reports what is missing',
          );
          expect((await replica.poll()).status).toBe(503);
          await replica.end('SIGKILL');
        }
        expect((await fleet.redis.command('XLEN', '{burgee}:events')).trim()).not.toBe('0');
      });
    });

    it('continue with the history that another one began, and put the copy aside', async () => {
      const replica = await loseWhileDown();
      const other = await fleet.add();
      await other.start();
      await other.create('new-history');
      await replica.start();
      await untilTrue(async () => (await replica.ready()).json.losses?.adopted === 1, 'it has adopted that');
      expect([...(await fleet.expectAgreement()).names]).toEqual(['new-history']);
      expect(readdirSync(replica.directory).filter((name) => /^replica\.copy\.20/.test(name))).toHaveLength(1);
    });

    it('serve the copy and refuse writes with REDIS_ON_LOSS=halt, even when another one began a new history', async () => {
      const replica = await loseWhileDown({ REDIS_ON_LOSS: 'halt' });
      const other = await fleet.add();
      await other.start();
      await other.create('new-history');
      await replica.start();
      expect(await namesOf(0)).toHaveLength(10);
      expect((await replica.create('no')).status).toBe(503);
      expect((await replica.ready()).json.losses).toMatchObject({
        current: expect.stringMatching(/^foreign: /),
        found: 1,
      });
      expect(await namesOf(1)).toEqual(['new-history']);
    });
  });
});
