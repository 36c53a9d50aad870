import { type ChildProcess, spawn } from 'node:child_process';
import { chmodSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { OPERATORS } from '../../../src/model/constraint.ts';
import { runProgram } from '../../../src/products/program/program.ts';
import { screenOf, table } from '../../../src/products/program/terminal/screen.ts';
import { strategySentence } from '../../../src/products/program/terminal/sentences.ts';
import { flag, prepare } from '../../support/admin.ts';
import { Flags } from '../../support/flags.ts';
import { FaultyProxy } from '../../support/http/faulty-proxy.ts';
import { personalTokenOf, putUser } from '../../support/people.ts';
import { BUILT_PROGRAM } from '../../support/programs/built-program.ts';
import { burgee as runBurgee } from '../../support/programs/run-burgee.ts';
import { ADMIN_TOKEN, CLIENT_TOKEN, useService } from '../../support/service.ts';
import { until } from '../../support/until.ts';

/** Runs the command on a new terminal, and ends with it. */
const ON_TERMINAL =
  process.platform === 'darwin' ? ['script', '-q', '/dev/null'] : ['sh', '-c', 'exec script -qec "$*" /dev/null', 'sh'];

/** The program as people run it: the build, in its own process. */
class Run {
  readonly child: ChildProcess;
  out = '';
  err = '';
  readonly exited: Promise<number | null>;

  constructor(args: readonly string[], environment: Record<string, string> = {}, wrapper: readonly string[] = []) {
    const [file = '', ...rest] = [...wrapper, process.execPath, BUILT_PROGRAM, ...args];
    const { PATH = '', HOME = '' } = process.env;
    this.child = spawn(file, rest, { env: { PATH, HOME, XDG_CONFIG_HOME: folder, ...environment } });
    this.child.stdout?.on('data', (chunk: Buffer) => (this.out += chunk.toString()));
    this.child.stderr?.on('data', (chunk: Buffer) => (this.err += chunk.toString()));
    this.exited = new Promise((resolve) => this.child.once('close', (code) => resolve(code)));
    open.add(this);
  }

  get lines(): readonly string[] {
    return this.out.split('\n').slice(0, -1);
  }

  async result(input = ''): Promise<{ code: number | null; out: string; err: string }> {
    this.child.stdin?.end(input);
    return { code: await this.exited, out: this.out, err: this.err };
  }
}

const service = useService();
let flags: Flags;
/** The folder for configuration of the test's user. */
let folder: string;
const open = new Set<Run>();

const asAdmin = () => ({ BURGEE_URL: service.url, BURGEE_TOKEN: ADMIN_TOKEN });

const burgee = (args: readonly string[], environment: Record<string, string> = asAdmin()) =>
  runBurgee(args, { XDG_CONFIG_HOME: folder, ...environment });

const jsonLines = (text: string) =>
  text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line));

beforeAll(async () => {
  flags = new Flags(service);
});

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'burgee-terminal-'));
});

afterEach(async () => {
  for (const { child, exited } of open) {
    child.kill('SIGKILL');
    await exited;
  }
  open.clear();
  rmSync(folder, { recursive: true, force: true });
});

