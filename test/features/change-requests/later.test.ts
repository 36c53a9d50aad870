import { afterEach, beforeEach, expect, it } from 'vitest';
import { ROLE_ID } from '../../../src/model/role.ts';
import { give } from '../../access/people.ts';
import { accepted, CONFLICT, INVALID, prepare, refused } from '../../support/admin.ts';
import { ManualClock } from '../../support/manual-clock.ts';
import { personalTokenOf, putUser } from '../../support/people.ts';
import { startTestService, type TestService } from '../../support/service.ts';

const MEMBER = 100;
const PLACE = { projectId: 'default', environment: 'production' };
const HOUR_MS = 3_600_000;
const ON = { feature: 'flag', action: 'updateEnabled', payload: { enabled: true } };

let service: TestService;
let clock: ManualClock;
let token: string;

beforeEach(async () => {
  clock = new ManualClock();
  service = await startTestService({ clock });
  await putUser(service, MEMBER, { rootRole: ROLE_ID.viewer, username: 'ada', email: null });
  token = await personalTokenOf(service, MEMBER);
  await prepare(service, (draft) => give(draft, 'default', 'user', MEMBER, [ROLE_ID.member]));
  await accepted(service, 'createFeature', { params: { projectId: 'default' }, body: { name: 'flag' } });
});

afterEach(() => service.close());

const inHours = (hours: number) => new Date(clock.nowMs() + hours * HOUR_MS).toISOString();
const asking = (scheduledAt: string, body: unknown = ON) => ({
  params: PLACE,
  query: `scheduledAt=${scheduledAt}`,
  body,
  token,
});
const later = async (hours: number, body?: unknown) =>
  (await accepted(service, 'createChangeRequest', asking(inHours(hours), body))).body;
const read = async (id: number) =>
  (await accepted(service, 'getChangeRequest', { params: { projectId: 'default', id } })).body;
const protect = (changeRequestsEnabled: boolean) =>
  accepted(service, 'updateProjectChangeRequestConfig', {
    params: PLACE,
    body: { changeRequestsEnabled, requiredApprovals: 1 },
  });
const isOn = async () => {
  const params = { projectId: 'default', featureName: 'flag', environment: 'production' };
  return (await accepted(service, 'getFeatureEnvironment', { params })).body.enabled;
};

it('where no review is asked for, changes are made at their time, without an approval', async () => {
  const request = await later(2);
  expect(request).toMatchObject({ state: 'Scheduled', minApprovals: 0, schedule: { status: 'pending' } });
  const pending = await accepted(service, 'getPendingChangeRequestsForFeature', {
    params: { projectId: 'default', featureName: 'flag' },
  });
  expect(pending.body).toMatchObject([{ id: request.id, schedule: { scheduledAt: inHours(2) } }]);
  clock.advance(HOUR_MS);
  expect(await isOn()).toBe(false);
  clock.advance(HOUR_MS);
  await expect.poll(isOn).toBe(true);
  expect(await read(request.id)).toMatchObject({ state: 'Applied', approvals: [] });
});

it('each is a request of its own, which its author cancels', async () => {
  const first = await later(1);
  const second = await later(2);
  expect(second.id).not.toBe(first.id);
  for (const { id } of [first, second]) {
    const params = { projectId: 'default', id };
    await accepted(service, 'changeChangeRequestState', { params, body: { state: 'Cancelled' }, token });
  }
  clock.advance(3 * HOUR_MS);
  expect(await read(second.id)).toMatchObject({ state: 'Cancelled' });
  expect(await isOn()).toBe(false);
});

it('is refused without a future time, and where changes need a review; a request without a time still needs one', async () => {
  await refused(service, 'createChangeRequest', INVALID, asking(inHours(-1)));
  await refused(service, 'createChangeRequest', INVALID, asking(inHours(24 * 400)));
  await refused(service, 'createChangeRequest', INVALID, { params: PLACE, body: ON, token });
  await protect(true);
  await refused(service, 'createChangeRequest', CONFLICT, asking(inHours(1)));
});

it('is not made when a review is asked for at its time', async () => {
  const { id } = await later(1);
  await protect(true);
  clock.advance(HOUR_MS);
  await expect.poll(async () => (await read(id)).schedule.status).toBe('failed');
  expect((await read(id)).schedule.reason).toContain('needs 1 approvals');
  expect(await isOn()).toBe(false);
});

it('is not made for a person who may not make the change any more', async () => {
  const { id } = await later(1);
  await accepted(service, 'removeRoleOfProjectUser', {
    params: { projectId: 'default', id: MEMBER, roleId: ROLE_ID.member },
  });
  clock.advance(HOUR_MS);
  await expect.poll(async () => (await read(id)).schedule.status).toBe('suspended');
  expect((await read(id)).schedule.reason).toContain('may not make the change updateEnabled');
  expect(await isOn()).toBe(false);
});
