import { afterEach, describe, expect, it } from 'vitest';
import { untilTrue } from '../support/until.ts';
import { Fleet, type ReplicaProcess } from './fleet.ts';

/** One time for all reports, so that they are in one hour. */
const STOP_MS = Date.now();

type Toggles = Readonly<Record<string, { readonly yes: number; readonly no?: number }>>;

describe('Reports of SDKs to several replicas', () => {
  let fleet: Fleet;

  afterEach(() => fleet.dispose());

  const post = async (replica: ReplicaProcess, path: string, body: unknown) => {
    const answer = await replica.call('POST', path, { body });
    expect(answer.status, answer.text).toBe(202);
  };

  const report = async (replica: ReplicaProcess, instanceId: string, toggles: Toggles) => {
    const about = { appName: 'shop', instanceId, sdkVersion: `unleash-client-node:6.0.${instanceId}` };
    await post(replica, '/api/client/register', { ...about, strategies: ['default'] });
    await post(replica, '/api/client/metrics', { ...about, bucket: { start: STOP_MS - 1, stop: STOP_MS, toggles } });
  };

  const read = async (replica: ReplicaProcess, path: string) => {
    const answer = await replica.call('GET', `/api/admin/${path}`);
    expect(answer.status, answer.text).toBe(200);
    return answer.json;
  };

  it('are returned as the same sums by each, change a lifecycle once, and are kept when all replicas are killed', async () => {
    fleet = await Fleet.start(2);
    const [first, second] = [fleet.at(0), fleet.at(1)];
    const made = await first.create('both');
    const headers = { 'burgee-min-revision': made.headers.get('burgee-revision') ?? '' };
    expect((await second.poll(headers)).status).toBe(200);
    await report(first, '1', { both: { yes: 2, no: 1 }, missing: { yes: 1 } });
    await report(second, '2', { both: { yes: 40 } });
    // A request for metrics makes a replica write its reports to Redis.
    for (const replica of fleet.replicas) await read(replica, 'metrics/applications');

    const expectReported = async (replica: ReplicaProcess) => {
      const { data } = await read(replica, 'client-metrics/features/both/raw');
      expect(data).toMatchObject([{ appName: 'shop', environment: 'development', yes: 42, no: 1 }]);
      const overview = async () => (await read(replica, 'metrics/applications/shop/overview')).environments;
      await untilTrue(async () => (await overview())[0]?.instanceCount === 2, 'the overview has both instances');
      expect(await overview()).toMatchObject([
        {
          name: 'development',
          sdks: ['unleash-client-node:6.0.1', 'unleash-client-node:6.0.2'],
          issues: { missingFeatures: ['missing'] },
        },
      ]);
      const flag = () => read(replica, 'projects/default/features/both');
      await untilTrue(async () => (await flag()).environments[0].yes === 42, 'the flag counts both');
      const { environments, lastSeenAt, lifecycle } = await flag();
      expect(environments[0].no).toBe(1);
      return { lastSeenAt, lifecycle };
    };
    const reported = [await expectReported(first), await expectReported(second)];
    expect(reported[0]).toEqual(reported[1]);
    expect(reported[0]?.lifecycle.stage).toBe('pre-live');
    const { events } = await read(first, 'events?limit=100');
    expect(events.filter(({ type }: { type: string }) => type === 'application-created')).toHaveLength(1);
    const stages = await read(second, 'projects/default/features/both/lifecycle');
    expect(stages.map(({ stage }: { stage: string }) => stage)).toEqual(['initial', 'pre-live']);

    for (const replica of fleet.replicas) await replica.end('SIGKILL');
    for (const replica of fleet.replicas) await replica.start();
    expect(await expectReported(second)).toEqual(reported[0]);
  });

  it('are counted as lost when Redis is emptied after it stored them', async () => {
    fleet = await Fleet.start(1);
    const replica = fleet.at(0);
    await replica.create('counted');
    const lost = async () => {
      const { text } = await replica.call('GET', '/internal-backstage/prometheus');
      return Number(/^burgee_counts_lost_total (\d+)$/m.exec(text)?.[1]);
    };
    const reportAndHandOver = async () => {
      await report(replica, '1', { counted: { yes: 2 } });
      await read(replica, 'metrics/applications');
    };
    await reportAndHandOver();
    await reportAndHandOver();
    expect(await lost()).toBe(0);
    await fleet.redis.command('FLUSHALL');
    await untilTrue(async () => (await replica.ready()).json.losses.refilled === 1, 'it is refilled');
    await reportAndHandOver();
    await untilTrue(async () => (await lost()) > 0, 'the loss is counted');
  });
});
