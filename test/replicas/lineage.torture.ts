import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { untilTrue } from '../support/until.ts';
import { Fleet, type ReplicaProcess } from './fleet.ts';

describe('replicas whose Redis goes back in time', () => {
  let fleet: Fleet;
  afterEach(() => fleet.dispose());

  const createMany = async (replica: ReplicaProcess, prefix: string, count: number) => {
    for (let index = 0; index < count; index++) {
      const name = `${prefix}-${index}`;
      // A server that was just confirmed accepts writes after at most one poll.
      await untilTrue(async () => [201, 409].includes((await replica.create(name)).status), `${name} is written`);
    }
  };

  const names = async (replica: ReplicaProcess): Promise<string[]> =>
    (await replica.poll()).json.features.map(({ name }: { name: string }) => name).sort();

  /** The lines of the one file of divergent commits that the replica has written. */
  const divergentOf = (replica: ReplicaProcess) => {
    const files = readdirSync(replica.directory).filter((name) => /^divergent-.*\.ndjson$/.test(name));
    expect(files).toHaveLength(1);
    const lines = readFileSync(join(replica.directory, files[0] ?? ''), 'utf8')
      .trim()
      .split('\n');
    return lines.map((line) => JSON.parse(line));
  };

  /** Only `a` has `lost-…`, which Redis lost. It was stopped while `b` continued from the backup. */
  const split = async (environment: Record<string, string>, divergent: number, written: number) => {
    fleet = await Fleet.start(2, environment);
    const [a, b] = [fleet.at(0), fleet.at(1)];
    await createMany(a, 'both', 2);
    await fleet.expectAgreement();
    await b.end();
    fleet.redis.backUp('early');
    await createMany(a, 'lost', divergent);
    const before = await a.poll();
    a.signal('SIGSTOP');
    await fleet.redis.restore('early');
    await b.start();
    await createMany(b, 'kept', written);
    a.signal('SIGCONT');
    return { a, b, before };
  };

  it.each([
    ['more commits than were written since', {}, 6, 2],
    ['fewer commits than were written since', {}, 2, 6],
    ['commits from before the start of the trimmed log', { SNAPSHOT_EVERY_COMMITS: '3' }, 4, 8],
  ])(
    'give up %s, and report it; what the others acknowledged stays (D1)',
    async (_what, environment, divergent, written) => {
      const { a, b, before } = await split(environment, divergent, written);
      await untilTrue(async () => (await a.ready()).json.losses?.adopted === 1, 'it adopts what Redis has');
      const agreed = await fleet.expectAgreement();
      expect([...agreed.names].filter((name) => name.startsWith('kept'))).toHaveLength(written);
      expect([...agreed.names].filter((name) => name.startsWith('lost'))).toEqual([]);
      const { losses } = (await a.ready()).json;
      expect(losses).toMatchObject({ current: null, adopted: 1, refilled: 0, givenUp: divergent });
      expect(losses.divergentFile).toContain(a.directory);
      const [head, ...commits] = divergentOf(a);
      expect(head).toMatchObject({ kind: 'surplus' });
      expect(head.throughSeq - head.fromSeq + 1).toBe(divergent);
      const keys = commits.flatMap(({ changes }) => changes.map(({ key }: { key: string }) => key));
      expect(keys.filter((key: string) => key.startsWith('lost'))).toHaveLength(divergent);
      const after = await a.poll({ 'if-none-match': before.headers.get('etag') ?? '' });
      expect(after.status).toBe(200);
      // No replica returns the commits that were given up, or refuses writes because of them (D2).
      await fleet.redis.command('FLUSHALL');
      await createMany(a, 'after-a', 1);
      await createMany(b, 'after-b', 1);
      const events = (await a.call('GET', '/api/admin/events?limit=100')).json.events;
      const created = events.filter(({ type }: { type: string }) => type === 'feature-created');
      for (const { featureName } of created) expect(featureName).not.toMatch(/^lost/);
      await fleet.expectAgreement();
    },
    120_000,
  );

  it('never use one ETag for two lists, even when an older file was restored and no replica had more (D3)', async () => {
    fleet = await Fleet.start(1);
    const replica = fleet.at(0);
    await createMany(replica, 'base', 1);
    fleet.redis.backUp('early');
    await createMany(replica, 'lost', 1);
    const before = await replica.poll();
    await replica.end('SIGKILL');
    rmSync(join(replica.directory, 'replica.copy'), { force: true });
    await fleet.redis.restore('early');
    await replica.start();
    await createMany(replica, 'other', 1);
    const after = await replica.poll({ 'if-none-match': before.headers.get('etag') ?? '' });
    expect(after.status).toBe(200);
    expect(after.headers.get('etag')).not.toBe(before.headers.get('etag'));
    expect(await names(replica)).toEqual(['base-0', 'other-0']);
  });

  it('continue to write after a refill by one that gave up commits before, and return no event that was given up (D2)', async () => {
    fleet = await Fleet.start(2);
    const [a, b] = [fleet.at(0), fleet.at(1)];
    await createMany(a, 'both', 2);
    await fleet.expectAgreement();
    await b.end();
    await createMany(a, 'lost', 5);
    a.signal('SIGSTOP');
    await fleet.redis.command('FLUSHALL');
    await b.start();
    await createMany(b, 'kept', 1);
    a.signal('SIGCONT');
    await untilTrue(async () => (await a.ready()).json.losses?.adopted === 1, 'it adopts the history of the other one');
    await fleet.expectAgreement();
    await b.end();
    await fleet.redis.command('FLUSHALL');
    await createMany(a, 'after', 2);
    await b.start();
    await createMany(b, 'later', 1);
    const { names: agreed } = await fleet.expectAgreement();
    const { events } = (await a.call('GET', '/api/admin/events?limit=100')).json;
    for (const { type, featureName } of events) if (type === 'feature-created') expect(agreed).toContain(featureName);
  });

  it('refill a file from before an earlier refill, which all of them descend from (D5)', async () => {
    fleet = await Fleet.start(2);
    const [a, b] = [fleet.at(0), fleet.at(1)];
    await createMany(a, 'first', 2);
    await fleet.expectAgreement();
    fleet.redis.backUp('before-the-refill');
    await createMany(a, 'second', 1);
    await fleet.redis.command('FLUSHALL');
    await createMany(b, 'third', 2);
    await fleet.expectAgreement();
    await fleet.redis.restore('before-the-refill');
    await createMany(a, 'fourth', 1);
    const { names: kept } = await fleet.expectAgreement();
    expect(kept.size).toBe(6);
    for (const replica of [a, b]) {
      expect((await replica.ready()).json.losses).toMatchObject({ current: null, adopted: 0, givenUp: 0 });
    }
  });

  it('do not serve a local copy as the content of Redis if its last write is not known (D4)', async () => {
    fleet = await Fleet.start(2);
    const [a, b] = [fleet.at(0), fleet.at(1)];
    await createMany(a, 'both', 2);
    await fleet.expectAgreement();
    await b.end();
    fleet.redis.backUp('early');
    await createMany(a, 'lost', 2);
    await a.end();
    forgetWriteId(join(a.directory, 'replica.copy'));
    await fleet.redis.restore('early');
    await b.start();
    await createMany(b, 'kept', 4);
    await a.start();
    expect([...(await fleet.expectAgreement()).names].filter((name) => name.startsWith('lost'))).toEqual([]);
  });

  it('accept a replica again whose copy is from before the first commit of the log that it made (D6)', async () => {
    fleet = await Fleet.start(0);
    const replica = await fleet.add({ REDIS_ON_LOSS: 'halt' });
    // It makes an empty log, and saves a copy of that, but cannot append to it; then the log is lost, and it makes another one.
    await fleet.redis.command('ACL', 'SETUSER', 'default', '-xadd');
    await replica.spawn();
    await untilTrue(() => existsSync(join(replica.directory, 'replica.copy')), 'it has saved a copy');
    await replica.end('SIGKILL');
    await fleet.redis.command('FLUSHALL');
    await replica.spawn();
    await untilTrue(
      async () => (await fleet.redis.command('EXISTS', '{burgee}:meta')).trim() === '1',
      'it has made a log',
    );
    const scripts = async () =>
      Number(/cmdstat_evalsha:calls=(\d+)/.exec(await fleet.redis.command('INFO', 'commandstats'))?.[1] ?? 0);
    const before = await scripts();
    await untilTrue(async () => (await scripts()) > before + 5, 'it has looked at the log again');
    await fleet.redis.command('ACL', 'SETUSER', 'default', '+@all');
    // Decided once: if its end is reported later, that must not start another one.
    const isReady = replica.untilReady().then(
      () => true,
      () => false,
    );
    if (!(await Promise.race([isReady, replica.exited.then(() => false)]))) await replica.start();
    await createMany(replica, 'first', 1);
    expect((await replica.ready()).json).toMatchObject({ store: 'reachable', stale: null, losses: { current: null } });
  });

  it('refill an empty Redis from the history that was continued, not from the one with more commits (D7)', async () => {
    fleet = await Fleet.start(2, { REDIS_GRACE_MS: '1500' });
    const [a, b] = [fleet.at(0), fleet.at(1)];
    await createMany(a, 'both', 2);
    await fleet.expectAgreement();
    await b.end();
    fleet.redis.backUp('early');
    await createMany(a, 'lost', 6);
    a.signal('SIGSTOP');
    await fleet.redis.restore('early');
    await b.start();
    await createMany(b, 'kept', 2);
    await fleet.redis.command('FLUSHALL');
    await untilTrue(async () => (await b.ready()).json.store !== 'reachable', 'it has noticed');
    a.signal('SIGCONT');
    await untilTrue(async () => (await a.ready()).json.losses.adopted === 1, 'the other one gives up');
    await createMany(b, 'after', 1);
    const { names: agreed } = await fleet.expectAgreement();
    expect([...agreed].sort()).toEqual(['after-0', 'both-0', 'both-1', 'kept-0', 'kept-1']);
    expect(divergentOf(a)[0]).toMatchObject({ kind: 'surplus' });
  });
});

/** Removes the id of the last write from the copy, as in older copies that did not have it. */
function forgetWriteId(path: string): void {
  const bytes = readFileSync(path);
  const from = bytes.lastIndexOf('{"position"');
  const end = JSON.parse(bytes.subarray(from, -32).toString());
  const content = Buffer.from(JSON.stringify({ ...end, position: { ...end.position, writeId: '' } }));
  const head = Buffer.from(bytes.subarray(from - 5, from));
  head.writeUInt32LE(content.length, 1);
  const changed = Buffer.concat([bytes.subarray(0, from - 5), head, content]);
  writeFileSync(path, Buffer.concat([changed, createHash('sha256').update(changed).digest()]));
}
