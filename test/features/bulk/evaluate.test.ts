import { connect, type Socket } from 'node:net';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import { CLIENT_TOKEN, FRONTEND_TOKEN, useService } from '../../support/service.ts';

const service = useService();

beforeAll(async () => {
  for (const project of ['other']) await service.call('createProject', { body: { id: project, name: project } });
  for (let index = 0; index < 40; index++) await makeFlag('default', `flag-${index}`, `user-${index}`);
  await makeFlag('default', '__proto__', 'user-1');
  await makeFlag('other', 'of-another-project', 'user-1');
});

/** A flag that is on for one user. */
async function makeFlag(projectId: string, name: string, userId: string): Promise<void> {
  const params = { projectId, featureName: name, environment: 'development' };
  await service.call('createFeature', { params, body: { name } });
  await service.call('addFeatureStrategy', {
    params,
    body: { name: 'default', constraints: [{ contextName: 'userId', operator: 'IN', values: [userId] }] },
  });
  await service.call('toggleFeatureEnvironmentOn', { params });
}

interface Line {
  readonly line: number;
  readonly toggles?: { name: string }[];
  readonly error?: { name: string; message: string };
}

async function post(body: string, options: { type?: string; query?: string; token?: string } = {}) {
  const response = await fetch(`${service.url}/api/client/evaluate${options.query ?? ''}`, {
    method: 'POST',
    headers: { authorization: options.token ?? CLIENT_TOKEN, 'content-type': options.type ?? 'application/x-ndjson' },
    body,
  });
  const text = await response.text();
  const { status, headers } = response;
  const texts = status === 200 ? text.split('\n').filter(Boolean) : [];
  let lines: Line[] | undefined;
  return {
    status,
    headers,
    text,
    texts,
    get lines() {
      lines ??= texts.map((line) => JSON.parse(line) as Line);
      return lines;
    },
  };
}

/** The flags in the last of `count` answers. */
function lastNames({ texts }: { readonly texts: readonly string[] }, count: number): string[] | undefined {
  expect(texts).toHaveLength(count);
  return names(JSON.parse(texts.at(-1) ?? ''));
}

const names = (line: Line | undefined) => line?.toggles?.map((toggle) => toggle.name);

