import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { ROLE_ID } from '../../../../src/model/role.ts';
import { flag, prepare } from '../../../support/admin.ts';
import { personalTokenOf, putUser } from '../../../support/people.ts';
import { burgee as runBurgee } from '../../../support/programs/run-burgee.ts';
import { ADMIN_TOKEN, useService } from '../../../support/service.ts';
import { SAMPLE_FILES } from './sample-code.ts';

const service = useService();
/** The folder that is scanned. */
let tree: string;

interface Finding {
  readonly name: string;
  readonly state: string;
  readonly project: string | null;
  readonly count: number;
  readonly places: readonly { readonly path: string; readonly line: number; readonly isCall: boolean }[];
}

const burgee = (args: readonly string[], token = ADMIN_TOKEN, more: Record<string, string> = {}) =>
  runBurgee(['find-flags', ...args], {
    PATH: process.env.PATH ?? '',
    HOME: tree,
    BURGEE_URL: service.url,
    BURGEE_TOKEN: token,
    ...more,
  });

async function findings(args: readonly string[] = [], token?: string): Promise<readonly Finding[]> {
  const { code, out, err } = await burgee([tree, '--json', ...args], token);
  expect({ code, err }).toEqual({ code: 0, err: '' });
  return out
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line));
}

const placesOf = (all: readonly Finding[], name: string) =>
  all.find((one) => one.name === name)?.places.map(({ path, line }) => `${path}:${line}`);

function write(path: string, text: string | Buffer): void {
  mkdirSync(dirname(join(tree, path)), { recursive: true });
  writeFileSync(join(tree, path), text);
}

const git = (...args: string[]) =>
  execFileSync('git', ['-C', tree, '-c', 'user.name=Test', '-c', 'user.email=test@example.com', ...args], {
    encoding: 'utf8',
    env: { PATH: process.env.PATH ?? '', HOME: tree },
  }).trim();

beforeAll(async () => {
  await prepare(service, (draft) => {
    for (const name of ['node.enabled', 'known.text', 'unused.flag', 'ruby_text']) draft.put('features', flag(name));
    draft.put('features', flag('stale.flag', { stale: true }));
    draft.put('features', flag('old.flag', { archived: true, archivedAt: '2026-01-02T00:00:00.000Z' }));
  });
});

beforeEach(() => {
  tree = mkdtempSync(join(tmpdir(), 'burgee-find-flags-'));
});

afterEach(() => rmSync(tree, { recursive: true, force: true }));

