import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { Fleet, type ReplicaProcess, until } from './fleet.ts';

// biome-ignore lint/suspicious/noExplicitAny: tests reach into answers freely
type Any = any;

describe('commits that a replica gave up', () => {
  let fleet: Fleet;
  afterEach(() => fleet.dispose());

  const create = (replica: ReplicaProcess, name: string) =>
    until(async () => [201, 409].includes((await replica.create(name)).status), `${name} is written`);

  /** `a` alone knows the flag `lost` and that `both` is on, and was not there while `b` went on. It is stopped as yet. */
  const split = async () => {
    fleet = await Fleet.start(2);
    const [a, b] = [fleet.at(0), fleet.at(1)];
    await create(a, 'both');
    await fleet.expectAgreement();
    await b.end();
    fleet.redis.backUp('early');
    await create(a, 'lost');
    const on = '/api/admin/projects/default/features/both/environments/development/on';
    expect((await a.call('POST', on)).status).toBe(200);
    a.signal('SIGSTOP');
    await fleet.redis.restore('early');
    await b.start();
    await create(b, 'kept');
    return { a, b };
  };

  const surplusFile = (replica: ReplicaProcess): string => {
    const [name, ...more] = readdirSync(replica.directory).filter((file) => /^surplus-.*\.ndjson$/.test(file));
    expect(more).toEqual([]);
    return name ?? '';
  };

  const told = async (replica: ReplicaProcess, type: string): Promise<Any[]> =>
    (await replica.call('GET', '/api/admin/events?limit=100')).json.events.filter((event: Any) => event.type === type);

  it('are told in the audit trail: once, by whom gave them up, as soon as it can write, also after a restart', async () => {
    const { a, b } = await split();
    // It takes what Redis has, and cannot write.
    fleet.redis.cli('CONFIG', 'SET', 'maxmemory', '1');
    a.signal('SIGCONT');
    await until(async () => (await a.ready()).json?.losses?.adopted === 1, 'it takes what Redis has');
    await until(async () => (await a.ready()).json.writesRefused?.reason === 'memory-full', 'it cannot write');
    await a.end();
    fleet.redis.cli('CONFIG', 'SET', 'maxmemory', '0');
    expect(await told(b, 'history-surplus')).toEqual([]);
    await a.start();
    await until(async () => (await told(b, 'history-surplus')).length > 0, 'it is told');
    const [event] = await told(b, 'history-surplus');
    const head = JSON.parse(readFileSync(join(a.directory, surplusFile(a)), 'utf8').split('\n', 1)[0] ?? '');
    expect(event).toMatchObject({
      createdBy: 'burgee',
      data: { epoch: head.epoch, fromRevision: head.fromSeq, throughRevision: head.throughSeq, file: surplusFile(a) },
    });
    expect(event.data.writes).toBe(head.throughSeq - head.fromSeq + 1);
    await a.end();
    await a.start();
    await create(a, 'later');
    await fleet.expectAgreement();
    expect(await told(b, 'history-surplus')).toHaveLength(1);
    expect((await b.call('GET', '/internal-backstage/prometheus')).text).toContain('burgee_given_up_commits_total 0\n');
  }, 60_000);
});