describe('POST /api/client/evaluate', () => {
  it('answers each context of a JSON body in order, from one revision', async () => {
    const answer = await post(
      JSON.stringify({ contexts: [{ userId: 'user-1' }, { userId: 'nobody' }, { userId: 'user-2' }] }),
      {
        type: 'application/json',
      },
    );
    expect(answer.headers.get('content-type')).toBe('application/x-ndjson');
    expect(answer.headers.get('burgee-revision')).toMatch(/^\d+$/);
    expect(answer.lines.map((line) => line.line)).toEqual([1, 2, 3]);
    expect(answer.lines.map(names)).toEqual([['__proto__', 'flag-1', 'of-another-project'], [], ['flag-2']]);
  });

  it('answers the same as the frontend API, context by context, on the main thread and in workers', async () => {
    const contexts = Array.from({ length: 500 }, (_, index) => ({ userId: `user-${index % 45}` }));
    const expected = await Promise.all(
      Array.from({ length: 45 }, async (_, index) => {
        const answer = await service.call('postFrontendFeatures', {
          token: FRONTEND_TOKEN,
          body: { context: { userId: `user-${index}` } },
        });
        return answer.body.toggles;
      }),
    );
    for (const count of [3, 500]) {
      const { lines } = await post(
        contexts
          .slice(0, count)
          .map((context) => JSON.stringify(context))
          .join('\n'),
      );
      expect(lines.length).toBe(count);
      for (const [index, line] of lines.entries()) expect(line.toggles).toEqual(expected[index % 45]);
    }
  });

  it('evaluates only the flags asked for', async () => {
    const context = JSON.stringify({ userId: 'user-1' });
    expect(names((await post(context, { query: '?namePrefix=flag-' })).lines[0])).toEqual(['flag-1']);
    expect(names((await post(context, { query: '?features=__proto__&features=flag-2' })).lines[0])).toEqual([
      '__proto__',
    ]);
    const json = await post(
      JSON.stringify({ contexts: [{ userId: 'user-1' }], features: ['flag-1', 'flag-1', 'missing'] }),
      { type: 'application/json' },
    );
    expect(names(json.lines[0])).toEqual(['flag-1']);
  });

  it('evaluates only the named flags, in workers too, and makes no list of the others', async () => {
    const { clientViews, flagViews } = service.running.services;
    const looks = [vi.spyOn(clientViews, 'capture'), vi.spyOn(flagViews, 'snapshotsOf')];
    const contexts = Array.from({ length: 3_000 }, (_, index) => JSON.stringify({ userId: `user-${index % 3}` }));
    for (const count of [3, 3_000]) {
      const { lines } = await post(contexts.slice(0, count).join('\n'), { query: '?features=flag-2&features=flag-1' });
      expect(lines.map((line) => names(line)?.join())).toEqual(
        Array.from({ length: count }, (_, index) => ['', 'flag-1', 'flag-2'][index % 3]),
      );
    }
    for (const look of looks) {
      expect(look).not.toHaveBeenCalled();
      look.mockRestore();
    }
  });

  it('evaluates named flags with their parents and segments, also after those have changed', async () => {
    const constraints = (value: string) => [{ contextName: 'userId', operator: 'IN', values: [value] }];
    const segment = (
      await service.call('createSegment', { body: { name: 'named', constraints: constraints('named-user') } })
    ).body;
    await makeFlag('default', 'named-parent', 'named-user');
    const params = { projectId: 'default', featureName: 'named-child', environment: 'development' };
    await service.call('createFeature', { params, body: { name: 'named-child' } });
    await service.call('addFeatureStrategy', { params, body: { name: 'default', segments: [segment.id] } });
    await service.call('toggleFeatureEnvironmentOn', { params });
    await service.call('addFeatureDependency', {
      params: { projectId: 'default', child: 'named-child' },
      body: { feature: 'named-parent' },
    });
    const ask = async (count: number) =>
      lastNames(await post('{"userId":"named-user"}\n'.repeat(count), { query: '?features=named-child' }), count);
    for (const count of [1, 9_000]) expect(await ask(count)).toEqual(['named-child']);
    await service.call('updateSegment', {
      params: { id: segment.id },
      body: { name: 'named', constraints: constraints('somebody-else') },
    });
    for (const count of [1, 9_000]) expect(await ask(count)).toEqual([]);
    const changed = { name: 'named', constraints: constraints('named-user') };
    await service.call('updateSegment', { params: { id: segment.id }, body: changed });
    for (const count of [1, 9_000]) expect(await ask(count)).toEqual(['named-child']);
    await service.call('toggleFeatureEnvironmentOff', { params: { ...params, featureName: 'named-parent' } });
    for (const count of [1, 9_000]) expect(await ask(count)).toEqual([]);
  });

  it('evaluates only flags in the projects of the token', async () => {
    const token = (
      await service.call('createApiToken', {
        body: { type: 'client', tokenName: 'narrow', environment: 'development', projects: ['other'] },
      })
    ).body.secret;
    expect(names((await post(JSON.stringify({ userId: 'user-1' }), { token })).lines[0])).toEqual([
      'of-another-project',
    ]);
  });

  it('answers an invalid line with an error and its line number, and continues', async () => {
    const lines = Array.from({ length: 3000 }, (_, index): string =>
      index % 1000 === 7 ? '{"userId":' : '{"userId":"user-1"}',
    );
    lines[20] = '[1]';
    lines[21] = '';
    const answer = await post(lines.join('\n'));
    expect(answer.lines.length).toBe(3000);
    const failed = answer.lines.filter((line) => line.error);
    expect(failed.map((line) => line.line)).toEqual([8, 21, 22, 1008, 2008]);
    expect(failed[0]?.error?.name).toBe('ValidationError');
    expect(answer.lines.map((line) => line.line)).toEqual(lines.map((_, index) => index + 1));
  });

  it('answers an empty list of contexts without lines, in both formats', async () => {
    for (const [body, type] of [
      ['', 'application/x-ndjson'],
      ['{"contexts":[]}', 'application/json'],
    ] as const) {
      const answer = await post(body, { type });
      expect([answer.status, answer.headers.get('content-type'), answer.text]).toEqual([
        200,
        'application/x-ndjson',
        '',
      ]);
    }
  });

  // Few lines are parsed on the main thread, many lines by workers.
  it.each([1, 2_000])('checks each line by the rules for bodies, also among %i valid lines', async (times) => {
    const bad = [
      Buffer.from('{"userId":"\xff"}', 'latin1'),
      Buffer.from('{"userId":"\\ud800"}'),
      Buffer.from('{"__proto__":{"userId":"user-1"}}'),
      Buffer.from('{"properties":{"\\u005f_proto__":"x"}}'),
      Buffer.from('{"properties":{"n":1e999}}'),
      Buffer.from(`{"properties":${'['.repeat(100)}${']'.repeat(100)}}`),
    ];
    const good = Buffer.from('{"userId":"user-1"}');
    const lines = [...bad, ...Array.from({ length: times }, () => good)];
    const body = Buffer.concat(lines.flatMap((line) => [line, Buffer.from('\n')]));
    const headers = { authorization: CLIENT_TOKEN, 'content-type': 'application/x-ndjson' };
    const answer = await fetch(`${service.url}/api/client/evaluate`, { method: 'POST', headers, body });
    const answers = (await answer.text())
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as Line);
    const messages = answers.map(({ error }) => error?.message);
    expect(messages.slice(0, bad.length)).toEqual([
      expect.stringMatching(/^The line .* UTF-8/),
      expect.stringMatching(/^The line .* surrogate/),
      expect.stringMatching(/^The line .*__proto__/),
      expect.stringMatching(/^The line .*__proto__/),
      expect.stringMatching(/^The line .* number/),
      expect.stringMatching(/^The line .* nested/),
    ]);
    expect(messages.slice(bad.length)).toEqual(Array.from({ length: times }, () => undefined));
  });

  it('ends after a maximum of invalid lines, because newlines cost more to answer than to send', async () => {
    const answer = await post('\n'.repeat(100_000));
    const last = answer.lines.at(-1);
    expect(last).toMatchObject({ line: null, error: { name: 'ValidationError' } });
    expect(answer.lines.length).toBeLessThan(60_000);
    const numbers = answer.lines.slice(0, -1).map((line) => line.line);
    expect(numbers).toEqual(numbers.map((_, at) => at + 1));
  });

  it('sees a change as soon as it is acknowledged, in workers too', async () => {
    const body = Array.from({ length: 1000 }, () => '{"userId":"changed"}').join('\n');
    const before = await post(body);
    expect(names(before.lines[999])).toEqual([]);
    await makeFlag('default', 'new-flag', 'changed');
    const after = await post(body);
    expect(after.lines.every((line) => names(line)?.join() === 'new-flag')).toBe(true);
    expect(Number(after.headers.get('burgee-revision'))).toBeGreaterThan(Number(before.headers.get('burgee-revision')));
  });

  it('uses the current version of a changed segment, in workers too', async () => {
    const constraints = (value: string) => [{ contextName: 'userId', operator: 'IN', values: [value] }];
    const segment = (
      await service.call('createSegment', { body: { name: 'bulk', constraints: constraints('segment-a') } })
    ).body;
    const params = { projectId: 'default', featureName: 'with-segment', environment: 'development' };
    await service.call('createFeature', { params, body: { name: 'with-segment' } });
    await service.call('addFeatureStrategy', { params, body: { name: 'default', segments: [segment.id] } });
    await service.call('toggleFeatureEnvironmentOn', { params });
    const ask = async (userId: string) =>
      names((await post(Array.from({ length: 1000 }, () => JSON.stringify({ userId })).join('\n'))).lines[999]);
    expect(await ask('segment-a')).toEqual(['with-segment']);
    await service.call('updateSegment', {
      params: { id: segment.id },
      body: { name: 'bulk', constraints: constraints('segment-b') },
    });
    expect(await ask('segment-a')).toEqual([]);
    expect(await ask('segment-b')).toEqual(['with-segment']);
  });

  it('never confuses two projects, even when a short hash of their names is the same', async () => {
    const constraints = (value: string) => [{ contextName: 'userId', operator: 'IN', values: [value] }];
    const segment = (await service.call('createSegment', { body: { name: 'both', constraints: constraints('x') } }))
      .body;
    const tokens: string[] = [];
    for (const project of ['project-57638', 'project-168989']) {
      await service.call('createProject', { body: { id: project, name: project } });
      const params = { projectId: project, featureName: `of-${project}`, environment: 'development' };
      await service.call('createFeature', { params, body: { name: `of-${project}` } });
      await service.call('addFeatureStrategy', { params, body: { name: 'default', segments: [segment.id] } });
      await service.call('toggleFeatureEnvironmentOn', { params });
      const body = { type: 'client', tokenName: project, environment: 'development', projects: [project] };
      tokens.push((await service.call('createApiToken', { body })).body.secret);
    }
    // Both change with one commit, so their revisions are the same as well.
    const body = { name: 'both', constraints: constraints('user') };
    await service.call('updateSegment', { params: { id: segment.id }, body });
    const list = (token: string) =>
      service.call('getAllClientFeatures', { token, headers: { 'unleash-client-spec': '5.1.0' } });
    const [left, right] = await Promise.all(tokens.map(async (token) => (await list(token)).body.meta));
    expect(left).toEqual(right);
    const lines = Array.from({ length: 9_000 }, () => '{"userId":"user"}').join('\n');
    for (const [index, project] of ['project-57638', 'project-168989'].entries()) {
      const answer = await post(lines, { token: tokens[index] as string });
      expect(new Set(answer.lines.map((line) => names(line)?.join()))).toEqual(new Set([`of-${project}`]));
    }
  });

  it('loses only the request that a dying worker was processing', async () => {
    const body = Array.from({ length: 20_000 }, () => '{"userId":"user-1"}').join('\n');
    const dying = post(body).then(
      // Before the first byte the answer is a 500. Later the connection is cut, so that no client takes a part for the whole.
      (answer) => (answer.status === 500 ? 'lost' : answer.status),
      () => 'lost',
    );
    const { pool } = service.running.services.bulk;
    while (pool.busy === 0) await new Promise((resolve) => setTimeout(resolve, 1));
    for (const worker of pool.workers) void worker.terminate();
    expect(await dying).toBe('lost');
    const after = await post(body);
    expect(after.lines.length).toBe(20_000);
  });

  it('ends after the last line, also when the last batch of lines is empty', async () => {
    for (const count of [1024, 2048]) {
      const { lines } = await post('{"userId":"user-1"}\n'.repeat(count));
      expect(lines.length).toBe(count);
    }
  });

  it('sends a large answer completely to a client that pauses', async () => {
    const count = 40_000;
    const response = await fetch(`${service.url}/api/client/evaluate`, {
      method: 'POST',
      headers: { authorization: CLIENT_TOKEN, 'content-type': 'application/x-ndjson' },
      body: '{"userId":"user-1"}\n'.repeat(count),
    });
    let newlines = 0;
    let reads = 0;
    for await (const chunk of response.body ?? []) {
      const bytes = chunk as Uint8Array;
      for (let at = bytes.indexOf(0x0a); at >= 0; at = bytes.indexOf(0x0a, at + 1)) newlines++;
      if (++reads % 20 === 0) await new Promise((resolve) => setTimeout(resolve, 2));
    }
    expect(newlines).toBe(count);
  });

  it('refuses what it cannot read with a clear error', async () => {
    expect((await post('{"userId":"a"}', { type: 'text/plain' })).status).toBe(415);
    expect((await post('{', { type: 'application/json' })).status).toBe(400);
    expect((await post('{"contexts":[1]}', { type: 'application/json' })).status).toBe(400);
    expect((await post('{}', { token: FRONTEND_TOKEN })).status).toBe(403);
    expect((await post('{}', { token: 'unknown' })).status).toBe(401);
    const long = await post(
      `{"userId":"user-1"}\n{"userId":"${'x'.repeat(70_000)}"}\n{"userId":"${'x'.repeat(5_000)}"}\n{"userId":"user-1"}`,
    );
    expect(long.lines.map((line) => [line.line, line.error?.name])).toEqual([
      [1, undefined],
      [2, 'ValidationError'],
      [3, 'ValidationError'],
      [4, undefined],
    ]);
    const large = JSON.stringify({ contexts: Array.from({ length: 1_000 }, () => ({ userId: 'x'.repeat(2_000) })) });
    expect((await post(large, { type: 'application/json' })).status).toBe(413);
  });

  it('keeps slots for other tokens when one has used its quota, and refuses requests without a slot before it reads them', async () => {
    const { bulk } = service.running.services;
    const makeToken = async (tokenName: string) => {
      const body = { type: 'client', tokenName, environment: 'development', projects: ['*'] };
      return (await service.call('createApiToken', { body })).body.secret as string;
    };
    const tokens = await Promise.all(['one', 'two', 'three', 'four', 'five'].map(makeToken));
    const sockets: Socket[] = [];
    /** Begins requests that send their bodies very slowly. */
    const occupy = async (token: string) => {
      const before = bulk.requestCount;
      for (let count = 0; count < 16; count++) {
        const socket = connect(service.running.port, '127.0.0.1');
        socket.write(
          `POST /api/client/evaluate HTTP/1.1\r\nhost: x\r\nauthorization: ${token}\r\ncontent-type: application/json\r\ncontent-length: 1000\r\n\r\n{`,
        );
        sockets.push(socket);
      }
      while (bulk.requestCount < before + 16) await new Promise((resolve) => setTimeout(resolve, 5));
    };
    const [one = '', two = '', three = '', four = '', five = ''] = tokens;
    await occupy(one);
    const refused = await post('{}', { token: one });
    expect(refused.status).toBe(429);
    expect(refused.headers.get('retry-after')).toMatch(/^\d+$/);
    expect((await post('{}', { token: two })).status).toBe(200);
    for (const token of [two, three, four]) await occupy(token);
    expect((await post('{}', { token: five })).status).toBe(429);
    for (const socket of sockets) socket.destroy();
    while (bulk.requestCount > 0) await new Promise((resolve) => setTimeout(resolve, 5));
    expect((await post('{}', { token: one })).status).toBe(200);
  });

  it('stops the work for a caller that has disconnected', async () => {
    const { port } = service.running;
    const body = Array.from({ length: 50_000 }, () => '{"userId":"user-1"}').join('\n');
    const socket = connect(port, '127.0.0.1');
    socket.write(
      `POST /api/client/evaluate HTTP/1.1\r\nhost: x\r\nauthorization: ${CLIENT_TOKEN}\r\ncontent-type: application/x-ndjson\r\ncontent-length: ${body.length}\r\n\r\n${body}`,
    );
    await new Promise((resolve) => socket.once('data', resolve));
    socket.destroy();
    const { pool } = service.running.services.bulk;
    const { bulk } = service.running.services;
    while (pool.busy + bulk.requestCount > 0) await new Promise((resolve) => setTimeout(resolve, 5));
    expect(pool.busy).toBe(0);
  });
});