describe('burgee find-flags', () => {
  it('finds the calls of the SDKs of every language in a work tree of git, with path and line', async () => {
    for (const [path, { text }] of Object.entries(SAMPLE_FILES)) write(path, text);
    git('init', '--quiet');
    git('add', '.');
    git('commit', '--quiet', '--message', 'All languages');
    const found = (await findings(['--calls-only'])).filter(({ count }) => count > 0);
    const places = found.flatMap(({ name, places }) => places.map(({ path, line }) => `${path}:${line} ${name}`));
    const expected = Object.entries(SAMPLE_FILES).flatMap(([path, { calls }]) =>
      calls.map(([name, line]) => `${path}:${line} ${name}`),
    );
    expect(places.sort()).toEqual(expected.sort());
  });

  it('finds names of flags in quotes, and says that they are no calls', async () => {
    write('a.ts', "const NAME = 'known.text';\nconst OTHER = 'no.flag';\n");
    write('b.rb', 'FLAG = :ruby_text\nOTHER = :no_flag\n');
    write('readme.md', "`known.text` and isEnabled('no.flag')\n");
    const found = await findings();
    expect(found.filter(({ count }) => count > 0)).toEqual([
      ...[
        { name: 'known.text', path: 'a.ts' },
        { name: 'ruby_text', path: 'b.rb' },
      ].map(({ name, path }) => ({
        name,
        state: 'active',
        project: 'default',
        count: 1,
        places: [{ path, line: 1, isCall: false }],
      })),
    ]);
    expect(found.filter(({ state }) => state === 'unused').map(({ name }) => name)).toEqual([
      'node.enabled',
      'stale.flag',
      'unused.flag',
    ]);
  });

  it('reads what git would commit: no ignored, linked, binary and huge files', async () => {
    const use = "isEnabled('node.enabled');\n";
    write('.gitignore', 'dist/\n*.gen.ts\n');
    for (const path of ['src/a.ts', 'dist/b.ts', 'src/c.gen.ts', 'new.ts']) write(path, use);
    write('binary.js', Buffer.concat([Buffer.from([0]), Buffer.from(use)]));
    write('huge.js', use + ' '.repeat(1_000_001));
    symlinkSync('/etc', join(tree, 'etc'));
    symlinkSync(join(tree, 'src/a.ts'), join(tree, 'link.ts'));
    git('init', '--quiet');
    git('add', 'src/a.ts', 'link.ts');
    write('deleted.ts', use);
    git('add', 'deleted.ts');
    rmSync(join(tree, 'deleted.ts'));
    expect(placesOf(await findings(), 'node.enabled')).toEqual(['new.ts:1', 'src/a.ts:1']);
  });

  it('names paths from the root of the repository when a folder in it is scanned', async () => {
    write('services/pay/a.ts', "isEnabled('node.enabled');\n");
    write('services/other/a.ts', "isEnabled('node.enabled');\n");
    git('init', '--quiet');
    const { out } = await burgee([join(tree, 'services/pay'), '--json']);
    expect(out).toContain('"path":"services/pay/a.ts"');
    expect(out).not.toContain('services/other');
  });

  it('reads a folder without git, except node_modules', async () => {
    for (const path of ['a.ts', 'node_modules/x/a.ts', 'deep/node_modules/x.ts', 'deep/er/b.ts'])
      write(path, "isEnabled('node.enabled');\n");
    expect(placesOf(await findings(), 'node.enabled')).toEqual(['a.ts:1', 'deep/er/b.ts:1']);
    write('.gitignore', 'deep\n');
    const { code, err } = await burgee([tree, '--json'], ADMIN_TOKEN, { PATH: '/nowhere' });
    expect([code, err]).toEqual([0, expect.stringMatching(/^note: git is not installed/)]);
  });

  it('starts no program that the repository names', async () => {
    write('a.ts', "isEnabled('node.enabled');\n");
    git('init', '--quiet');
    git('config', 'core.fsmonitor', `touch ${join(tree, 'started')};`);
    expect(placesOf(await findings(), 'node.enabled')).toEqual(['a.ts:1']);
    expect(() => execFileSync('ls', [join(tree, 'started')], { stdio: 'pipe' })).toThrow();
  });

  it('prints places, unknown names and unused flags for people', async () => {
    write('a.ts', "isEnabled('node.enabled');\nisEnabled('missing.flag');\nisEnabled('old.flag'); f('stale.flag');\n");
    const { code, out, err } = await burgee([tree]);
    expect([code, err]).toEqual([0, '']);
    expect(out.split('\n')).toEqual([
      'missing.flag  no flag has this name',
      '  a.ts:2',
      'node.enabled  in the project default',
      '  a.ts:1',
      'old.flag  in the project default, archived',
      '  a.ts:3',
      'stale.flag  in the project default, stale',
      '  a.ts:3 (only the name)',
      'used nowhere in this code',
      '  known.text  in the project default',
      '  ruby_text  in the project default',
      '  unused.flag  in the project default',
      '3 flags used (1 stale, 1 archived), 1 unknown names, 3 flags used nowhere; 1 files of code read, 0 skipped',
      '',
    ]);
  });

  it('ends with 3 for the findings of --fail-on, and with 0 for others', async () => {
    write('a.ts', "isEnabled('missing.flag');\nisEnabled('old.flag');\n");
    const codeOf = async (...args: string[]) => (await burgee([tree, ...args])).code;
    expect(await codeOf('--fail-on', 'stale')).toBe(0);
    const { code, err } = await burgee([tree, '--fail-on', 'unknown,archived', '--fail-on', 'stale']);
    expect([code, err]).toEqual([3, expect.stringMatching(/: unknown, archived\n$/)]);
    expect(await codeOf('--fail-on', 'unused')).toBe(3);
    expect(await codeOf('--fail-on', 'unused', '--project', 'other')).toBe(0);
    expect(await codeOf('--fail-on', 'unknown', '--ignore', 'missing.flag')).toBe(0);
  });

  it('also finds calls of functions that the user names', async () => {
    write('a.ts', "flagIsOn('wrapped.flag');\n");
    write('b.py', 'flag_is_on("wrapped.python")\n');
    const found = await findings(['--call', 'flagIsOn', '--call', 'flag_is_on']);
    expect(found.filter(({ state }) => state === 'unknown').map(({ name }) => name)).toEqual([
      'wrapped.flag',
      'wrapped.python',
    ]);
  });
});

