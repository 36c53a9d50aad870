import { expect } from 'vitest';
import type { ContractCase } from '../contract-case.ts';
import type { Answer, ContractWorld } from '../contract-world.ts';

const operation = 'GET /api/admin/projects/:projectId/change-requests/:id';
const PATH = '/api/admin/projects/default/change-requests';
const FLAGS = '/api/admin/projects/default/features';

let count = 0;

interface Asked {
  readonly id: number;
  readonly flag: string;
}

/** A flag of its own, and a draft by the one user that switches it on in production. */
async function draft(world: ContractWorld): Promise<Asked> {
  const flag = `requested-${++count}`;
  await world.made('POST', FLAGS, { body: { name: flag } });
  const config = '/api/admin/projects/default/environments/production/change-requests/config';
  await world.made('PUT', config, { body: { changeRequestsEnabled: true, requiredApprovals: 1 } });
  const path = '/api/admin/projects/default/environments/production/change-requests';
  const body = [
    { feature: flag, action: 'addStrategy', payload: { name: 'default', parameters: {} } },
    { feature: flag, action: 'updateEnabled', payload: { enabled: true } },
  ];
  const { id } = (await world.made('POST', path, { body, token: world.userToken })).body;
  return { id, flag };
}

function move(world: ContractWorld, id: number, state: string, more: object = {}, token = world.userToken) {
  return world.made('PUT', `${PATH}/${id}/state`, { body: { state, ...more }, token });
}

async function inReview(world: ContractWorld): Promise<Asked> {
  const asked = await draft(world);
  await move(world, asked.id, 'In review');
  return asked;
}

/** Approved by somebody else. */
async function approved(world: ContractWorld): Promise<Asked> {
  const asked = await inReview(world);
  await move(world, asked.id, 'Approved', { comment: 'Fine with me' }, world.reviewerToken);
  return asked;
}

const read = (world: ContractWorld, id: number): Promise<Answer> => world.send('GET', `${PATH}/${id}`);

/** One state of the contract, and how people bring a request there over HTTP. */
function inState(
  state: string,
  when: string,
  bring: (world: ContractWorld) => Promise<Asked>,
  check: (body: Answer['body']) => void = () => {},
): ContractCase {
  return {
    operation,
    status: 200,
    when,
    send: async (world) => read(world, (await bring(world)).id),
    check({ body }) {
      expect(body).toMatchObject({ state, environment: 'production', project: 'default', minApprovals: 1 });
      expect(body.createdBy.username).toBe('erna@example.org');
      check(body);
    },
  };
}

const tomorrow = () => new Date(Date.now() + 24 * 3_600_000).toISOString();

async function scheduled(world: ContractWorld, scheduledAt = tomorrow()): Promise<Asked> {
  const asked = await approved(world);
  await move(world, asked.id, 'Scheduled', { scheduledAt });
  return asked;
}

/** Its time comes soon, and by then the strategy is gone that it would change. */
async function failed(world: ContractWorld): Promise<Asked> {
  const { id: other, flag } = await draft(world);
  await world.made('DELETE', `${PATH}/${other}`);
  const strategies = `${FLAGS}/${flag}/environments/production/strategies`;
  const strategy = (await world.made('POST', strategies, { body: { name: 'default' } })).body.id;
  const path = '/api/admin/projects/default/environments/production/change-requests';
  const change = { feature: flag, action: 'updateStrategy', payload: { id: strategy, title: 'gone' } };
  const { id } = (await world.made('POST', path, { body: change, token: world.userToken })).body;
  await move(world, id, 'In review');
  await move(world, id, 'Approved', {}, world.reviewerToken);
  await world.made('DELETE', `${strategies}/${strategy}`);
  await scheduleSoon(world, id);
  await expect.poll(async () => (await read(world, id)).body.schedule.status, { timeout: 60_000 }).toBe('failed');
  return { id, flag };
}

