import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, describe, expect, it } from 'vitest';
import { untilTrue } from '../support/until.ts';
import { Fleet, type ReplicaProcess } from './fleet.ts';

const ROUNDS = Number(process.env.SCHEDULE_ROUNDS ?? 1);
const AUTHOR = '*:*.author';
const REVIEWER = '*:*.reviewer';
const TOKENS = { INIT_ADMIN_API_TOKENS: `*:*.test-admin,${AUTHOR},${REVIEWER}` };
const HALF_A_DAY_MS = 12 * 60 * 60 * 1_000;
const PROJECT = '/api/admin/projects/default';
const IN_PRODUCTION = `${PROJECT}/environments/production/change-requests`;

/** Environment of a process whose clock is wrong by this time. */
function clockOff(offMs: number): Readonly<Record<string, string>> {
  const source = `
    const Real = Date;
    globalThis.Date = class extends Real {
      constructor(...args) { super(...(args.length === 0 ? [Real.now() + ${offMs}] : args)); }
      static now() { return Real.now() + ${offMs}; }
    };`;
  return { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(source)}` };
}

describe('A scheduled change request, with three replicas', { timeout: 600_000 + ROUNDS * 60_000 }, () => {
  let fleet: Fleet;

  afterEach(() => fleet.dispose());

  const made = async (replica: ReplicaProcess, method: string, path: string, body: unknown, token = AUTHOR) => {
    const answer = await replica.call(method, path, { body, headers: { authorization: token } });
    expect(answer.status, `${path}: ${answer.text}`).toBeLessThan(300);
    return answer.json;
  };

  /** Creates a change request that switches a new flag on, and approves and schedules it. */
  const scheduled = async (name: string, aheadMs: number): Promise<{ readonly id: number; readonly atMs: number }> => {
    const replica = fleet.at(0);
    await made(replica, 'POST', `${PROJECT}/features`, { name });
    const wanted = { feature: name, action: 'updateEnabled', payload: { enabled: true } };
    const { id } = await made(replica, 'POST', IN_PRODUCTION, wanted);
    const state = `${PROJECT}/change-requests/${id}/state`;
    await made(replica, 'PUT', state, { state: 'In review' });
    await made(replica, 'PUT', state, { state: 'Approved' }, REVIEWER);
    // On a busy machine the time may be past before the request arrives.
    for (let inMs = aheadMs; ; inMs *= 2) {
      const atMs = Date.now() + inMs;
      const body = { state: 'Scheduled', scheduledAt: new Date(atMs).toISOString() };
      const { status, text } = await replica.call('PUT', state, { body, headers: { authorization: REVIEWER } });
      if (status === 200) return { id, atMs };
      expect(text).toContain('is in the past');
    }
  };

  const untilTime = (atMs: number) => sleep(Math.max(0, atMs - Date.now()));

  const stateOf = async (replica: ReplicaProcess, id: number) =>
    (await made(replica, 'GET', `${PROJECT}/change-requests/${id}`, undefined)).state;

  const applied = (replica: ReplicaProcess, id: number) =>
    untilTrue(async () => (await stateOf(replica, id)) === 'Applied', `change request ${id} is applied`);

  /** How often the audit log has the event that the flag was switched on. */
  const timesOn = async (replica: ReplicaProcess, name: string) => {
    const { events } = await made(replica, 'GET', '/api/admin/events?limit=100', undefined);
    const isOn = ({ type, featureName }: { type: string; featureName: string | null }) =>
      type === 'feature-environment-enabled' && featureName === name;
    return events.filter(isOn).length;
  };

  const start = async () => {
    fleet = await Fleet.start(3, TOKENS);
    const config = { changeRequestsEnabled: true, requiredApprovals: 1 };
    await made(fleet.at(0), 'PUT', `${IN_PRODUCTION}/config`, config);
  };

  it('is applied once, also when the replica that would apply it is killed at that moment', async () => {
    await start();
    for (let round = 0; round < ROUNDS; round++) {
      const [together, survived] = [`together-${round}`, `survived-${round}`];
      const first = await scheduled(together, 500);
      await applied(fleet.at(1), first.id);
      const second = await scheduled(survived, 700);
      // Two are killed near the due time: before, at or after it, which differs from round to round.
      await untilTime(second.atMs - 20 + (round % 5) * 10);
      await Promise.all([fleet.at(0).end('SIGKILL'), fleet.at(1).end('SIGKILL')]);
      await applied(fleet.at(2), second.id);
      await Promise.all([fleet.at(0).start(), fleet.at(1).start()]);
      await fleet.expectAgreement();
      for (const replica of fleet.replicas) {
        expect([await timesOn(replica, together), await timesOn(replica, survived)]).toEqual([1, 1]);
      }
    }
  });

  it('is applied once when Redis is unreachable at that moment and comes back', async () => {
    await start();
    for (let round = 0; round < ROUNDS; round++) {
      const name = `away-${round}`;
      const { id, atMs } = await scheduled(name, 1_000);
      fleet.redis.signal('SIGSTOP');
      await untilTime(atMs + 500);
      fleet.redis.signal('SIGCONT');
      await applied(fleet.at(1), id);
      await fleet.expectAgreement();
      for (const replica of fleet.replicas) expect(await timesOn(replica, name)).toBe(1);
    }
  });

  it('is applied once, at the time of Redis, by replicas whose clocks are a day ahead and a day behind', async () => {
    fleet = await Fleet.start(1, TOKENS);
    const ahead = await fleet.add({ ...TOKENS, ...clockOff(2 * HALF_A_DAY_MS) });
    const behind = await fleet.add({ ...TOKENS, ...clockOff(-2 * HALF_A_DAY_MS) });
    await Promise.all([ahead.start(), behind.start()]);
    const config = { changeRequestsEnabled: true, requiredApprovals: 1 };
    await made(fleet.at(0), 'PUT', `${IN_PRODUCTION}/config`, config);
    const later = await scheduled('in-an-hour', HALF_A_DAY_MS / 12);
    const soon = await scheduled('soon', 500);
    await applied(ahead, soon.id);
    const alone = await scheduled('by-the-one-behind', 2_000);
    await Promise.all([fleet.at(0).end('SIGKILL'), ahead.end('SIGKILL')]);
    await applied(behind, alone.id);
    await Promise.all([fleet.at(0).start(), ahead.start()]);
    await fleet.expectAgreement();
    for (const replica of fleet.replicas) {
      expect(await stateOf(replica, later.id)).toBe('Scheduled');
      expect([await timesOn(replica, 'soon'), await timesOn(replica, 'by-the-one-behind')]).toEqual([1, 1]);
      const { events } = await made(replica, 'GET', '/api/admin/events?limit=100', undefined);
      const offs = events.map(({ createdAt }: { createdAt: string }) => Math.abs(Date.now() - Date.parse(createdAt)));
      expect(Math.max(...offs)).toBeLessThan(HALF_A_DAY_MS);
    }
  });
});
