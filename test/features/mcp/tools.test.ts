import type { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { getOrMake } from '../../../src/base/get-or-make.ts';
import { RESULT_BYTES_MAX } from '../../../src/features/mcp/tools/bounded-text.ts';
import { accepted } from '../../support/admin.ts';
import { type Allowed, callTool, type McpWorld, overHttp, overStreams, startMcpWorld } from './clients.ts';

const worlds = {} as Record<Allowed, McpWorld>;

beforeAll(async () => {
  for (const allowed of ['read', 'write', 'direct'] as const) worlds[allowed] = await startMcpWorld(allowed);
});
afterAll(async () => {
  for (const { service } of Object.values(worlds)) await service.close();
});

type Person = 'viewer' | 'editor' | 'admin';

const WAYS = {
  'at /mcp': (allowed: Allowed, person: Person) => overHttp(worlds[allowed], worlds[allowed][person]),
  'over standard input and output': (allowed: Allowed, person: Person) =>
    overStreams(worlds[allowed], worlds[allowed][person], allowed),
};

describe.each(Object.entries(WAYS))('the tools %s', (way, connectAs) => {
  /** One client for each person and permission, because a connection takes several messages. */
  const open = new Map<string, Promise<Client>>();
  const connect = (allowed: Allowed, person: Person) =>
    getOrMake(open, `${allowed} ${person}`, () => connectAs(allowed, person));
  afterAll(async () => {
    for (const client of open.values()) await (await client).close();
  });
  const ownName = (name: string) => `${name}-${way === 'at /mcp' ? 'http' : 'stdio'}`;

  it('are those that read, unless writing is allowed, and say which of them change something', async () => {
    const reading = await (await connect('read', 'admin')).listTools();
    const all = await (await connect('write', 'viewer')).listTools();
    const hints = ({ tools }: typeof all) =>
      tools.map(({ name, annotations }) => [name, annotations?.readOnlyHint, annotations?.destructiveHint]);
    const readers = ['search_flags', 'get_flag', 'explain', 'history', 'preview'].map((name) => [name, true, false]);
    expect(hints(reading)).toEqual(readers);
    expect(hints(all)).toEqual([...readers, ['create_flag', false, false], ['propose_change', false, true]]);
    expect(JSON.stringify(all)).not.toContain('Ignore all earlier instructions');
  });

  it('find flags by text and filters, and only those that the caller may see', async () => {
    const viewer = await connect('read', 'viewer');
    const found = await callTool(viewer, 'search_flags', { enabledIn: 'development' });
    expect(found.value).toMatchObject({ total: 1, flags: [{ name: 'checkout', enabledIn: ['development'] }] });
    const off = await callTool(viewer, 'search_flags', { text: 'CHECK', disabledIn: 'development' });
    expect(off.value).toEqual({ total: 0, flags: [] });
    expect((await callTool(viewer, 'search_flags', { text: 'submarine' })).value).toEqual({ total: 0, flags: [] });
    const admin = await connect('read', 'admin');
    expect((await callTool(admin, 'search_flags', { text: 'submarine' })).value.total).toBe(1);
  });

  it('answer for a flag of a private project as for a flag that does not exist', async () => {
    const viewer = await connect('read', 'viewer');
    for (const [tool, rest] of [
      ['get_flag', {}],
      ['explain', { environment: 'development' }],
      ['history', {}],
    ] as const) {
      const texts = [];
      for (const [flag, project] of [['submarine', 'hidden'], ['submarine'], ['nothing', 'nowhere'], ['nothing']]) {
        const { text } = await callTool(viewer, tool, { ...rest, flag, ...(project && { project }) });
        texts.push(text.replaceAll('submarine', 'nothing').replaceAll('hidden', 'nowhere'));
      }
      expect(texts[0], tool).toBe(texts[2]);
      expect(texts[1], tool).toBe(texts[3]);
    }
    const admin = await connect('read', 'admin');
    expect((await callTool(admin, 'get_flag', { flag: 'submarine' })).value.flag.project).toBe('hidden');
  });

  it('read a flag, with the settings of one environment', async () => {
    const viewer = await connect('read', 'viewer');
    const { value } = await callTool(viewer, 'get_flag', { flag: 'checkout', environment: 'development' });
    expect(value.flag).toMatchObject({ name: 'checkout', project: 'default' });
    expect(value.flag.environments).toMatchObject([
      { name: 'development', enabled: true, strategies: [{ name: 'default' }] },
    ]);
    const missing = await callTool(viewer, 'get_flag', { flag: 'checkout', environment: 'moon' });
    expect(missing).toMatchObject({ isError: true, text: expect.stringContaining('no such environment') });
  });

  it('explain why a flag is on or off', async () => {
    const viewer = await connect('read', 'viewer');
    const why = async (environment: string, plan: string) =>
      (await callTool(viewer, 'explain', { flag: 'checkout', environment, context: { properties: { plan } } })).value;
    expect(await why('development', 'premium')).toMatchObject({ enabled: true, strategies: [{ isMet: true }] });
    expect(await why('development', 'free')).toMatchObject({
      enabled: false,
      reason: 'Off: the flag is switched on, but no strategy is met.',
      strategies: [{ isMet: false, unmetConstraints: [{ contextName: 'plan', operator: 'IN', values: ['premium'] }] }],
    });
    expect(await why('production', 'premium')).toMatchObject({
      enabled: false,
      reason: 'Off: the flag is switched off in this environment.',
    });
  });

  it('read the history of a flag', async () => {
    const viewer = await connect('read', 'viewer');
    const { value } = await callTool(viewer, 'history', { flag: 'checkout', limit: 2 });
    expect(value.entries).toHaveLength(2);
    expect(value.entries[0].changes).toMatchObject([{ type: 'feature', id: 'checkout' }]);
    const older = await callTool(viewer, 'history', { flag: 'checkout', before: value.next });
    expect(older.value.entries[0].revision).toBeLessThan(value.entries[1].revision);
  });

  it('preview changes without making them, for callers with their permissions', async () => {
    const input = {
      project: 'default',
      environment: 'development',
      changes: [{ action: 'updateEnabled', feature: 'checkout', payload: { enabled: false } }],
      contexts: [{ userId: '1', properties: { plan: 'premium' } }],
    };
    const { value } = await callTool(await connect('read', 'editor'), 'preview', input);
    expect(value.flags).toMatchObject([
      { name: 'checkout', counts: { onToOff: 1 }, examples: [{ before: { enabled: true } }] },
    ]);
    const refusal = await callTool(await connect('read', 'viewer'), 'preview', input);
    expect(refusal.text).toMatch(/^Not allowed\. You need the permission UPDATE_FEATURE_ENVIRONMENT/);
    const explained = await callTool(await connect('read', 'viewer'), 'explain', {
      flag: 'checkout',
      environment: 'development',
    });
    expect(explained.value.switchedOnInEnvironment).toBe(true);
  });

  it('change nothing if only reading is allowed, even for an admin', async () => {
    const { state } = worlds.read.service.running.services;
    const admin = await connect('read', 'admin');
    const seq = state.seq;
    const created = await callTool(admin, 'create_flag', { flag: 'forbidden', project: 'default' });
    expect(created).toMatchObject({ isError: true, text: expect.stringContaining('This server only reads') });
    const changes = [{ action: 'updateEnabled', feature: 'checkout', payload: { enabled: false } }];
    const place = { project: 'default', environment: 'development' };
    expect((await callTool(admin, 'propose_change', { ...place, changes })).isError).toBe(true);
    expect(state.seq).toBe(seq);
  });

  it('refuse changes of callers without the permission, and name it', async () => {
    const { state } = worlds.write.service.running.services;
    const viewer = await connect('write', 'viewer');
    const created = await callTool(viewer, 'create_flag', { flag: 'forbidden', project: 'default' });
    expect(created.text).toBe('Not allowed. You need the permission CREATE_FEATURE in the project default.');
    const changes = [{ action: 'updateEnabled', feature: 'checkout', payload: { enabled: true } }];
    const proposed = await callTool(viewer, 'propose_change', {
      project: 'default',
      environment: 'production',
      changes,
    });
    expect(proposed.text).toMatch(/^Not allowed\. You need the permission .*UPDATE_FEATURE_ENVIRONMENT/);
    expect(state.get('features', 'forbidden')).toBeUndefined();
  });

  it('create a flag that is off everywhere, in the name of the caller', async () => {
    const { service } = worlds.write;
    const flag = ownName('created');
    const { value } = await callTool(await connect('write', 'editor'), 'create_flag', { flag, project: 'default' });
    expect(value).toMatchObject({ created: { name: flag, project: 'default' }, enabledIn: [] });
    const { body } = await accepted(service, 'getFeature', { params: { projectId: 'default', featureName: flag } });
    expect(body.createdBy.id).toBe(52);
    expect(body.environments.every(({ enabled }: { enabled: boolean }) => !enabled)).toBe(true);
  });

  it('add changes to a change request where a review is needed, also for an admin who could skip it', async () => {
    const { service } = worlds.write;
    const changes = [{ action: 'updateEnabled', feature: 'checkout', payload: { enabled: true } }];
    const place = { project: 'default', environment: 'production' };
    for (const [person, sendToReview, state] of [
      ['admin', true, 'In review'],
      ['editor', false, 'Draft'],
    ] as const) {
      const client = await connect('write', person);
      const { value } = await callTool(client, 'propose_change', { ...place, changes, title: 'Launch', sendToReview });
      expect(value.changeRequest).toMatchObject({ state, changes: 1 });
      const params = { projectId: 'default', id: value.changeRequest.id };
      const { body } = await accepted(service, 'getChangeRequest', { params });
      expect(body).toMatchObject({ title: 'Launch', state, createdBy: { id: person === 'admin' ? 53 : 52 } });
      if (sendToReview) continue;
      // A draft with other changes is not sent to review, and keeps its title.
      const other = [{ action: 'addStrategy', feature: 'checkout', payload: { name: 'default' } }];
      const again = { ...place, changes: other, title: 'Another', sendToReview: true };
      const second = await callTool(client, 'propose_change', again);
      expect(second.value).toMatchObject({ changeRequest: { id: params.id, state: 'Draft', changes: 2 } });
      expect(second.value.note).toContain('contained other changes');
      expect((await accepted(service, 'getChangeRequest', { params })).body.title).toBe('Launch');
      await accepted(service, 'discardChangeRequest', { params });
    }
    const flag = await accepted(service, 'getFeature', { params: { projectId: 'default', featureName: 'checkout' } });
    const production = flag.body.environments.find(({ name }: { name: string }) => name === 'production');
    expect(production).toMatchObject({ enabled: false, strategies: [] });
  });

  it('change an environment that needs no review only if the operator allows it, one change at a time', async () => {
    const place = { project: 'default', environment: 'development' };
    const changes = [{ action: 'updateEnabled', feature: 'checkout', payload: { enabled: false } }];
    const proposer = await connect('write', 'editor');
    const refusal = await callTool(proposer, 'propose_change', { ...place, changes });
    expect(refusal).toMatchObject({
      isError: true,
      text: expect.stringMatching(/^Nothing was changed: .*need no review/),
    });
    const editor = await connect('direct', 'editor');
    const two = await callTool(editor, 'propose_change', { ...place, changes: [...changes, ...changes] });
    expect(two.text).toContain('one change in each call');
    const strategiesOf = async () =>
      (await callTool(editor, 'get_flag', { flag: 'checkout', environment: 'development' })).value.flag.environments[0];
    const write = async (action: string, payload: unknown) => {
      const { value, text } = await callTool(editor, 'propose_change', {
        ...place,
        changes: [{ action, feature: 'checkout', payload }],
        reason: 'asked by a test',
      });
      expect(value, text).toMatchObject({ done: true });
    };
    await write('updateEnabled', { enabled: false });
    expect((await strategiesOf()).enabled).toBe(false);
    await write('addStrategy', {
      name: 'flexibleRollout',
      parameters: { rollout: '10', stickiness: 'default', groupId: 'g' },
    });
    const { id } = (await strategiesOf()).strategies.at(-1);
    await write('updateStrategy', { id, title: 'a tenth' });
    expect((await strategiesOf()).strategies.at(-1)).toMatchObject({
      id,
      title: 'a tenth',
      parameters: { rollout: '10' },
    });
    await write('deleteStrategy', { id });
    expect((await strategiesOf()).strategies).toHaveLength(1);
    await write('updateEnabled', { enabled: true });
    const { events } = (await accepted(worlds.direct.service, 'searchEventsByQuery', { query: 'limit=1' })).body;
    expect(events[0]).toMatchObject({ createdByUserId: 52 });
  });

  it('have small results: long ones are shortened and say how to request less', async () => {
    const { service } = worlds.read;
    const flag = ownName('large');
    const params = { projectId: 'default', featureName: flag, environment: 'development' };
    await accepted(service, 'createFeature', { params, body: { name: flag, description: 'x'.repeat(900) } });
    const values = Array.from({ length: 200 }, (_, index) => `user-${index}-${'y'.repeat(80)}`);
    for (let count = 0; count < 12; count++) {
      const constraints = [{ contextName: 'userId', operator: 'IN', values }];
      await accepted(service, 'addFeatureStrategy', { params, body: { name: 'default', constraints } });
    }
    const viewer = await connect('read', 'viewer');
    for (const [tool, input] of [
      ['get_flag', { flag }],
      ['history', { flag, limit: 30 }],
      ['explain', { flag, environment: 'development' }],
    ] as const) {
      const { text, value } = await callTool(viewer, tool, input);
      expect(Buffer.byteLength(text), tool).toBeLessThanOrEqual(RESULT_BYTES_MAX);
      expect(value.shortened, tool).toMatch(/shortened\. \w/);
    }
    const page = await callTool(viewer, 'search_flags', { limit: 1 });
    expect(page.value.flags).toHaveLength(1);
    expect(page.value.next).toMatchObject({ offset: 1 });
    const second = await callTool(viewer, 'search_flags', { limit: 1, offset: 1 });
    expect(second.value.flags[0].name).not.toBe(page.value.flags[0].name);
  });

  it('refuse arguments that they do not accept', async () => {
    const viewer = await connect('read', 'viewer');
    for (const [tool, input, message] of [
      ['get_flag', {}, /required properties flag/],
      ['get_flag', { flag: 'x'.repeat(251) }, /flag/],
      ['search_flags', { limit: 51 }, /limit/],
      ['search_flags', { else: 1 }, /arguments/],
      ['history', { environment: 'development', project: 'default' }, /State either/],
      ['explain', { flag: 'checkout', environment: 'moon' }, /does not exist/],
      ['preview', { project: 'default' }, /State project, environment and changes/],
    ] as const) {
      const { isError, text } = await callTool(viewer, tool, input);
      expect([isError, text], tool).toEqual([true, expect.stringMatching(message)]);
    }
    await expect(viewer.callTool({ name: 'nothing', arguments: {} })).rejects.toThrow('There is no such tool.');
    // A dot segment does not lead to another operation.
    for (const flag of ['..', '.']) {
      const { isError } = await callTool(viewer, 'get_flag', { flag, project: 'default' });
      expect(isError).toBe(true);
    }
  });
});