describe('burgee find-flags --send', () => {
  const read = async (operation: string, params: Record<string, string> = {}, token?: string) =>
    (await service.call(operation, { params, ...(token !== undefined && { token }) })).body;
  const placesIn = async (featureName: string) => {
    const { repositories } = await read('getCodeReferences', { projectId: 'default', featureName });
    return repositories.flatMap(({ name, places }: { name: string; places: { path: string; line: number }[] }) =>
      places.map(({ path, line }) => `${name} ${path}:${line}`),
    );
  };
  const link = 'https://git.example.com/acme/shop/blob/{commit}/{path}#L{line}';
  const TO_SHOP = ['--send', '--repository', 'acme/shop'];
  let pipeline: string;

  beforeAll(async () => {
    await putUser(service, 61, { rootRole: ROLE_ID.editor });
    await putUser(service, 62, { rootRole: ROLE_ID.viewer });
    pipeline = await personalTokenOf(service, 61);
  });

  it('stores the references of a repository with its commit and branch, and replaces them the next time', async () => {
    write('src/a.ts', "isEnabled('node.enabled');\nisEnabled('missing.flag');\n");
    write('src/b.ts', "isEnabled('old.flag');\nisEnabled('node.enabled');\n");
    git('init', '--quiet', '--initial-branch', 'trunk');
    git('add', '.');
    git('commit', '--quiet', '--message', 'First');
    const sent = await burgee([tree, ...TO_SHOP, '--link', link], pipeline);
    expect([sent.code, sent.err]).toEqual([0, 'sent 4 places of 3 names for acme/shop\n']);
    expect(await placesIn('node.enabled')).toEqual(['acme/shop src/a.ts:1', 'acme/shop src/b.ts:2']);
    expect(await placesIn('old.flag')).toEqual(['acme/shop src/b.ts:1']);
    expect((await read('getCodeRepositories')).repositories).toEqual([
      {
        name: 'acme/shop',
        commit: git('rev-parse', 'HEAD'),
        branch: 'trunk',
        link,
        reportedAt: expect.any(String),
        reportedBy: expect.any(String),
        flags: 2,
        references: 3,
        unknownFlags: 1,
      },
    ]);
    rmSync(join(tree, 'src/b.ts'));
    const other = ['--commit', 'abc', '--branch', 'main'];
    expect((await burgee([tree, '--send', '--repository', 'acme/other', ...other], pipeline)).code).toBe(0);
    expect((await burgee([tree, ...TO_SHOP, '--fail-on', 'unknown'], pipeline)).code).toBe(3);
    expect(await placesIn('node.enabled')).toEqual(['acme/other src/a.ts:1', 'acme/shop src/a.ts:1']);
    expect(await placesIn('old.flag')).toEqual([]);
    const { repositories } = await read('getCodeRepositories');
    expect(repositories[0]).toMatchObject({ name: 'acme/other', commit: 'abc', branch: 'main', link: null });
  });

  it('sends as many places as a service stores, and says how many are missing', async () => {
    write('src/a.ts', "isEnabled('node.enabled');\n".repeat(1_200));
    const { code, err } = await burgee([tree, ...TO_SHOP], pipeline);
    expect([code, err]).toEqual([
      0,
      'sent 1000 places of 1 names for acme/shop; 200 more places were not sent, because a service stores a limited number\n',
    ]);
    expect(await placesIn('node.enabled')).toContain('acme/shop src/a.ts:1000');
  });

  it('sends nothing and keeps what is stored without code, without the permission, or after wrong usage', async () => {
    const before = await placesIn('node.enabled');
    const empty = await burgee([tree, ...TO_SHOP], pipeline);
    expect([empty.code, empty.err]).toEqual([1, 'burgee find-flags: no file of code was found: nothing was sent\n']);
    write('a.ts', "isEnabled('old.flag');\n");
    const refused = await burgee([tree, ...TO_SHOP], await personalTokenOf(service, 62));
    expect([refused.code, refused.err]).toEqual([1, expect.stringContaining('UPDATE_APPLICATION')]);
    for (const [args, message] of [
      [[tree, '--send'], '--repository NAME'],
      [[tree, '--repository', 'acme/shop'], 'need --send'],
      [[tree, '--fail-on', 'everything'], 'unknown, archived, stale, unused'],
      [[], 'specify the folder'],
    ] as const) {
      const { code, err } = await burgee(args, pipeline);
      expect([code, err]).toEqual([2, expect.stringContaining(message)]);
    }
    expect(await burgee([join(tree, 'nowhere')])).toMatchObject({
      code: 1,
      err: expect.stringContaining('is no folder'),
    });
    expect(await placesIn('node.enabled')).toEqual(before);
  });
});
