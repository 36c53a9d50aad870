import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { SUBCOMMANDS } from '../../../src/products/program/program.ts';
import { BUILT_PROGRAM } from '../../support/programs/built-program.ts';
import { burgee as runBurgee } from '../../support/programs/run-burgee.ts';

/** Runs a command line: in this process, or as a process if the command is a script of its own. */
async function burgee(...args: string[]) {
  if (args[0] === 'bench') {
    const { status, stdout, stderr } = spawnSync(process.execPath, [BUILT_PROGRAM, ...args], {
      encoding: 'utf8',
      env: {},
    });
    return { code: status, out: stdout, err: stderr };
  }
  // With a token and an address, commands that use a service get as far as reading their arguments.
  return runBurgee(args, { BURGEE_TOKEN: 'x', BURGEE_URL: 'http://127.0.0.1:9', FROM_TOKEN: 'x' });
}

/** Command lines that the commands do not understand, other than an unknown flag. */
const WRONG: Readonly<Record<string, readonly string[][]>> = {
  serve: [['now']],
  demo: [['--port', 'many'], ['now']],
  offline: [['now']],
  relay: [['now'], ['--tokens']],
  store: [
    [],
    ['move'],
    ['copy'],
    ['copy', '--from', 'here', '--to', 'lmdb:x'],
    ['digest', '--apply', '--from', 'lmdb:x'],
  ],
  backup: [[], ['here'], ['--to', ''], ['--to', 'x', '--keep', '0']],
  restore: [[], ['now'], ['--rehearse', '--to', 'lmdb:x'], ['--to', 'lmdb:x', '--json'], ['--rehearse']],
  config: [['--for', 'nobody'], ['all']],
  migrate: [[], ['--from', 'here'], ['--dry-run', '--verify'], ['--file', 'x', '--follow']],
  login: [[], ['here'], ['http://a', 'b'], ['http://a', '--profile', 'a/b']],
  profiles: [['all']],
  flags: [['all'], ['-n', '0']],
  flag: [[], ['a', 'b']],
  on: [[], ['a'], ['a', '-e', 'b', '--change-request', '']],
  off: [[], ['a'], ['a', 'b', '-e', 'c']],
  preview: [[], ['a', '-e', 'b'], ['a', 'up', '-e', 'b'], ['a', 'on', '-e', 'b', '--set', 'c']],
  history: [
    ['a', '--segment', '1'],
    ['--before', 'now'],
  ],
  undo: [[], ['soon'], ['1', '--dry-run'], ['1', '--object', 'x']],
  watch: [['all']],
  events: [
    ['-n', 'many'],
    ['a', 'b'],
  ],
  'find-flags': [[], ['.', '--fail-on', 'all'], ['.', '--send'], ['.', '--commit', 'a']],
  mcp: [['now']],
  token: [
    [],
    ['make'],
    ['list', 'x'],
    ['create'],
    ['create', '--name', 'a', '--type', 'b'],
    ['delete'],
    ['delete', 'x', '--json'],
  ],
  export: [
    [],
    ['--all'],
    ['--all', '--to', 'x', '--from', 'lmdb:y', '--url', 'http://a'],
    ['--all', '--to', 'x', '--from', 'y'],
  ],
  import: [[], ['a', 'b']],
  health: [['now'], ['--url', 'here']],
  ready: [['now'], ['--url', 'here']],
  bench: [['--clients', 'many']],
  completion: [[], ['tcsh']],
};

describe('wrong usage', () => {
  it('is tried for every command', () => {
    expect(Object.keys(WRONG).sort()).toEqual(SUBCOMMANDS.map(({ name }) => name).sort());
  });

  it.each(SUBCOMMANDS.map(({ name }) => name))('of burgee %s ends with 2 and one line', async (name) => {
    for (const args of [['--no-such-flag'], ...(WRONG[name] ?? [])]) {
      const { code, out, err } = await burgee(name, ...args);
      expect([name, args, code, out]).toEqual([name, args, 2, '']);
      expect(err).toMatch(
        name === 'bench' ? /^burgee bench: .*\nSee --help\.\n$/ : new RegExp(`^burgee ${name}: .*\\n$`),
      );
    }
  });

  it('of the program ends with 2', async () => {
    expect(await burgee('serv')).toMatchObject({ code: 2, out: '' });
    expect(await burgee('--no-such-flag')).toMatchObject({ code: 2, out: '' });
  });
});

describe('the help of each command', () => {
  const flagsIn = (text: string) => new Set(text.match(/--[a-z][a-z0-9-]*/g) ?? []);

  it.each(SUBCOMMANDS)('$name names the flags that a shell completes', async ({ name, words }) => {
    const { code, out } = await burgee(name, '--help');
    expect(code).toBe(0);
    const shown = flagsIn(out);
    expect(words.filter((word) => word.startsWith('--') && !shown.has(word))).toEqual([]);
  });

  it.each(SUBCOMMANDS.filter(({ name }) => name !== 'bench'))(
    '$name describes only flags that it has',
    async ({ name, words }) => {
      const { out } = await burgee(name, '--help');
      const described = out.split('\n').flatMap((line) => /^ {2}(?:-\w, )?(--[a-z0-9-]+)/.exec(line)?.[1] ?? []);
      expect(described.filter((flag) => flag !== '--help' && !words.includes(flag))).toEqual([]);
    },
  );

  it('off says nothing about what happens when a flag is switched on', async () => {
    expect((await burgee('on', '--help')).out).toContain("the project's default strategy");
    expect((await burgee('off', '--help')).out).not.toContain('default strategy');
  });

  it('is for a command that docs/start/program.md lists', () => {
    const rows = readFileSync('docs/start/program.md', 'utf8').match(/^\| `burgee .*$/gm) ?? [];
    const cells = rows.map((row) => row.split('|')[1] ?? '').join(' ');
    const missing = SUBCOMMANDS.map(({ name }) => name).filter((name) => !new RegExp(`burgee ${name}\\b`).test(cells));
    expect(missing).toEqual([]);
  });
});
