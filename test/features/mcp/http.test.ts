import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { OwnAsker } from '../../../src/base/asking/asker.ts';
import { packedScript } from '../../../src/base/built-worker.ts';
import { silentLogger } from '../../../src/base/logger.ts';
import { Rejection } from '../../../src/base/rejection.ts';
import { McpThread } from '../../../src/features/mcp/thread.ts';
import type { McpResult } from '../../../src/features/mcp/thread-protocol.ts';
import type { InnerAnswer, InnerRequest } from '../../../src/http/inner-calls.ts';
import { accepted, FORBIDDEN, INVALID, refused, UNAUTHENTICATED } from '../../support/admin.ts';
import { browserOf, personalTokenOf, putUser } from '../../support/people.ts';
import { ADMIN_TOKEN, CLIENT_TOKEN } from '../../support/service.ts';
import { callTool, type McpWorld, overHttp, startMcpWorld } from './clients.ts';

let world: McpWorld;
beforeAll(async () => {
  world = await startMcpWorld('write');
});
afterAll(() => world.service.close());

const message = (method: string, params: object = {}, id: number | undefined = 1) => ({
  jsonrpc: '2.0',
  id,
  method,
  params,
});
const LIST = message('tools/list');

describe('/mcp', () => {
  // Before all others, which start it.
  it('starts its thread, which loads the SDK, only at the first message that it accepts', async () => {
    const { service, viewer: token } = world;
    const { mcp } = service.running.services;
    await refused(service, 'callMcp', INVALID, { body: LIST, token: ADMIN_TOKEN });
    expect(mcp.hasStarted).toBe(false);
    await accepted(service, 'callMcp', { body: LIST, token });
    expect(mcp.hasStarted).toBe(true);
  });

  it('answers one message with JSON, without a session', async () => {
    const { service, viewer: token } = world;
    const { headers, body } = await accepted(service, 'callMcp', { body: LIST, token });
    expect(headers.get('content-type')).toMatch(/^application\/json/);
    expect(headers.get('mcp-session-id')).toBeNull();
    expect(body).toMatchObject({
      jsonrpc: '2.0',
      id: 1,
      result: { tools: [{ name: 'search_flags' }, {}, {}, {}, {}, {}, {}] },
    });
    const unknown = await accepted(service, 'callMcp', { body: message('no/such'), token });
    expect(unknown.body.error.code).toBe(-32601);
  });

  it('accepts notifications, and has no stream', async () => {
    const { service, viewer: token } = world;
    const notification = { jsonrpc: '2.0', method: 'notifications/initialized' };
    expect((await accepted(service, 'callMcp', { body: notification, token })).status).toBe(202);
    const stream = await service.call('getMcp', { token });
    expect([stream.status, stream.headers.get('allow')]).toEqual([405, 'POST']);
  });

  it('accepts only personal tokens and those of service accounts, in the authorization header', async () => {
    const { service } = world;
    for (const token of [null, 'user:unknown'])
      await refused(service, 'callMcp', UNAUTHENTICATED, { body: LIST, token });
    await refused(service, 'callMcp', FORBIDDEN, { body: LIST, token: CLIENT_TOKEN });
    const { body } = await refused(service, 'callMcp', INVALID, { body: LIST, token: ADMIN_TOKEN });
    expect(body.message).toMatch(/personal access token/);
    await refused(service, 'callMcp', INVALID, { body: LIST, token: null, headers: await browserOf(service, 53) });
    await putUser(service, 61, { accountType: 'Service Account' });
    await accepted(service, 'callMcp', { body: LIST, token: await personalTokenOf(service, 61) });
  });

  it('refuses a token that ended, also for the requests of a tool', async () => {
    const { service } = world;
    await putUser(service, 62);
    const token = await personalTokenOf(service, 62);
    const client = await overHttp(world, token);
    await callTool(client, 'search_flags');
    await accepted(service, 'deleteUser', { params: { id: 62 } });
    await expect(callTool(client, 'search_flags')).rejects.toThrow(/401|Unauthorized|AuthenticationRequired/);
    await client.close();
  });

  it('refuses pages of other origins', async () => {
    const { service, viewer: token } = world;
    for (const origin of ['https://attacker.example', 'null', `${service.url}.attacker.example`])
      await refused(service, 'callMcp', FORBIDDEN, { body: LIST, token, headers: { origin } });
    await accepted(service, 'callMcp', { body: LIST, token, headers: { origin: service.url } });
  });

  it('refuses what is not one message of a version that it knows', async () => {
    const { service, viewer: token } = world;
    const bodies = [
      [LIST],
      { ...LIST, jsonrpc: '1.0' },
      { ...LIST, id: 1.5 },
      { ...LIST, method: 'x'.repeat(201) },
      '{"jsonrpc"',
      {},
    ];
    for (const body of bodies) await refused(service, 'callMcp', INVALID, { body, token });
    await refused(service, 'callMcp', INVALID, {
      body: { jsonrpc: '2.0', id: 1, result: {}, method: 'x', params: [] },
      token,
    });
    const headers = { 'mcp-protocol-version': '1999-01-01' };
    const { body } = await refused(service, 'callMcp', INVALID, { body: LIST, token, headers });
    expect(body.message).toContain('MCP-Protocol-Version must be one of');
    const params = { name: 'search_flags', arguments: { text: 'x'.repeat(1_100_000) } };
    expect((await service.call('callMcp', { body: message('tools/call', params), token })).status).toBe(413);
  });

  it('takes the address of the client for the audit log, and its reason', async () => {
    const { service, editor } = world;
    const client = await overHttp(world, editor);
    await callTool(client, 'create_flag', { flag: 'with-reason', project: 'default', reason: 'for a test: ä' });
    await client.close();
    const { events } = (await accepted(service, 'searchEventsByQuery', { query: 'feature=IS:with-reason' })).body;
    expect(events[0]).toMatchObject({ ip: '127.0.0.1', createdByUserId: 52 });
    const history = await accepted(service, 'getFeatureHistory', {
      params: { projectId: 'default', featureName: 'with-reason' },
    });
    expect(history.body.entries[0].reason).toBe('for a test: ä');
  });
});

