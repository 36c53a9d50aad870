import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { requestBytes } from '../../../src/model/change-request.ts';
import { accepted, INVALID, MISSING, prepare, refused } from '../../support/admin.ts';
import { startTestService, type TestService } from '../../support/service.ts';

const [AUTHOR, REVIEWER] = ['*:*.author', '*:*.reviewer'];
const TOKENS = { INIT_ADMIN_API_TOKENS: `*:*.test-admin,${AUTHOR},${REVIEWER}` };

let directory: string;
let service: TestService;

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'burgee-test-'));
});

afterEach(async () => {
  await service.close();
  await rm(directory, { recursive: true, force: true });
});

/** Starts the service with two projects, each with a protected production environment and a flag. What the store already contains stays. */
async function start(env: Record<string, string>): Promise<void> {
  service = await startTestService({ directory, env: { ...TOKENS, ...env } });
  for (const id of ['default', 'other']) {
    if (!service.running.services.state.get('projects', id))
      await accepted(service, 'createProject', { body: { id, name: id } });
    if (service.running.services.state.get('features', `flag-${id}`)) continue;
    await accepted(service, 'createFeature', { params: { projectId: id }, body: { name: `flag-${id}` } });
    const body = { changeRequestsEnabled: true, requiredApprovals: 1 };
    await accepted(service, 'updateProjectChangeRequestConfig', { params: productionOf(id), body });
  }
}

const productionOf = (projectId: string) => ({ projectId, environment: 'production' });

/** A request for a change of slightly more than this number of bytes: it adds a strategy. */
const change = (projectId: string, bytes: number) => {
  const payload = { name: 'default', parameters: { groupId: 'x'.repeat(bytes) } };
  return {
    params: productionOf(projectId),
    token: AUTHOR,
    body: { feature: `flag-${projectId}`, action: 'addStrategy', payload },
  };
};

const move = (projectId: string, id: number, state: string, token: string, more: object = {}) =>
  accepted(service, 'changeChangeRequestState', { params: { projectId, id }, token, body: { state, ...more } });

/** Creates a change request, sends it to review, and returns its id. */
async function asked(projectId: string, bytes: number): Promise<number> {
  const { id } = (await accepted(service, 'createChangeRequest', change(projectId, bytes))).body;
  await move(projectId, id, 'In review', AUTHOR);
  return id;
}

async function cancelled(projectId: string, bytes: number): Promise<number> {
  const id = await asked(projectId, bytes);
  await move(projectId, id, 'Cancelled', AUTHOR);
  return id;
}

/** The bytes of all stored change requests. The total of the single requests must equal the sums in the state. */
function bytesStored(): number {
  const { state } = service.running.services;
  const all = [...state.values('changeRequests')].reduce((sum, request) => sum + requestBytes(request), 0);
  expect(state.sum('openRequests', '') + state.sum('closedRequests', '')).toBe(all);
  return all;
}

const idsStored = () => [...service.running.services.state.values('changeRequests')].map(({ id }) => id).sort();

it('The open change requests of a project have a limit in bytes, and can still be reviewed when it is reached', async () => {
  await start({ OPEN_CHANGE_REQUEST_BYTES_LIMIT: '40000' });
  const [first, second] = [await asked('default', 15_000), await asked('default', 15_000)];
  const refusal = await refused(service, 'createChangeRequest', INVALID, change('default', 15_000));
  expect(refusal.body.message).toContain('The project default goes beyond a limit.');
  expect(refusal.body.message).toContain('OPEN_CHANGE_REQUEST_BYTES_LIMIT');
  const params = { projectId: 'default', id: first };
  for (let count = 0; count < 3; count++) {
    await accepted(service, 'addChangeRequestComment', { params, body: { text: 'y'.repeat(2_000) } });
  }
  await refused(service, 'addChangeRequestComment', INVALID, { params, body: { text: 'y'.repeat(2_000) } });
  // Another project has its own limit, and closed change requests do not count.
  await asked('other', 15_000);
  await move('default', first, 'Approved', REVIEWER);
  await move('default', first, 'Applied', REVIEWER);
  await move('default', second, 'Rejected', REVIEWER, { comment: 'z'.repeat(2_000) });
  await asked('default', 15_000);
  bytesStored();
});

