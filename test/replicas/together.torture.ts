import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ADMIN_TOKEN } from '../support/service.ts';
import { Fleet } from './fleet.ts';
import { expectKept, Poller, readCreated, readLog, Writers } from './load.ts';

/** 60 for the long run. */
const SECONDS = Number(process.env.REPLICA_TEST_SECONDS ?? 12);

describe('three replicas on one Redis', () => {
  let fleet: Fleet;
  beforeAll(async () => {
    fleet = await Fleet.start(3, { SNAPSHOT_EVERY_COMMITS: '1000' });
  });
  afterAll(() => fleet.dispose());

  it('reach the same state, in the same order, with the same ETags, under eight writers', async () => {
    const pollers = fleet.replicas.map((replica) => new Poller(replica));
    const writers = new Writers(8, fleet.replicas, 'flag');
    await sleep(SECONDS * 1_000);
    await writers.stop();
    for (const poller of pollers) await poller.stop();
    const { names, revision } = await fleet.expectAgreement();
    expect((await readLog(fleet.redis.url)).tip).toBe(revision);
    const created = await readCreated(fleet.redis.url);
    expect(new Set(created).size).toBe(created.length);
    expect(new Set(created)).toEqual(names);
    expectKept(names, writers);
    expect(writers.acknowledged.size).toBeGreaterThan(100);
    expect(writers.refused.size + writers.unknown.size).toBe(0);
  });

  it('return on one what was written on another, when the request names the revision', async () => {
    for (let count = 0; count < 30; count++) {
      const [writer, reader, other] = [fleet.at(count), fleet.at(count + 1), fleet.at(count + 2)];
      const name = `own-${count}`;
      const made = await writer.create(name);
      const headers = { 'burgee-min-revision': made.headers.get('burgee-revision') ?? '' };
      const [list, flag, switched] = await Promise.all([
        reader.poll(headers),
        other.call('GET', `/api/admin/projects/default/features/${name}`, { headers }),
        other.call('POST', `/api/admin/projects/default/features/${name}/environments/development/on`, { headers }),
      ]);
      expect([list.status, flag.status, switched.status]).toEqual([200, 200, 200]);
      expect(list.text).toContain(`"${name}"`);
    }
  });

  it('accept a token that was made on another, when the request names the revision', async () => {
    const body = { type: 'client', tokenName: 'fresh', environment: 'development', projects: ['*'] };
    const made = await fleet.at(0).call('POST', '/api/admin/api-tokens', { body });
    expect(made.status, made.text).toBe(201);
    const headers = {
      authorization: made.json.secret,
      'burgee-min-revision': made.headers.get('burgee-revision') ?? '',
    };
    expect((await fleet.at(1).poll(headers)).status).toBe(200);
    const lines = await fetch(`${fleet.at(2).url}/api/client/evaluate`, {
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/x-ndjson' },
      body: '{"userId":"1"}\n',
    });
    expect(lines.status).toBe(200);
    expect(await lines.text()).toContain('own-0');
  });

  it('answer 503 when the revision does not arrive, and 400 when it is invalid', async () => {
    const replica = fleet.at(0);
    const headers = { 'burgee-min-revision': '999999999' };
    const answers = await Promise.all([
      replica.poll(headers),
      replica.call('GET', '/api/admin/projects', { headers }),
      replica.create('never', headers),
    ]);
    for (const { status, headers: answered } of answers) {
      expect([status, answered.get('retry-after')]).toEqual([503, '1']);
    }
    const wrong = await replica.poll({ 'burgee-min-revision': 'newest' });
    expect([wrong.status, wrong.json.name]).toEqual([400, 'ValidationError']);
    const token = await replica.poll({ 'burgee-min-revision': '1', authorization: '*:development.unknown' });
    expect(token.status).toBe(401);
    expect((await replica.call('GET', '/api/admin/projects', { headers: { authorization: ADMIN_TOKEN } })).status).toBe(
      200,
    );
  });
});
