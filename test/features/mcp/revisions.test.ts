import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { accepted, FORBIDDEN, refused, UNAUTHENTICATED } from '../../support/admin.ts';
import { CLIENT_TOKEN } from '../../support/service.ts';
import { callTool, type McpWorld, newOverHttp, newOverStdio, overHttp, overStdio, startMcpWorld } from './clients.ts';

const REVISION = '2026-07-28';
const PINNED = { pin: REVISION };

let world: McpWorld;
beforeAll(async () => {
  world = await startMcpWorld('write');
});
afterAll(() => world.service.close());

/** A message as clients of 2026-07-28 send it: each request states the revision and the client. */
function modern(method: string, params: object = {}) {
  const _meta = {
    'io.modelcontextprotocol/protocolVersion': REVISION,
    'io.modelcontextprotocol/clientInfo': { name: 'a test', version: '1' },
    'io.modelcontextprotocol/clientCapabilities': {},
  };
  const headers: Record<string, string> = { 'mcp-protocol-version': REVISION, 'mcp-method': method };
  if ('name' in params) headers['mcp-name'] = String(params.name);
  return { body: { jsonrpc: '2.0', id: 1, method, params: { ...params, _meta } }, headers };
}

describe('revisions of the Model Context Protocol', () => {
  for (const [way, connect] of [
    ['/mcp', newOverHttp],
    [
      'burgee mcp',
      (own: McpWorld, token: string, mode?: typeof PINNED | 'auto') => newOverStdio(own, token, 'write', mode),
    ],
  ] as const) {
    it(`serve the newest client at ${way}, pinned to 2026-07-28, choosing by itself, and by default`, async () => {
      for (const [mode, revision] of [
        [PINNED, REVISION],
        ['auto', REVISION],
        [undefined, '2025-11-25'],
      ] as const) {
        const client = await connect(world, world.viewer, mode);
        expect(client.getNegotiatedProtocolVersion(), String(mode)).toBe(revision);
        expect(client.getServerVersion()).toMatchObject({ name: 'burgee' });
        expect(client.getInstructions()).toMatch(/never follow instructions/);
        const { tools } = await client.listTools();
        expect(tools.map(({ name }) => name)).toContain('create_flag');
        const { value, text } = await callTool(client, 'explain', { flag: 'checkout', environment: 'development' });
        expect(value, text).toMatchObject({ enabled: false });
        const missing = await callTool(client, 'get_flag', { flag: 'submarine', project: 'hidden' });
        expect(missing.isError).toBe(true);
        await expect(client.callTool({ name: 'nothing', arguments: {} })).rejects.toThrow('There is no such tool.');
        await client.close();
      }
    });
  }

  it('serve the client of 1.x in both ways', async () => {
    for (const client of [await overHttp(world, world.viewer), await overStdio(world, world.viewer, 'read')]) {
      const { value } = await callTool(client, 'search_flags');
      expect(value.flags[0]).toMatchObject({ name: 'checkout' });
      await client.close();
    }
  });

  it('write with the rights of the token, and no more', async () => {
    const [viewer, editor] = [
      await newOverHttp(world, world.viewer, PINNED),
      await newOverHttp(world, world.editor, PINNED),
    ];
    const input = { flag: 'by-the-newest-client', project: 'default' };
    expect(await callTool(viewer, 'create_flag', input)).toMatchObject({
      isError: true,
      text: expect.stringMatching(/permission/i),
    });
    expect(await callTool(editor, 'create_flag', input)).toMatchObject({ isError: false });
    const { events } = (await accepted(world.service, 'searchEventsByQuery', { query: `feature=IS:${input.flag}` }))
      .body;
    expect(events[0]).toMatchObject({ createdByUserId: 52, ip: '127.0.0.1' });
    for (const client of [viewer, editor]) await client.close();
  });

  it('have a status for each refusal, whose body is the error of JSON-RPC', async () => {
    const { service, viewer: token } = world;
    const send = async ({ body, headers }: ReturnType<typeof modern>, change: Record<string, string> = {}) => {
      const answer = await service.call('callMcp', { body, token, headers: { ...headers, ...change } });
      return [answer.status, answer.body.error?.code];
    };
    expect(await send(modern('tools/list'))).toEqual([200, undefined]);
    expect(await send(modern('no/such'))).toEqual([404, -32601]);
    // The headers must say what the body says: a proxy may decide by them.
    expect(await send(modern('tools/list'), { 'mcp-method': 'tools/call' })).toEqual([400, -32020]);
    expect(await send(modern('tools/call', { name: 'get_flag' }), { 'mcp-name': 'create_flag' })).toEqual([
      400, -32020,
    ]);
    const later = modern('tools/list');
    later.body.params._meta['io.modelcontextprotocol/protocolVersion'] = '2027-01-01';
    const answer = await service.call('callMcp', {
      body: later.body,
      token,
      headers: { ...later.headers, 'mcp-protocol-version': '2027-01-01' },
    });
    expect([answer.status, answer.body.error.data]).toEqual([400, { supported: [REVISION], requested: '2027-01-01' }]);
    const withoutClaim = { body: { jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} }, headers: later.headers };
    expect((await service.call('callMcp', { ...withoutClaim, token })).status).toBe(400);
  });

  it('have no stream: nothing can be subscribed to', async () => {
    const { service, viewer: token } = world;
    const { body, headers } = modern('subscriptions/listen', { notifications: { toolsListChanged: true } });
    const answer = await service.call('callMcp', { body, token, headers });
    expect(answer.headers.get('content-type')).toMatch(/^application\/json/);
    expect(answer.body.error.message).toBe('Subscription limit reached');
  });
});

describe('a request without a valid token', () => {
  it('finds no sign-on that a client could use', async () => {
    for (const path of ['oauth-protected-resource', 'oauth-protected-resource/mcp', 'oauth-authorization-server'])
      expect((await fetch(`${world.service.url}/.well-known/${path}`)).status, path).toBe(404);
  });

  it('gets 401 with the kind of credential that it needs, in every revision', async () => {
    const { service } = world;
    for (const token of [null, 'user:unknown', '*:development.unknown']) {
      const { body, headers } = modern('tools/list');
      for (const options of [{ body, headers }, { body: { ...body, params: {} } }]) {
        const answer = await refused(service, 'callMcp', UNAUTHENTICATED, { ...options, token });
        expect(answer.headers.get('www-authenticate')).toBe('Bearer realm="burgee"');
      }
    }
    for (const connect of [() => newOverHttp(world, 'user:unknown', PINNED), () => overHttp(world, 'user:unknown')])
      await expect(connect()).rejects.toThrow(/401|Unauthorized|AuthenticationRequired/);
  });

  it('gets it at other paths, too, and 403 has none', async () => {
    const { service } = world;
    for (const operation of ['getAllClientFeatures', 'getProjects']) {
      const { headers } = await refused(service, operation, UNAUTHENTICATED, { token: 'user:unknown' });
      expect(headers.get('www-authenticate'), operation).toBe('Bearer realm="burgee"');
    }
    const { body, headers } = modern('tools/list');
    const foreign = await refused(service, 'callMcp', FORBIDDEN, { body, headers, token: CLIENT_TOKEN });
    expect(foreign.headers.get('www-authenticate')).toBeNull();
  });
});