it('Closed change requests are deleted for new ones, the oldest first; without closed ones, new ones are refused', async () => {
  await start({ CHANGE_REQUESTS_BYTES_LIMIT: '100000' });
  const closed = [
    await cancelled('default', 28_000),
    await cancelled('other', 28_000),
    await cancelled('default', 28_000),
  ];
  const [open] = [await asked('other', 28_000)];
  expect(idsStored()).toEqual([...closed.slice(1), open]);
  await refused(service, 'getChangeRequest', MISSING, { params: { projectId: 'default', id: closed[0] ?? 0 } });
  const more = [await asked('default', 28_000), await asked('default', 28_000)];
  expect(idsStored()).toEqual([open, ...more]);
  expect(bytesStored()).toBeLessThanOrEqual(100_000);
  const refusal = await refused(service, 'createChangeRequest', INVALID, change('default', 28_000));
  expect(refusal.body.message).toContain('CHANGE_REQUESTS_BYTES_LIMIT');
  // Space is also made for the comment that comes with applying.
  await move('default', more[0] ?? 0, 'Cancelled', AUTHOR);
  await move('default', more[1] ?? 0, 'Approved', REVIEWER);
  for (const character of 'abcdefgh') {
    const params = { projectId: 'default', id: more[1] ?? 0 };
    await accepted(service, 'addChangeRequestComment', { params, body: { text: character.repeat(2_000) } });
  }
  await move('default', more[1] ?? 0, 'Applied', REVIEWER, { comment: 'i'.repeat(2_000) });
  expect(idsStored()).toEqual([open, more[1]]);
  bytesStored();
});

it('A project keeps 10 MB of closed change requests', async () => {
  await start({});
  const first = await cancelled('default', 10);
  const known = service.running.services.state.get('changeRequests', String(first));
  await prepare(service, (draft) => {
    const [one] = known?.changes ?? [];
    if (!known || !one) throw new Error('there is no change request to make others of');
    for (let id = 2; id <= 25; id++) {
      const closedAt = new Date(Date.parse(known.closedAt ?? '') - 1_000 * id).toISOString();
      draft.put('changeRequests', { ...known, id, closedAt, changes: [{ ...one, bytes: 410_000 }] });
    }
    draft.put('counters', { value: 25 }, 'changeRequests');
  });
  expect(service.running.services.state.size('changeRequests')).toBe(1 + 24);
  const last = await cancelled('default', 220_000);
  // Those with the highest ids were closed first.
  expect(idsStored()).toEqual([first, ...Array.from({ length: 23 }, (_, index) => 2 + index), last].sort());
  expect(bytesStored()).toBeLessThanOrEqual(10_000_000);
});

it('A store with more bytes than the new limits allow is read, and its change requests can be closed', async () => {
  await start({});
  const [open, closed] = [
    [await asked('default', 30_000), await asked('default', 30_000)],
    await cancelled('other', 30_000),
  ];
  const before = bytesStored();
  await service.close();
  await start({ OPEN_CHANGE_REQUEST_BYTES_LIMIT: '1000', CHANGE_REQUESTS_BYTES_LIMIT: '1000' });
  expect([bytesStored(), idsStored()]).toEqual([before, [...open, closed]]);
  await refused(service, 'createChangeRequest', INVALID, change('default', 10));
  for (const id of open) await move('default', id, 'Approved', REVIEWER);
  await move('default', open[0] ?? 0, 'Applied', REVIEWER);
  await move('default', open[1] ?? 0, 'Cancelled', AUTHOR);
  // Closed change requests are deleted, down to the last one, as soon as they exceed the limit.
  expect(idsStored()).toEqual([]);
});