/** As soon as it can be: on a slow machine a time may be past before it is asked for. */
async function scheduleSoon(world: ContractWorld, id: number): Promise<void> {
  for (let aheadMs = 500; ; aheadMs *= 2) {
    const body = { state: 'Scheduled', scheduledAt: new Date(Date.now() + aheadMs).toISOString() };
    const { status } = await world.send('PUT', `${PATH}/${id}/state`, { body, token: world.userToken });
    if (status === 200) return;
    expect([status, aheadMs < 60_000]).toEqual([400, true]);
  }
}

export const CHANGE_REQUEST_CASES: readonly ContractCase[] = [
  inState('Draft', 'it is a draft: its changes, in order', draft, (body) => {
    expect(body.features[0].changes.map(({ action }: { action: string }) => action)).toEqual([
      'addStrategy',
      'updateEnabled',
    ]);
    expect(body.segments).toEqual([]);
  }),
  inState('In review', 'it was sent to review', inReview),
  inState('Approved', 'somebody else approved it', approved, ({ approvals }) => {
    expect(approvals).toMatchObject([{ createdBy: { username: 'rosa@example.org' } }]);
  }),
  inState(
    'Rejected',
    'somebody else rejected it',
    async (world) => {
      const asked = await inReview(world);
      await move(world, asked.id, 'Rejected', {}, world.reviewerToken);
      return asked;
    },
    ({ rejections }) => expect(rejections).toMatchObject([{ createdBy: { username: 'rosa@example.org' } }]),
  ),
  inState('Cancelled', 'whoever asked for it cancelled it', async (world) => {
    const asked = await inReview(world);
    await move(world, asked.id, 'Cancelled');
    return asked;
  }),
  inState('Applied', 'it was applied: the flag is as it says', async (world) => {
    const asked = await approved(world);
    await move(world, asked.id, 'Applied');
    const { environments } = (await world.made('GET', `${FLAGS}/${asked.flag}`)).body;
    expect(environments.find(({ name }: { name: string }) => name === 'production')).toMatchObject({ enabled: true });
    return asked;
  }),
  inState(
    'Scheduled',
    'it waits for its time: the schedule is pending',
    (world) => scheduled(world),
    ({ schedule }) => expect(schedule.status).toBe('pending'),
  ),
  inState(
    'Scheduled',
    'its time came and it could not be applied: the schedule is failed, with the reason',
    failed,
    ({ schedule }) => {
      const reason = expect.stringMatching(/strategy/);
      expect(schedule).toEqual({ status: 'failed', scheduledAt: expect.any(String), reason, failureReason: reason });
    },
  ),
  inState(
    'Scheduled',
    'the flag was archived meanwhile: the schedule is suspended, with the reason',
    async (world) => {
      const asked = await scheduled(world);
      await world.made('DELETE', `${FLAGS}/${asked.flag}`);
      return asked;
    },
    ({ schedule }) => expect(schedule).toMatchObject({ status: 'suspended', reason: expect.stringMatching(/\w/) }),
  ),
  {
    operation,
    status: 200,
    when: 'it has a comment',
    async send(world) {
      const { id } = await draft(world);
      await world.made('POST', `${PATH}/${id}/comments`, { body: { text: 'Why now?' }, token: world.reviewerToken });
      return read(world, id);
    },
    check: ({ body }) =>
      expect(body.comments).toMatchObject([{ text: 'Why now?', createdBy: { username: 'rosa@example.org' } }]),
  },
  {
    operation,
    status: 200,
    when: 'what it wants to change is gone: the conflict is told',
    async send(world) {
      const { id, flag } = await draft(world);
      await world.made('DELETE', `${FLAGS}/${flag}`);
      return read(world, id);
    },
    check: ({ body }) => expect(body.features.at(-1).conflict).toMatch(/archived/),
  },
  {
    operation,
    status: 404,
    when: 'there is no such change request',
    send: (world) => read(world, 9_999),
  },
  {
    operation,
    status: 404,
    when: 'it belongs to another project',
    async send(world) {
      const { id } = await draft(world);
      await world.send('POST', '/api/admin/projects', { body: { id: 'another', name: 'Another' } });
      return world.send('GET', `/api/admin/projects/another/change-requests/${id}`);
    },
  },
];