describe('burgee login', () => {
  const login = (token: string, ...args: string[]) =>
    runBurgee(['login', `${service.url}/api/`, ...args], { XDG_CONFIG_HOME: folder }, `${token}\n`);
  const file = () => join(folder, 'burgee', 'profiles.json');

  it('stores profiles that only the user can read, and other commands use them', async () => {
    // The real program reads its own standard input.
    const made = await new Run(['login', `${service.url}/api/`]).result(`${ADMIN_TOKEN}\n`);
    expect(made).toMatchObject({ code: 0, err: '' });
    expect(made.out).toMatch(new RegExp(`^logged in to ${service.url} as .+: profile default\n$`));
    expect(statSync(file()).mode & 0o777).toBe(0o600);
    expect((await login(ADMIN_TOKEN, '--profile', 'other')).code).toBe(0);
    expect(statSync(file()).mode & 0o777).toBe(0o600);
    const name = await flags.create();
    for (const profile of [[], ['--profile', 'other']])
      expect(await burgee(['flag', name, ...profile], {})).toMatchObject({ code: 0, err: '' });
    const listed = await burgee(['profiles'], {});
    expect(listed.out).toBe(
      `name     url${' '.repeat(service.url.length - 3)}\n`.replace(/ +\n/, '\n') +
        `default  ${service.url}  default\nother    ${service.url}\n`,
    );
    expect(jsonLines((await burgee(['profiles', '--json'], {})).out)).toEqual([
      { name: 'default', url: service.url, isDefault: true },
      { name: 'other', url: service.url, isDefault: false },
    ]);
    expect((await burgee(['profiles', '--remove', 'other'], {})).code).toBe(0);
    expect(readFileSync(file(), 'utf8')).not.toContain('other');
    expect(await burgee(['flags', '--profile', 'other'], {})).toMatchObject({
      code: 1,
      out: '',
      err: 'burgee flags: there is no profile "other": see burgee profiles\n',
    });
  });

  it('stores no token that the service refuses, and prints no token', async () => {
    for (const [token, code, message] of [
      ['*:*.wrong-secret', 1, /refused: 401 /],
      [CLIENT_TOKEN, 1, /refused: 40[13] /],
      ['', 1, /the token is empty/],
      ['wrong secret', 1, /contains a space/],
    ] as const) {
      const { code: found, out, err } = await login(token);
      expect([token, found, out]).toEqual([token, code, '']);
      expect(err).toMatch(message);
      expect(err).toMatch(/^burgee login: .*\n$/);
      if (token !== '') expect(err).not.toContain(token);
    }
    expect((await burgee(['profiles'], {})).err).toMatch(/^there are no profiles in /);
  });

  it('refuses a file that other users can read, or that is not valid', async () => {
    await login(ADMIN_TOKEN);
    chmodSync(file(), 0o640);
    expect(await burgee(['flags'], {})).toMatchObject({ code: 1, err: expect.stringContaining('chmod 600') });
    chmodSync(file(), 0o600);
    writeFileSync(file(), `{"profiles":{"default":"${ADMIN_TOKEN}"}}`);
    const { code, err } = await burgee(['flags'], {});
    expect([code, err]).toEqual([1, `burgee flags: ${file()} is not valid: delete it, and log in again\n`]);
  });

  it('shows nothing of the token that is typed on a terminal', async () => {
    const run = new Run(['login', service.url], {}, ON_TERMINAL);
    await until(
      () => run.out,
      (text) => text.includes('token for'),
    );
    run.child.stdin?.write(`${ADMIN_TOKEN}\r`);
    await until(
      () => run.out,
      (text) => text.includes('logged in'),
    );
    run.child.stdin?.end();
    await run.exited;
    expect(run.out).not.toContain('test-admin');
    expect(JSON.parse(readFileSync(file(), 'utf8'))).toEqual({
      profiles: { default: { url: service.url, token: ADMIN_TOKEN } },
    });
  });
});

