import { once } from 'node:events';
import { cp, mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { unleashLosses } from '../../../src/products/maintenance/unleash-losses.ts';
import { flag, prepare, switchedOn } from '../../support/admin.ts';
import { FLAGS_OF_WORLD, fillWorld } from '../../support/export-world.ts';
import { burgee } from '../../support/programs/run-burgee.ts';
import { startTestService, type TestService } from '../../support/service.ts';

const ENVIRONMENTS = ['development', 'production', 'staging'];

/** The flags for SDKs in each environment, with segments as constraints: segment ids differ between instances. */
async function listsOf({ url }: TestService) {
  const lists: Record<string, unknown> = {};
  for (const environment of ENVIRONMENTS) {
    const answer = await fetch(`${url}/api/client/features`, { headers: { authorization: `*:${environment}.export` } });
    expect(answer.status).toBe(200);
    lists[environment] = ((await answer.json()) as { features: object[] }).features;
  }
  return lists;
}

/** The settings of projects and environments, and the context fields of projects. */
async function settingsOf(service: TestService) {
  const projects = ['default', 'shop'].map(async (projectId) => {
    const { body } = await service.call('getProjectOverview', { params: { projectId } });
    const { name, description, mode, defaultStickiness, featureLimit, featureNaming, linkTemplates } = body;
    return { name, description, mode, defaultStickiness, featureLimit, featureNaming, linkTemplates };
  });
  const { body: environments } = await service.call('getAllEnvironments');
  const { body: fields } = await service.call('getContextFields', { query: 'include=project' });
  return {
    projects: await Promise.all(projects),
    environments: environments.environments.map(({ name, type, enabled }: Record<string, unknown>) => [
      name,
      type,
      enabled,
    ]),
    fields: fields.map(({ name, project }: Record<string, unknown>) => [name, project]),
  };
}

/** A server that accepts every change, records it, and returns these lists. */
async function listeningTo(lists: Readonly<Record<string, unknown>>) {
  const asked: { path: string; body: unknown }[] = [];
  const server = createServer(async (request, response) => {
    const parts: Buffer[] = [];
    for await (const part of request) parts.push(part as Buffer);
    const path = request.url ?? '';
    const isRead = request.method === 'GET';
    if (!isRead) asked.push({ path, body: JSON.parse(Buffer.concat(parts).toString() || 'null') });
    response.writeHead(isRead && !(path in lists) ? 404 : 200).end(JSON.stringify(lists[path] ?? {}));
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  const close = () => new Promise((done) => server.close(done));
  return { asked, close, url: `http://127.0.0.1:${port}` };
}

/** A server that answers every request with this status. */
async function refusing(status: number) {
  const server = createServer((request, response) => {
    request.resume();
    response.writeHead(status).end('{"message":"The path is not available."}');
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  const close = () => new Promise((done) => server.close(done));
  return { close, url: `http://127.0.0.1:${port}` };
}

/** The variables of an environment file. */
function variablesOf(text: string): Record<string, string> {
  const lines = text.split('\n').filter((line) => line !== '');
  return Object.fromEntries(lines.map((line) => line.split(/=(.*)/s).slice(0, 2)));
}

describe('burgee export and burgee import', () => {
  let directory: string;
  let source: TestService;
  let target: TestService;
  const at = (name: string) => join(directory, 'out', name);

  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'burgee-export-test-'));
    source = await startTestService({
      env: { INIT_CLIENT_API_TOKENS: '*:development.export,*:production.export', UNLEASH_CONSTRAINTS_LIMIT: '40' },
    });
    await fillWorld(source);
    const { code, err } = await burgee(['export', '--all', '--url', source.url, '--to', at('')]);
    expect([code, err]).toEqual([0, expect.stringContaining('Not in the export')]);
    const tokens = variablesOf(await readFile(at('tokens.env'), 'utf8'));
    // The first start skips tokens of environments that do not exist yet, with a warning: the second start creates them.
    const limits = { UNLEASH_CONSTRAINTS_LIMIT: '40' };
    const first = await startTestService({ directory: join(directory, 'data'), env: limits });
    const imported = await burgee(['import', at(''), '--url', first.url]);
    expect(imported).toMatchObject({ err: '', code: 0 });
    await first.close();
    target = await startTestService({ directory: join(directory, 'data'), env: { ...tokens, ...limits } });
  });

  afterAll(async () => {
    await source.close();
    await target.close();
    await rm(directory, { recursive: true, force: true });
  });

  it('gives SDKs the same flags from a new instance as from the old one, in every environment, with their old tokens', async () => {
    const [before, after] = [await listsOf(source), await listsOf(target)];
    expect(Object.values(before).map((list) => (list as object[]).length)).toEqual(FLAGS_OF_WORLD);
    expect(after).toEqual(before);
  });

  it('transfers the entities that flags depend on', async () => {
    const operations = ['getAllEnvironments', 'getProjects', 'getContextFields', 'getTagTypes', 'getAllStrategies'];
    for (const operation of operations) {
      const [before, after] = [await source.call(operation), await target.call(operation)];
      const names = (body: Record<string, unknown> | { name: string }[]) =>
        ((Object.values(body).find(Array.isArray) ?? body) as { name: string }[]).map(({ name }) => name).sort();
      expect([operation, names(after.body)]).toEqual([operation, names(before.body)]);
    }
    expect((await target.call('getUiConfig')).body.frontendApiOrigins).toEqual(['https://shop.example.com']);
  });

  it('can be read only by its owner, and overwrites no files', async () => {
    expect((await stat(at(''))).mode & 0o077).toBe(0);
    for (const name of await readdir(at(''), { recursive: true })) {
      expect([name, (await stat(at(name))).mode & 0o077]).toEqual([name, 0]);
    }
    const again = await burgee(['export', '--all', '--url', source.url, '--to', at('')]);
    expect(again).toMatchObject({ code: 1, err: expect.stringContaining('is not empty') });
  });

  it('lists everything that it omits, by name', async () => {
    const text = await readFile(at('not-held.txt'), 'utf8');
    for (const item of [
      '    old-flag\n',
      'expiring (client): it expires',
      'several (client): it is for several projects',
      'API tokens of projects that a new Unleash does not have (1).',
      'shop (frontend): shop\n',
      'More than 30 constraints of a strategy or a segment',
      '    wide in production\n',
      'reviewer@example.com',
      'Audit events',
    ]) {
      expect(text).toContain(item);
    }
    expect(text).not.toContain('*:development.export');
  });

  it('is the same, byte for byte, from the store of a stopped service', async () => {
    const copy = await startTestService({
      directory: join(directory, 'copy'),
      env: { UNLEASH_CONSTRAINTS_LIMIT: '40' },
    });
    await burgee(['import', at(''), '--url', copy.url]);
    expect((await burgee(['export', '--all', '--url', copy.url, '--to', at('../over-http')])).code).toBe(0);
    await copy.close();
    const location = `lmdb:${join(directory, 'copy')}`;
    const fromStore = await burgee(['export', '--all', '--from', location, '--to', at('../from-store')]);
    expect(fromStore.code).toBe(0);
    const names = (await readdir(at('../over-http'), { recursive: true })).filter((name) => name.endsWith('.json'));
    expect(names.length).toBeGreaterThan(5);
    for (const name of names) {
      if (name === 'export.json') continue;
      const [left, right] = await Promise.all(
        ['over-http', 'from-store'].map((each) => readFile(at(`../${each}/${name}`), 'utf8')),
      );
      expect(left).toBe(right);
    }
  });

  it('can be imported again: it creates no duplicates, and corrects differences', async () => {
    const [segment] = (await target.call('getSegments')).body.segments;
    const { id, name } = segment;
    await target.call('updateSegment', { params: { id }, body: { name, constraints: [] } });
    const shop = { name: 'Bazaar', mode: 'open', linkTemplates: [] };
    await target.call('updateProject', { params: { projectId: 'shop' }, body: shop });
    await target.call('updateEnvironment', { params: { name: 'staging' }, body: { type: 'test' } });
    const { code, out } = await burgee(['import', at(''), '--url', target.url]);
    expect(code).toBe(0);
    expect(out).toMatch(/^segment: (\d+ as it is, 1 changed|1 changed, \d+ as it is)$/m);
    expect(out).toMatch(/^flags: \d+ changed$/m);
    expect(out).toMatch(/^project: (1 as it is, 1 changed|1 changed, 1 as it is)$/m);
    expect(out).toMatch(/^environment: .*1 changed/m);
    expect(out).not.toMatch(/^(segment|project|environment|context field|tag type|strategy|user): .*made/m);
    expect(await listsOf(target)).toEqual(await listsOf(source));
    expect(await settingsOf(target)).toEqual(await settingsOf(source));
    const again = await burgee(['import', at(''), '--url', target.url]);
    expect([again.code, again.out]).toEqual([
      0,
      expect.not.stringMatching(/^(project|environment|context field): .*changed/m),
    ]);
    const { environments } = (await target.call('getAllEnvironments')).body;
    expect(again.out).toMatch(new RegExp(`^environment: ${environments.length} as it is$`, 'm'));
  });

  it('sends no empty texts: a real Unleash refuses an empty color', async () => {
    const { asked, close, url } = await listeningTo({
      '/api/admin/tag-types': { tagTypes: [{ name: 'plain', description: 'of before', icon: 'P', color: '#112233' }] },
    });
    const out = join(directory, 'plain');
    await cp(at(''), out, { recursive: true });
    const documents = JSON.parse(await readFile(join(out, 'instance.json'), 'utf8'));
    documents.tagTypes = [
      { name: 'plain', description: 'of now', icon: '', color: '' },
      { name: 'bare', description: null, icon: null, color: '' },
    ];
    await writeFile(join(out, 'instance.json'), JSON.stringify(documents));
    await burgee(['import', out, '--url', url]);
    await close();
    expect(asked.filter(({ path }) => path.startsWith('/api/admin/tag-types'))).toEqual([
      { path: '/api/admin/tag-types/plain', body: { name: 'plain', description: 'of now' } },
      { path: '/api/admin/tag-types', body: { name: 'bare' } },
    ]);
  });

  it.each([
    ['above it', async (file: string) => relative(at(''), file)],
    ['at an absolute path', async (file: string) => file],
    [
      'behind a link',
      async (file: string) => {
        await symlink(file, at('flags/link.json')).catch(() => {});
        return 'flags/link.json';
      },
    ],
  ])('reads no file %s when the export names it, and imports nothing', async (_where, nameOf) => {
    const secret = join(directory, 'secret.json');
    await writeFile(secret, '{"secret":"of somebody else"}');
    const manifest = await readFile(at('export.json'), 'utf8');
    const { asked, close, url } = await listeningTo({});
    const flagFiles = [{ ...JSON.parse(manifest).flagFiles[0], file: await nameOf(secret) }];
    await writeFile(at('export.json'), JSON.stringify({ ...JSON.parse(manifest), flagFiles }));
    const result = await burgee(['import', at(''), '--url', url]);
    await writeFile(at('export.json'), manifest);
    await close();
    expect(result).toMatchObject({ code: 1, err: expect.stringContaining('which is not a file in') });
    expect(asked).toEqual([]);
  });

  it('reports everything that the target refuses, and exits with 1', async () => {
    const refused = await burgee(['import', at(''), '--url', target.url], { BURGEE_TOKEN: '*:*.unknown' });
    expect(refused).toMatchObject({ code: 1, err: expect.stringContaining('refuses the token: 401') });
    const narrow = await startTestService({ env: { UNLEASH_SEGMENTS_LIMIT: '1', UNLEASH_CONSTRAINTS_LIMIT: '40' } });
    const { code, err, out } = await burgee(['import', at(''), '--url', narrow.url]);
    await narrow.close();
    expect([code, out]).toEqual([1, expect.stringContaining('segment: 1 made, ')]);
    expect(err).toMatch(/^segment .+: 4\d\d .+$/m);
    expect(err).toMatch(/^flags \d+ of default in development: 4\d\d .*segments?.*$/m);
  });

  it('imports flags of projects that the target does not have into the project of --project, or reports an error', async () => {
    // Like an Unleash with one project, in which no other can be created.
    const env = { UNLEASH_PROJECTS_LIMIT: '1', UNLEASH_CONSTRAINTS_LIMIT: '40' };
    const narrow = await startTestService({ env });
    const refused = await burgee(['import', at(''), '--url', narrow.url]);
    expect(refused.err).toMatch(
      /^flags 4 of shop in staging: there is no project shop; specify another one with --project$/m,
    );
    expect(refused.err).toMatch(/^segment shop-only: there is no project shop; .+$/m);
    const moved = await burgee(['import', at(''), '--url', narrow.url, '--project', 'default']);
    const { body } = await narrow.call('getFeature', { params: { projectId: 'default', featureName: 'child' } });
    await narrow.close();
    expect(moved.err).not.toContain('shop in development');
    expect(body.dependencies).toEqual([{ feature: 'parent', enabled: true, variants: [] }]);
  });

  it('reports flags without a strategy, what code declared, and values that are not legal values any more', async () => {
    const service = await startTestService();
    const strange = { contextName: 'plan', operator: 'IN' as const, values: ['gone'] };
    await prepare(service, (draft) => {
      const field = { name: 'plan', description: null, stickiness: false, sortOrder: 1, createdAt: '' };
      draft.put('contextFields', { ...field, legalValues: [{ value: 'free' }] });
      const { strategies, ...entry } = switchedOn('development');
      const constrained = strategies.map((strategy) => ({ ...strategy, constraints: [strange] }));
      draft.put('features', flag('narrowed', { environments: [{ ...entry, strategies: constrained }] }));
      draft.put('features', flag('bare', { environments: [{ ...entry, strategies: [] }] }));
      draft.put('features', flag('typed', { manifest: { type: 'integer', defaultValue: '1' } }));
    });
    const losses = unleashLosses(service.running.services.state);
    await service.close();
    expect(losses.map(({ what, items }) => [what, ...items])).toEqual([
      ['Types and default values that code declared by the OpenFeature CLI', 'typed'],
      ['Flags that are on without any strategy', 'bare in development'],
      ['Values of constraints that are no longer legal values of their context field', 'narrowed in development'],
    ]);
  });

  it('first creates used strategies that a new Unleash does not have, and reports them', async () => {
    const service = await startTestService();
    await prepare(service, (draft) => {
      const { strategies, ...entry } = switchedOn('development');
      const using = (name: string) => {
        const used = strategies.map((strategy) => ({ ...strategy, name }));
        return { environments: [{ ...entry, strategies: used }] };
      };
      draft.put('features', flag('by-id', using('userWithId')));
      draft.put('features', flag('gone', { archived: true, ...using('gradualRolloutRandom') }));
      draft.put('features', flag('plain', using('remoteAddress')));
    });
    const losses = unleashLosses(service.running.services.state);
    const out = join(directory, 'former');
    expect(await burgee(['export', '--all', '--url', service.url, '--to', out])).toMatchObject({ code: 0 });
    await service.close();
    const of = losses.find(({ what }) => what === 'Strategies that a new Unleash does not have');
    expect(of?.items).toEqual(['userWithId']);
    expect(await readFile(join(out, 'not-held.txt'), 'utf8')).toContain('    userWithId\n');
    for (const [there, made] of [
      [[], ['userWithId']],
      [[{ name: 'userWithId', editable: false, description: 'as it is there' }], []],
    ] as const) {
      const { asked, close, url } = await listeningTo({
        '/api/admin/strategies': { strategies: there },
        '/api/admin/projects': { projects: [{ id: 'default' }] },
        '/api/admin/environments': { environments: [{ name: 'development' }] },
      });
      await burgee(['import', out, '--url', url]);
      await close();
      const paths = asked.map(({ path }) => path);
      const strategies = asked.filter(({ path }) => path === '/api/admin/strategies');
      expect(strategies.map(({ body }) => (body as { name: string }).name)).toEqual(made);
      const imported = paths.indexOf('/api/admin/features-batch/import');
      expect(imported).toBeGreaterThan(paths.lastIndexOf('/api/admin/strategies'));
    }
  });

  it('accepts the address of SDKs, with /api', async () => {
    const { code, err } = await burgee(['import', at(''), '--url', `${target.url}/api/`]);
    expect([code, err]).toEqual([0, '']);
    expect((await burgee(['export', '--all', '--url', `${source.url}/api`, '--to', at('../with-api')])).code).toBe(0);
  });

  it('does not change frontend origins that are already equal', async () => {
    const { out } = await burgee(['import', at(''), '--url', target.url]);
    expect(out).toMatch(/^frontend origins: 1 as it is$/m);
  });

  it('reports that an edition cannot create projects and environments, and a solution', async () => {
    const { close, url } = await refusing(404);
    const { code, err } = await burgee(['import', at(''), '--url', url]);
    await close();
    expect(code).toBe(1);
    expect(err).toMatch(
      /^environment staging: 404 environments cannot be created there .+: its flags cannot be imported$/m,
    );
    expect(err).toMatch(/^project shop: 404 projects cannot be created there .+; --project default imports .+$/m);
  });

  it.each([
    [401, 'it does not know the token in BURGEE_TOKEN'],
    [403, 'must be an admin’s'],
    [404, 'is this the address of a Burgee'],
    [429, 'try again when it has finished'],
    [500, 'the service refused to send its state: 500; The path is not available.\n'],
  ])('reports why it got no state: %d', async (status, why) => {
    const { close, url } = await refusing(status);
    const { code, err } = await burgee(['export', '--all', '--url', url, '--to', at('../untold')]);
    await close();
    expect([code, err]).toEqual([1, expect.stringContaining(why)]);
  });

  it('reports missing or wrong arguments in one line', async () => {
    const lines: [exitCode: number, args: string[]][] = [
      [2, ['export', '--to', 'x']],
      [2, ['export', '--all']],
      [2, ['export', '--all', '--to', 'x', '--from', 'lmdb:a', '--url', 'http://b']],
      [2, ['export', '--all', '--to', at('../x'), '--from', 'nowhere:a']],
      [1, ['export', '--all', '--to', at('../x'), '--url', 'http://127.0.0.1:9']],
      [2, ['import']],
      [1, ['import', at('../none')]],
    ];
    for (const [exitCode, args] of lines) {
      const { code, out, err } = await burgee(args);
      expect([args, code, out]).toEqual([args, exitCode, '']);
      expect(err).toMatch(/^burgee (export|import): .+\n$/);
    }
  });
});
