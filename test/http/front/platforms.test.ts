import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { elfNeeds, isOlder } from '../../../tools/elf-needs.mjs';
import { ABI_OF_NODE, muslOfTools, needsTable, systemsTable, withPlatformTables } from '../../../tools/platforms.mjs';

const pathOf = (path: string) => fileURLToPath(new URL(`../../../${path}`, import.meta.url));
const read = (path: string) => readFileSync(pathOf(path), 'utf8');

const UWS = 'node_modules/uWebSockets.js';
const needs = (path: string) => elfNeeds(readFileSync(pathOf(path)));

describe('what binaries need from a system', () => {
  it('is read from ELF files of 64 and of 32 bits', () => {
    expect(needs(`${UWS}/uws_linux_x64_137.node`)).toEqual({
      libraries: ['libm.so.6', 'libc.so.6', 'ld-linux-x86-64.so.2'],
      versions: { GLIBC: '2.38' },
    });
    expect(needs(`${UWS}/uws_linux_arm64_115.node`).versions).toEqual({ GLIBC: '2.27' });
    expect(needs(`${UWS}/uws_linux_arm_115.node`)).toMatchObject({ versions: { GLIBC: '2.28' } });
  });

  it('is refused for other files, with a reason', () => {
    for (const path of [`${UWS}/uws_darwin_arm64_137.node`, `${UWS}/uws_win32_x64_137.node`, `${UWS}/uws.js`])
      expect(() => needs(path)).toThrow('not a little-endian ELF file');
    expect(() => elfNeeds(Buffer.alloc(3))).toThrow('not a little-endian ELF file');
  });

  it('compares versions by their numbers', () => {
    const pairs = [
      ['2.9', '2.38'],
      ['2.38', '2.38.1'],
      ['3.4.9', '3.4.29'],
    ] as const;
    for (const [older, newer] of pairs) expect([isOlder(older, newer), isOlder(newer, older)]).toEqual([true, false]);
    expect(isOlder('2.38', '2.38')).toBe(false);
  });
});

describe('the tables of platforms', () => {
  const page = read('docs/reference/dependencies.md');

  it('are what the installed binaries say; update them with: node tools/platforms.mjs --write', () => {
    if (existsSync(pathOf('node_modules/@lmdb/lmdb-linux-x64'))) {
      expect(withPlatformTables(page)).toBe(page);
      expect(page).toContain(needsTable());
      expect(page).toContain(systemsTable());
    } else expect(() => withPlatformTables(page)).toThrow('only an installation on Linux for x64');
  });

  it('count with the binary interface of this Node', () => {
    const [major] = process.versions.node.split('.').map(Number);
    expect(ABI_OF_NODE[major ?? 0]).toBe(Number(process.versions.modules));
  });

  it('agree with this system about the front of this Node', () => {
    const { status } = spawnSync(process.execPath, ['-e', 'require("uWebSockets.js")'], { cwd: pathOf('.') });
    const { glibcVersionRuntime: glibc } = (process.report.getReport() as { header: { glibcVersionRuntime?: string } })
      .header;
    const needed = `${UWS}/uws_${process.platform}_${process.arch}_${process.versions.modules}.node`;
    const isLinux = process.platform === 'linux';
    const loads =
      existsSync(pathOf(needed)) && !(isLinux && isOlder(glibc ?? '0', needs(needed).versions.GLIBC ?? '0'));
    expect(status === 0).toBe(loads);
  });
});

describe('the packages that install, build and test Burgee', () => {
  it('have a binary for musl beside each binary for glibc', () => {
    const packages = muslOfTools();
    expect(packages.map((each) => each.package).join()).toMatch(/rolldown.*console.*rolldown/);
    expect(packages.filter(({ hasMusl }) => !hasMusl)).toEqual([]);
  });
});

interface Workflow {
  readonly jobs: Readonly<Record<string, Job>>;
}
interface Job {
  readonly strategy?: {
    readonly matrix: {
      readonly system: readonly string[];
      readonly node: readonly number[];
      readonly include: readonly Readonly<Record<'system' | 'image' | 'prepare' | 'libc', string>>[];
    };
  };
  readonly steps: readonly { readonly run?: string; readonly env?: Readonly<Record<string, string>> }[];
}

describe('the workflow for systems that cannot be had on one machine', () => {
  const { jobs } = parse(read('.github/workflows/systems.yml')) as Workflow;

  it('runs README’s two commands on Alpine, Ubuntu 22.04 and RHEL 9 with each Node that the tables have for them', () => {
    const { matrix } = jobs.newcomer?.strategy ?? {};
    expect(matrix?.include.map(({ system }) => system)).toEqual(matrix?.system);
    expect(matrix?.system).toEqual(['Alpine', 'Ubuntu 22.04', 'UBI 9']);
    // Node 20 has no support any more.
    expect(matrix?.node).toEqual(Object.keys(ABI_OF_NODE).map(Number).slice(1));
  });

  it('starts only files of this checkout, and hands them the variables that they read', () => {
    const runs = Object.values(jobs).flatMap(({ steps }) => steps.flatMap(({ run }) => run ?? []));
    const files = runs.flatMap((run) => run.match(/(\.ci|tools)\/[\w.-]+/g) ?? []);
    expect(files).toEqual(['.ci/in-container', 'tools/pinned-binaries.mjs', 'tools/compare-upstream.mjs']);
    for (const file of files) expect([file, existsSync(pathOf(file))]).toEqual([file, true]);
    const script = read('.ci/in-container');
    const step = jobs.newcomer?.steps.find(({ run }) => run?.includes('docker run'));
    for (const name of ['PREPARE', 'NODE', 'LIBC']) {
      expect([name, step?.run?.includes(`--env ${name}`), step?.env?.[name] !== undefined]).toEqual([name, true, true]);
      expect(script).toContain(`$${name}`);
    }
    const shells = [
      ['sh', '-n', '.ci/in-container'],
      ...['on-debian', 'run', 'image', 'node-in-tree'].map((name) => ['bash', '-n', `.ci/${name}`]),
    ];
    for (const [shell = '', ...words] of shells)
      expect([words, spawnSync(shell, words, { cwd: pathOf('.'), encoding: 'utf8' }).stderr]).toEqual([words, '']);
  });
});