describe('the service and the token of a command', () => {
  it('are BURGEE_URL and BURGEE_TOKEN before those of the profile, whose token is sent only to its address', async () => {
    const proxy = await FaultyProxy.before(service.url);
    onTestFinished(() => proxy.close());
    await runBurgee(['login', service.url], { XDG_CONFIG_HOME: folder }, ADMIN_TOKEN);
    const refused = await burgee(['flags'], { BURGEE_URL: proxy.url });
    expect([refused.code, refused.err]).toEqual([
      1,
      `burgee flags: set BURGEE_TOKEN: the token of the profile is sent only to ${service.url}\n`,
    ]);
    expect(proxy.seen).toEqual([]);
    expect((await burgee(['events'], { BURGEE_TOKEN: 'other' })).err).toContain('refused: 401');
    expect((await burgee(['events'], { BURGEE_URL: proxy.url, BURGEE_TOKEN: ADMIN_TOKEN })).code).toBe(0);
    expect(proxy.seen.map(({ token }) => token)).toEqual([ADMIN_TOKEN]);
    const noted = await burgee(['events', '--profile', 'default'], {
      BURGEE_URL: proxy.url,
      BURGEE_TOKEN: ADMIN_TOKEN,
    });
    expect(noted).toMatchObject({ code: 0, err: 'note: BURGEE_URL replaces the address of the profile default\n' });
    expect(proxy.seen.length).toBe(2);
  });

  it('end in one line without the token if they are not valid, or if the answer is not of Burgee', async () => {
    const redirecting = createServer((_request, response) => response.writeHead(302, { location: service.url }).end());
    await new Promise<void>((resolve) => redirecting.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void redirecting.close());
    const elsewhere = `http://127.0.0.1:${(redirecting.address() as AddressInfo).port}`;
    const proxy = await FaultyProxy.before(service.url);
    onTestFinished(() => proxy.close());
    proxy.fault = 'html';
    for (const [args, environment, code, message] of [
      [['flags'], {}, 1, /log in with burgee login URL/],
      [['flags'], { ...asAdmin(), BURGEE_TOKEN: 'secret\nword' }, 1, /BURGEE_TOKEN contains a space/],
      [['flags'], { ...asAdmin(), BURGEE_URL: 'http://secret:word@127.0.0.1' }, 2, /must not contain a user/],
      [['flags', '--url', 'localhost'], asAdmin(), 2, /--url must be an address/],
      [['watch'], { ...asAdmin(), BURGEE_URL: elsewhere }, 1, /sends requests to another address \(302\)/],
      [['flags'], { ...asAdmin(), BURGEE_URL: elsewhere }, 1, /sends requests to another address \(302\)/],
      [['flags'], { ...asAdmin(), BURGEE_URL: proxy.url }, 1, /is not JSON/],
      [['watch'], { ...asAdmin(), BURGEE_URL: 'http://127.0.0.1:9' }, 1, /no answer from/],
      [['flag'], asAdmin(), 2, /see --help/],
      [['flags', '--every'], asAdmin(), 2, /see --help/],
      [['flags', '-n', '0'], asAdmin(), 2, /-n must be a number/],
      [['on', 'x'], asAdmin(), 2, /see --help/],
      [['on', 'x', '-e', 'development', '--change-request', ''], asAdmin(), 2, /needs a title/],
      [['login'], {}, 2, /see --help/],
      [['login', service.url, '--profile', 'a/b'], {}, 2, /--profile must be a name/],
      [['events', 'no-such-flag'], asAdmin(), 1, /there are no events of/],
      [['flag', 'no-such-flag'], asAdmin(), 1, /there is no flag "no-such-flag"/],
    ] as const) {
      const result = await burgee(args, environment);
      expect([args, result.code, result.out]).toEqual([args, code, '']);
      expect(result.err).toMatch(message);
      expect(result.err).toMatch(/^burgee \w+: .*\n$/);
      expect(result.err).not.toMatch(/secret|test-admin/);
    }
  });

  it('end without an error if the reader of the output has enough', async () => {
    await flags.create();
    const run = new Run([], asAdmin(), ['sh', '-c', `"${process.execPath}" "${BUILT_PROGRAM}" events -n 500 | true`]);
    expect(await run.result()).toMatchObject({ code: 0, err: '' });
  });
});

