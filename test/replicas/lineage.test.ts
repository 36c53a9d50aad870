import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { Fleet, type ReplicaProcess, until } from './fleet.ts';

describe('replicas whose Redis goes back in time', () => {
  let fleet: Fleet;
  afterEach(() => fleet.dispose());

  const createMany = async (replica: ReplicaProcess, prefix: string, count: number) => {
    for (let index = 0; index < count; index++) {
      const name = `${prefix}-${index}`;
      // A server that was just confirmed takes writes within a poll.
      await until(async () => [201, 409].includes((await replica.create(name)).status), `${name} is written`);
    }
  };

  const names = async (replica: ReplicaProcess): Promise<string[]> =>
    (await replica.poll()).json.features.map(({ name }: { name: string }) => name).sort();

  /** Each commit that the replica wrote down when it gave it up. */
  const surplusOf = (replica: ReplicaProcess) => {
    const files = readdirSync(replica.directory).filter((name) => /^surplus-.*\.ndjson$/.test(name));
    expect(files).toHaveLength(1);
    const lines = readFileSync(join(replica.directory, files[0] ?? ''), 'utf8')
      .trim()
      .split('\n');
    return lines.map((line) => JSON.parse(line));
  };

  /** `a` alone knows `lost-…`, which Redis forgot, and was not there while `b` went on from the backup. */
  const split = async (environment: Record<string, string>, surplus: number, written: number) => {
    fleet = await Fleet.start(2, environment);
    const [a, b] = [fleet.at(0), fleet.at(1)];
    await createMany(a, 'both', 2);
    await fleet.expectAgreement();
    await b.end();
    fleet.redis.backUp('early');
    await createMany(a, 'lost', surplus);
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
    ['commits below what the log was trimmed to', { SNAPSHOT_EVERY_COMMITS: '3' }, 4, 8],
  ])(
    'give up %s, and say so; what the others acknowledged stays (D1)',
    async (_what, environment, surplus, written) => {
      const { a, b, before } = await split(environment, surplus, written);
      await until(async () => (await a.ready()).json.losses?.adopted === 1, 'it takes what Redis has');
      const agreed = await fleet.expectAgreement();
      expect([...agreed.names].filter((name) => name.startsWith('kept'))).toHaveLength(written);
      expect([...agreed.names].filter((name) => name.startsWith('lost'))).toEqual([]);
      const { losses } = (await a.ready()).json;
      expect(losses).toMatchObject({ current: null, adopted: 1, refilled: 0, givenUp: surplus });
      expect(losses.surplus).toContain(a.directory);
      const [head, ...commits] = surplusOf(a);
      expect(head).toMatchObject({ kind: 'surplus' });
      expect(head.throughSeq - head.fromSeq + 1).toBe(surplus);
      const keys = commits.flatMap(({ changes }) => changes.map(({ key }: { key: string }) => key));
      expect(keys.filter((key: string) => key.startsWith('lost'))).toHaveLength(surplus);
      const after = await a.poll({ 'if-none-match': before.headers.get('etag') ?? '' });
      expect(after.status).toBe(200);
      // Neither is told of what never was, nor refuses writes for it (D2).
      await fleet.redis.cli('FLUSHALL');
      await createMany(a, 'after-a', 1);
      await createMany(b, 'after-b', 1);
      const events = (await a.call('GET', '/api/admin/events?limit=100')).json.events;
      const created = events.filter(({ type }: { type: string }) => type === 'feature-created');
      for (const { featureName } of created) expect(featureName).not.toMatch(/^lost/);
      await fleet.expectAgreement();
    },
    60_000,
  );

  it('never give one ETag to two lists: not when an older file was restored and nobody knew more (D3)', async () => {
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
  }, 60_000);

  it('refill a file from before an earlier refill, which all of them descend from (D5)', async () => {
    fleet = await Fleet.start(2);
    const [a, b] = [fleet.at(0), fleet.at(1)];
    await createMany(a, 'first', 2);
    await fleet.expectAgreement();
    fleet.redis.backUp('before-the-refill');
    await createMany(a, 'second', 1);
    fleet.redis.cli('FLUSHALL');
    await createMany(b, 'third', 2);
    await fleet.expectAgreement();
    await fleet.redis.restore('before-the-refill');
    await createMany(a, 'fourth', 1);
    const { names: kept } = await fleet.expectAgreement();
    expect(kept.size).toBe(6);
    for (const replica of [a, b]) {
      expect((await replica.ready()).json.losses).toMatchObject({ current: null, adopted: 0, givenUp: 0 });
    }
  }, 60_000);
});
