import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, describe, expect, it } from 'vitest';
import { untilTrue } from '../support/until.ts';
import { Fleet, type ReplicaProcess } from './fleet.ts';

const ADMIN = '*:*.test-admin';
const PROJECT = '/api/admin/projects/default';
/** The shortest interval of a milestone. */
const INTERVAL_MS = 60_000;
const TEMPLATE = {
  name: 'Timed',
  milestones: [
    { name: 'First', strategies: [{ name: 'default' }], transitionCondition: { intervalMinutes: 1 } },
    { name: 'Second', strategies: [{ name: 'default' }] },
  ],
};

describe('The timed progression of release plans, with two replicas', { timeout: 600_000 }, () => {
  let fleet: Fleet;

  afterEach(() => fleet.dispose());

  const made = async (replica: ReplicaProcess, method: string, path: string, body?: unknown) => {
    const answer = await replica.call(method, path, { body, headers: { authorization: ADMIN } });
    expect(answer.status, `${path}: ${answer.text}`).toBeLessThan(300);
    return answer.json;
  };

  const untilTime = (atMs: number) => sleep(Math.max(0, atMs - Date.now()));

  /** A flag that is on, with a plan whose first milestone has just started. Returns when its second one is due. */
  const released = async (name: string, templateId: string): Promise<number> => {
    const replica = fleet.at(0);
    await made(replica, 'POST', `${PROJECT}/features`, { name });
    const environment = `${PROJECT}/features/${name}/environments/development`;
    await made(replica, 'POST', `${environment}/on`);
    await made(replica, 'POST', `${environment}/release-plans`, { templateId });
    const [plan] = await made(replica, 'GET', `${environment}/release-plans`);
    return Date.parse(plan.nextMilestoneAt);
  };

  /** How often the audit log has the event that a milestone was started. */
  const starts = async (replica: ReplicaProcess, name: string): Promise<number> => {
    const { events } = await made(replica, 'GET', '/api/admin/events?limit=100');
    return events.filter(
      ({ type, featureName }: { type: string; featureName: string | null }) =>
        type === 'release-plan-milestone-started' && featureName === name,
    ).length;
  };

  const progressed = (replica: ReplicaProcess, name: string) =>
    untilTrue(async () => (await starts(replica, name)) === 2, `the second milestone of ${name} is started`);

  it('starts each milestone once, also when the replicas are killed at that moment', async () => {
    fleet = await Fleet.start(2, { INIT_ADMIN_API_TOKENS: ADMIN });
    const { id } = await made(fleet.at(0), 'POST', '/api/admin/release-plan-templates', TEMPLATE);
    const together = await released('together', id);
    expect(together - Date.now()).toBeLessThanOrEqual(INTERVAL_MS + 5_000);
    const alone = await released('alone', id);
    // Due a little later than the others.
    await untilTime(alone - INTERVAL_MS + 3_000);
    const killed = await released('killed', id);
    await untilTime(together - 30);
    // One is killed at the moment of the first steps, and both at the moment of the last one.
    await fleet.at(0).end('SIGKILL');
    await progressed(fleet.at(1), 'together');
    await progressed(fleet.at(1), 'alone');
    expect(alone).toBeLessThan(killed);
    await untilTime(killed - 5);
    await fleet.at(1).end('SIGKILL');
    await Promise.all([fleet.at(0).start(), fleet.at(1).start()]);
    await progressed(fleet.at(0), 'killed');
    await fleet.expectAgreement();
    for (const replica of fleet.replicas)
      for (const name of ['together', 'alone', 'killed']) expect(await starts(replica, name)).toBe(2);
  });
});