describe('burgee flags and burgee flag', () => {
  it('list flags with their environments, by project, text, environment, stale and archived', async () => {
    const { body: project } = await flags.call('createProject', {}, { id: 'listed', name: 'Listed' });
    const on = await flags.create({ description: 'the \u001b[31mred one' }, project.id);
    const stale = await flags.create({}, project.id);
    const archived = await flags.create({}, project.id);
    const params = { projectId: project.id };
    await flags.call('toggleFeatureEnvironmentOn', { ...params, featureName: on, environment: 'production' });
    await flags.call('staleFeatures', params, { features: [stale], stale: true });
    await flags.call('archiveFeature', { ...params, featureName: archived });
    const list = async (...args: string[]) => {
      const { code, out, err } = await burgee(['flags', '--project', project.id, ...args]);
      expect([code, err]).toEqual([0, out === '' ? 'no flags match\n' : '']);
      return out
        .split('\n')
        .slice(1, -1)
        .map((line) => line.split(/ +/).join(' '));
    };
    expect(await list()).toEqual([`${on} listed release active production`, `${stale} listed release stale -`]);
    expect(await list('--search', 'red one')).toEqual([`${on} listed release active production`]);
    expect(await list('-e', 'production')).toEqual([`${on} listed release active production`]);
    expect(await list('-e', 'development')).toEqual([]);
    expect(await list('--stale')).toEqual([`${stale} listed release stale -`]);
    expect(await list('--archived')).toEqual([`${archived} listed release archived -`]);
    const json = jsonLines((await burgee(['flags', '--project', project.id, '--json'])).out);
    expect(json.map(({ name }) => name)).toEqual([on, stale]);
    // A text of the service cannot control the terminal.
    const shown = await burgee(['flag', on]);
    expect(shown.out).toContain('the [31mred one');
    expect(shown.out).not.toContain('\u001b');
  });

  it('find a flag by its exact name among many that contain it, and report that it is archived', async () => {
    const names = Array.from({ length: 450 }, (_, at) => `${at < 320 ? 'a' : 'z'}-many-${1000 + at}`);
    await prepare(service, (draft) => {
      for (const name of names) draft.put('features', flag(name));
      draft.put('features', flag('many'));
      draft.put('features', flag('many-old', { archived: true, archivedAt: '2026-01-02T00:00:00.000Z' }));
    });
    for (const name of ['many', names[0], names[319], names[320], names[449]] as string[])
      expect(JSON.parse((await burgee(['flag', name, '--json'])).out)).toMatchObject({ name, project: 'default' });
    expect(await burgee(['flag', 'many-old'])).toMatchObject({
      code: 1,
      out: '',
      err: 'burgee flag: the flag many-old in the project default is archived: see burgee flags --archived\n',
    });
    for (const name of ['man', 'any', 'z-many-2', 'a-many', 'many-1'])
      expect((await burgee(['flag', name])).err, name).toContain('there is no flag');
    const some = await burgee(['flags', '--search', 'many', '-n', '250', '--json']);
    expect(jsonLines(some.out).map(({ name }) => name)).toEqual(names.slice(0, 250));
    expect(some.err).toMatch(/^250 of 451 flags: /);
    expect(jsonLines((await burgee(['flags', '--search', 'many', '--json'])).out).length).toBe(451);
  }, 60_000);

  it('describe strategies, segments, variants, tags and dependencies in sentences', async () => {
    const { body: segment } = await flags.call(
      'createSegment',
      {},
      { name: 'staff', constraints: [{ contextName: 'userId', operator: 'IN', values: ['1', '2'] }] },
    );
    const variant = { weightType: 'variable', stickiness: 'default', weight: 500 };
    const parent = await flags.createFor(
      [{ contextName: 'country', operator: 'IN', values: ['SE', 'NO'], inverted: true, caseInsensitive: true }],
      {
        name: 'flexibleRollout',
        parameters: { rollout: '25', stickiness: 'default', groupId: 'g' },
        segments: [segment.id],
        variants: [
          { ...variant, name: 'blue', payload: { type: 'string', value: 'x y' } },
          { ...variant, name: 'red' },
        ],
      },
      { description: 'The new one' },
    );
    const child = await flags.create();
    await flags.call('addTag', { featureName: parent }, { type: 'simple', value: 'beta' });
    await flags.call('addFeatureDependency', { child }, { feature: parent });
    const { code, out, err } = await burgee(['flag', parent]);
    expect([code, err]).toEqual([0, '']);
    const text = out.replace(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ by [^,]+/, 'TIME');
    expect(text).toBe(`${parent}  release flag in the project default
  The new one
  tags: simple:beta
  flags that depend on it: ${child}
  created TIME, never used by an SDK

development: on
  - 25% of contexts by userId or sessionId in the group g if country is none of SE, NO (upper or lower case) and the context is in the segment staff (userId is one of 1, 2)
    variants: blue 50% (string x y), red 50%
production: off
  no strategies
`);
    expect((await burgee(['flag', child, '--project', 'default'])).out).toContain(`\n  only on if ${parent} is on\n`);
  });

  it('write every operator differently, and its inversion differently again', () => {
    const sentence = (operator: (typeof OPERATORS)[number], inverted: boolean, rest: object) =>
      strategySentence(
        { name: 'default', parameters: {}, constraints: [{ contextName: 'f', operator, inverted, ...rest }] },
        new Map(),
      );
    for (const rest of [{ value: '1' }, { values: ['1'] }, { values: ['1', '2'] }, { values: [] }]) {
      const texts = OPERATORS.flatMap((operator) => [sentence(operator, false, rest), sentence(operator, true, rest)]);
      // NOT_IN is IN inverted.
      expect(new Set(texts).size).toBe(texts.length - 2);
      for (const text of texts) expect(text).toMatch(/^everyone if (not \()?f /);
    }
    expect(sentence('IN', false, { values: Array.from({ length: 30 }, (_, at) => String(at)) })).toMatch(
      /is one of 0, 1, .*9, … \(30 values\)$/,
    );
  });
});

describe('burgee preview', () => {
  const jsonFile = (content: unknown) => {
    const file = join(folder, 'list.json');
    writeFileSync(file, JSON.stringify(content));
    return file;
  };

  it('prints what switching a flag would change, and changes nothing', async () => {
    const name = await flags.create();
    const { seq } = flags.state;
    const { code, out, err } = await burgee(['preview', name, 'on', '-e', 'development', '-n', '2']);
    expect([code, err]).toEqual([0, '']);
    const lines = out.split('\n');
    expect(lines.slice(0, 2)).toEqual(['1000 contexts in development; nothing was changed', `${name}: 1000 off → on`]);
    expect(lines.slice(2, 4)).toEqual(
      Array(2).fill(expect.stringMatching(/^ {2}off → on: \{"userId":"[0-9a-f]{16}"\}$/)),
    );
    expect(flags.state.seq).toBe(seq);
    const off = await burgee(['preview', name, 'off', '-e', 'development', '--made-up', '7']);
    expect(off.out).toBe('7 contexts in development; nothing was changed\nno flag is affected\n');
  });

  it('tries the changes of a file with the selected contexts', async () => {
    const name = await flags.create();
    const constraints = [{ contextName: 'country', operator: 'IN', values: ['NO'] }];
    const changes = jsonFile([
      { action: 'addStrategy', payload: { name: 'default', constraints, variants: [variantNamed('blue')] } },
      { action: 'updateEnabled', feature: name, payload: { enabled: true } },
    ]);
    const contexts = join(folder, 'contexts.json');
    writeFileSync(contexts, JSON.stringify(['NO', 'SE', 'DK'].map((country) => ({ properties: { country } }))));
    const args = ['preview', name, '--changes', changes, '-e', 'development', '--contexts', contexts];
    const { out, err } = await burgee(args);
    expect(err).toBe('');
    expect(out).toContain(
      `${name}: 1 off → on, 2 unchanged\n  off → on, variant blue: {"properties":{"country":"NO"}}\n`,
    );
    expect(out).toMatch(/cost of an evaluation: [\d.]+ → [\d.]+ µs, at most \d+\n/);
    const json = JSON.parse((await burgee([...args, '--made-up', '10', '--json'])).out);
    expect(json).toMatchObject({ contexts: 30, flags: [{ name, counts: { offToOn: 10, unchanged: 20 } }] });
    await putUser(service, 7_003, { rootRole: 2 });
    const editor = { ...asAdmin(), BURGEE_TOKEN: await personalTokenOf(service, 7_003) };
    const set = { name: 'Norway', contexts: [{ properties: { country: 'NO' } }] };
    const { id } = (await service.call('createOwnContextSet', { body: set, token: editor.BURGEE_TOKEN })).body;
    const withSet = ['preview', name, '--changes', changes, '-e', 'development', '--set', String(id)];
    expect((await burgee(withSet, editor)).out).toContain(`${name}: 1 off → on\n`);
  });

  it('reports wrong usage, and what the service refuses', async () => {
    const name = await flags.create();
    const file = jsonFile({ action: 'updateEnabled' });
    const location = ['-e', 'development'];
    for (const [args, code, message] of [
      [[name, ...location], 2, /either on, off or --changes/],
      [[name, 'up', ...location], 2, /either on, off or --changes/],
      [[name, 'on', '--changes', file, ...location], 2, /either on, off or --changes/],
      [[name, 'on'], 2, /--environment/],
      [[name, 'on', '--set', 'x', ...location], 2, /--set must be/],
      [[name, 'on', '--made-up', '0', ...location], 2, /--made-up must be/],
      [[name, '--changes', file, ...location], 1, /must contain a JSON list/],
      [[name, '--changes', join(folder, 'missing'), ...location], 1, /cannot be read: ENOENT/],
      [[name, 'on', '-e', 'nowhere'], 1, /refused: 404/],
      [[name, 'on', '--made-up', '20000', ...location], 1, /refused: 400/],
      [['no-such-flag', 'on', ...location], 1, /there is no flag/],
    ] as const) {
      const result = await burgee(['preview', ...args]);
      expect([args, result.code, result.out]).toEqual([args, code, '']);
      expect(result.err).toMatch(message);
    }
  });
});

const variantNamed = (name: string) => ({ name, weight: 1000, weightType: 'variable', stickiness: 'default' });

describe('burgee on and burgee off', () => {
  const location = (featureName: string, environment = 'development') => ({ featureName, environment });

  it('switch a flag, and print what changed and the revision', async () => {
    const name = await flags.create();
    const on = await burgee(['on', name, '--environment', 'development']);
    expect(on).toMatchObject({ code: 0, err: '' });
    const [, revision] =
      new RegExp(`^${name} in development: off → on \\(revision (\\d+)\\)\ndevelopment: on\n  - everyone\n$`).exec(
        on.out,
      ) ?? [];
    expect(Number(revision)).toBeGreaterThan(0);
    expect(Number(revision)).toBeLessThanOrEqual(flags.state.seq);
    expect((await flags.environment(name)).enabled).toBe(true);
    expect((await burgee(['on', name, '-e', 'development'])).out).toMatch(/it was on already, nothing changed/);
    const off = await burgee(['off', name, '-e', 'development', '--json']);
    expect(JSON.parse(off.out)).toMatchObject({ name, environments: [{ name: 'development', enabled: false }, {}] });
    expect((await flags.environment(name)).enabled).toBe(false);
    expect(await burgee(['on', name, '-e', 'nowhere'])).toMatchObject({
      code: 1,
      out: '',
      err: `burgee on: ${name} has no environment "nowhere", only development, production\n`,
    });
  });

  it('report a caller without the permission', async () => {
    const name = await flags.create();
    await putUser(service, 7_001, { rootRole: 3 });
    const token = await personalTokenOf(service, 7_001);
    const { code, err } = await burgee(['on', name, '-e', 'development'], { ...asAdmin(), BURGEE_TOKEN: token });
    expect([code, err]).toEqual([1, expect.stringMatching(/^burgee on: the service refused: 403 .*\n$/)]);
    expect((await flags.environment(name)).enabled).toBe(false);
  });

  it('need a change request where changes are reviewed, and make one', async () => {
    await putUser(service, 7_002, { rootRole: 2 });
    const editor = { ...asAdmin(), BURGEE_TOKEN: await personalTokenOf(service, 7_002) };
    const { body: project } = await flags.call('createProject', {}, { id: 'reviewed', name: 'Reviewed' });
    const projectId: string = project.id;
    await flags.call('setRolesForProjectUser', { projectId, id: 7_002 }, { roles: [4] });
    const name = await flags.create({}, projectId);
    const config = { projectId, environment: 'production' };
    await flags.call('updateProjectChangeRequestConfig', config, { changeRequestsEnabled: true, requiredApprovals: 1 });
    const on = ['on', name, '-e', 'production'];
    const seq = async () =>
      (await flags.call('getFeature', { projectId, featureName: name })).body.environments[1].enabled;
    expect(await burgee(on, editor)).toMatchObject({
      code: 1,
      out: '',
      err: 'burgee on: changes of production in the project reviewed need a change request: add --change-request TITLE\n',
    });
    const made = await burgee([...on, '--change-request', 'Ship it'], editor);
    expect(made).toMatchObject({ code: 0, err: '' });
    const [, id] =
      /^change request (\d+) in the project reviewed switches \S+ on in production: it is in review and needs 1 approval \(revision \d+\)\n$/.exec(
        made.out,
      ) ?? [];
    const { body: request } = await flags.call('getChangeRequest', { projectId, id: Number(id) });
    expect(request).toMatchObject({
      title: 'Ship it',
      state: 'In review',
      environment: 'production',
      features: [{ name, changes: [{ action: 'updateEnabled', payload: { enabled: true } }] }],
    });
    expect(await seq()).toBe(false);
    const again = await burgee([...on, '--change-request', 'Once more', '--json'], editor);
    expect(JSON.parse(again.out)).toMatchObject({ title: 'Once more', state: 'In review' });
    // A draft is not extended: its other changes would be sent to review too.
    await service.call('createChangeRequest', {
      params: config,
      token: editor.BURGEE_TOKEN,
      body: { action: 'updateEnabled', feature: name, payload: { enabled: true } },
    });
    expect(await burgee([...on, '--change-request', 'Third'], editor)).toMatchObject({
      code: 1,
      out: '',
      err: expect.stringMatching(/^burgee on: you have a draft in production already, change request \d+ /),
    });
    expect((await flags.environment(await flags.create())).enabled).toBe(false);
  });

  it('name only the flag that is meant', async () => {
    const [one, other] = [await flags.create(), await flags.create()];
    expect((await burgee(['on', one, '-e', 'development', '--project', 'nowhere'])).err).toContain('refused: 404');
    await burgee(['on', one, '-e', 'development', '--project', 'default']);
    expect((await flags.call('getFeatureEnvironment', location(other))).body.enabled).toBe(false);
  });
});

describe('burgee events', () => {
  it('prints the newest events of a flag or of all, as sentences or as JSON', async () => {
    const name = await flags.create();
    await flags.call('toggleFeatureEnvironmentOn', { featureName: name, environment: 'development' });
    const { code, out, err } = await burgee(['events', name, '-n', '1']);
    expect([code, err]).toEqual([0, '']);
    expect(out).toMatch(
      new RegExp(
        `^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\dZ  .+ switched the flag ${name} in the project default on in the environment development\n$`,
      ),
    );
    const events = jsonLines((await burgee(['events', name, '--json'])).out);
    expect(events.map(({ type }) => type)).toEqual([
      'feature-environment-enabled',
      'feature-strategy-add',
      'feature-created',
    ]);
    expect((await burgee(['events'])).out.split('\n').length).toBe(21);
  });

  it('shows texts of users as they were written', async () => {
    const id = 'odd-*_[1](x)';
    await prepare(service, (draft) => draft.put('features', flag(id)));
    await flags.call('addTag', { featureName: id }, { type: 'simple', value: 'a*b_c\\d' });
    const { out } = await burgee(['events', '-n', '1']);
    expect(out).toContain(`put the tag simple:a*b_c\\d on the flag ${id} in the project default\n`);
  });
});

describe('burgee watch', () => {
  const LINE = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ {2}.+ {2}/;

  interface Watched {
    readonly out: string;
    readonly err: string;
    readonly exited: Promise<number | null | undefined>;
  }

  /** The command in this process, until the end of the test. */
  function watchHere(args: readonly string[], environment: Record<string, string> = asAdmin()) {
    const stop = new AbortController();
    const shown = { out: '', err: '' };
    const exited = runProgram(['watch', ...args], {
      environment: { XDG_CONFIG_HOME: folder, ...environment },
      stop: stop.signal,
      out: (text) => (shown.out += text),
      err: (text) => (shown.err += text),
    });
    onTestFinished(async () => {
      stop.abort();
      await exited;
    });
    return Object.assign(shown, { exited, stop: () => stop.abort() });
  }

  /** Waits until it is connected: each new flag that it prints was created after it was. */
  async function connected<T extends Watched>(run: T): Promise<T> {
    let hasEnded = false;
    void run.exited.then(() => {
      hasEnded = true;
    });
    await until(
      async () => {
        expect(hasEnded, run.err).toBe(false);
        await flags.create();
        return run.out;
      },
      (text) => text !== '',
    );
    return run;
  }

  const untilShown = (run: Watched, name: string) =>
    until(
      () => run.out,
      (text) => text.includes(name),
    );

  it('prints a line for each commit, and continues after a loss of the connection without a gap', async () => {
    const proxy = await FaultyProxy.before(service.url);
    onTestFinished(() => proxy.close());
    const run = await connected(new Run(['watch'], { ...asAdmin(), BURGEE_URL: proxy.url }));
    const name = await flags.create();
    await flags.call('toggleFeatureEnvironmentOn', { featureName: name, environment: 'development' });
    await untilShown(run, `flag ${name} in the project default (development)\n`);
    proxy.fault = 'cut';
    proxy.cutStreams();
    await until(
      () => run.err,
      (text) => text.includes('is lost: trying again'),
    );
    const missed = [await flags.create(), await flags.create(), await flags.create()];
    proxy.fault = 'none';
    await untilShown(run, missed[2] as string);
    for (const line of run.lines) expect(line).toMatch(LINE);
    const named = run.lines.map((line) => line.replace(LINE, ''));
    expect(named.slice(-4)).toEqual([
      `flag ${name} in the project default (development)`,
      ...missed.map((flagName) => `flag ${flagName} in the project default`),
    ]);
    expect(run.err).toBe(`the connection to ${proxy.url} is lost: trying again\nconnected to ${proxy.url} again\n`);
    expect(proxy.seen.every(({ token }) => token === ADMIN_TOKEN)).toBe(true);
  });

  it('prints JSON, and only changes of a project', async () => {
    const { body: project } = await flags.call('createProject', {}, { id: 'watched', name: 'Watched' });
    const everything = await connected(watchHere(['--json']));
    const run = watchHere(['--json', '--project', project.id]);
    const own = await until(
      async () => {
        const name = await flags.create({}, project.id);
        await flags.create();
        return run.out === '' ? '' : name;
      },
      (name) => name !== '',
    );
    await untilShown(run, own);
    await untilShown(everything, own);
    for (const commit of jsonLines(run.out)) {
      expect(commit).toMatchObject({ revision: expect.any(Number), at: expect.any(String), more: false });
      expect(commit.entities.map((entity: { project: string }) => entity.project)).toEqual([project.id]);
    }
    const projects = jsonLines(everything.out).flatMap(({ entities }) =>
      entities.map((entity: { project: string }) => entity.project),
    );
    expect(new Set(projects)).toEqual(new Set(['default', project.id]));
  });

  it('ends with 1 when the token is not valid any more, and without an error when it is stopped', async () => {
    await putUser(service, 7_003, { rootRole: 3 });
    const token = await personalTokenOf(service, 7_003);
    const run = await connected(watchHere([], { ...asAdmin(), BURGEE_TOKEN: token }));
    await prepare(service, (draft) => {
      for (const stored of flags.state.values('personalTokens'))
        if (stored.userId === 7_003) draft.remove('personalTokens', stored.secret);
    });
    expect(await run.exited).toBe(1);
    expect(run.err).toMatch(/\nburgee watch: the service refused: 401 .*\n$/);

    const stopped = await connected(watchHere([]));
    stopped.stop();
    expect(await stopped.exited).toBe(0);
  });
});

describe('the output', () => {
  it('has colours only on a terminal, and none with NO_COLOR', async () => {
    await flags.create();
    const shown = async (columns: number | undefined, environment = {}) => {
      let text = '';
      const io = { environment: { ...asAdmin(), ...environment }, columns, err: () => {} };
      expect(await runProgram(['flags', '-n', '3'], { ...io, out: (piece) => (text += piece) })).toBe(0);
      return text;
    };
    const isColoured = async (columns: number | undefined, environment = {}) =>
      (await shown(columns, environment)).includes('\u001b[');
    expect(await isColoured(80)).toBe(true);
    expect(await isColoured(80, { NO_COLOR: '' })).toBe(true);
    expect(await isColoured(80, { NO_COLOR: '1' })).toBe(false);
    expect(await isColoured(80, { TERM: 'dumb' })).toBe(false);
    expect(await isColoured(undefined)).toBe(false);
    const narrow = await shown(40, { NO_COLOR: '1' });
    for (const line of narrow.split('\n')) expect(line.length).toBeLessThanOrEqual(40);
    // The real program finds out by itself that it runs on a terminal.
    const real = new Run(['flags', '-n', '3'], asAdmin(), ON_TERMINAL);
    expect((await real.result()).out).toContain('\u001b[');
  });

  it('cuts no text because a blank follows it', () => {
    const titles = ['one', 'two'].map((title) => ({ title }));
    const text = 'x'.repeat(35);
    const fitted = table(titles, [['abc', `${text} `]], screenOf({ columns: 40, environment: { NO_COLOR: '1' } }));
    expect(fitted).toContain(`abc  ${text}\n`);
  });

  it('has tables that fit every terminal from 40 columns on, and nothing is cut without need', () => {
    const cells = fc.array(fc.array(fc.string({ maxLength: 60 }), { minLength: 4, maxLength: 4 }), { maxLength: 5 });
    fc.assert(
      fc.property(cells, fc.integer({ min: 40, max: 300 }), (rows, columns) => {
        const titles = ['one', 'two', 'three', 'four'].map((title) => ({ title }));
        const lines = (width: number | undefined) =>
          table(titles, rows, screenOf({ columns: width, environment: { NO_COLOR: '1' } }))
            .split('\n')
            .slice(0, -1);
        const fitted = lines(columns);
        expect(fitted.length).toBe(rows.length + 1);
        for (const line of fitted) expect(line.length).toBeLessThanOrEqual(columns);
        const whole = lines(undefined);
        if (whole.every((line) => line.length <= columns)) expect(fitted).toEqual(whole);
      }),
    );
  });
});