describe('the thread of /mcp', () => {
  const rights = { writes: false, writesDirectly: false };
  const task = (body: object) => ({ message: JSON.stringify(body), headers: {}, rights });
  const search = task(message('tools/call', { name: 'search_flags', arguments: {} }));
  const EMPTY: InnerAnswer = { status: 200, text: '{"total":0,"features":[]}' };
  const start = (deadlineMs: number) =>
    new McpThread({ workerFile: packedScript('mcp-worker'), logger: silentLogger, deadlineMs });
  /** Starts when it is first used. */
  const thread = start(30_000);
  const hurried = start(0);
  afterAll(async () => {
    for (const each of [thread, hurried]) await each.close();
  });
  const textOf = (result: McpResult | Rejection) => {
    if (result instanceof Rejection || result.kind !== 'answer') throw new Error(JSON.stringify(result));
    return JSON.parse(result.text ?? 'null').result.content[0].text as string;
  };

  it('has a bound of messages in progress for each caller, and gives it back', async () => {
    const answers: ((answer: InnerAnswer) => void)[] = [];
    const whenAsked: (() => void)[] = [];
    const send = () =>
      new Promise<InnerAnswer>((resolve) => {
        answers.push(resolve);
        if (answers.length === 8) for (const call of whenAsked) call();
      });
    const eightAsked = new Promise<void>((resolve) => whenAsked.push(resolve));
    const running = Array.from({ length: 8 }, () => thread.run(search, new OwnAsker('one'), send));
    await eightAsked;
    expect(await thread.run(search, new OwnAsker('one'), send)).toMatchObject({ name: 'TooManyRequestsError' });
    expect(textOf(await thread.run(search, new OwnAsker('other'), async () => EMPTY))).toBe('{"total":0,"flags":[]}');
    for (const answer of answers) answer(EMPTY);
    for (const result of await Promise.all(running)) expect(textOf(result)).toBe('{"total":0,"flags":[]}');
    expect(textOf(await thread.run(search, new OwnAsker('one'), async () => EMPTY))).toBe('{"total":0,"flags":[]}');
  });

  it('reports a failure of the API without its cause, and refuses requests after the deadline', async () => {
    const failing = async () => {
      throw new Error('a secret cause');
    };
    const failure = textOf(await thread.run(search, new OwnAsker('one'), failing));
    expect(failure).toContain('failed to answer');
    expect(failure).not.toContain('secret');
    const asked: InnerRequest[] = [];
    const late = await hurried.run(search, new OwnAsker('one'), async (request) => {
      asked.push(request);
      return EMPTY;
    });
    expect(textOf(late)).toContain('took too long');
    expect(asked).toEqual([]);
  });

  it('is replaced after it dies', async () => {
    const result = await thread.run(search, new OwnAsker('one'), async () => {
      for (const worker of thread.workers) await worker.terminate();
      return EMPTY;
    });
    expect(result).toMatchObject({ name: 'ServiceUnavailableError' });
    expect(textOf(await thread.run(search, new OwnAsker('one'), async () => EMPTY))).toBe('{"total":0,"flags":[]}');
  });
});
