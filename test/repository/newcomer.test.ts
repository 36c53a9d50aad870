import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, it } from 'vitest';

const root = fileURLToPath(new URL('../..', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'burgee-newcomer-test-'));
afterAll(() => rmSync(folder, { recursive: true }));

/** A repository with these files. */
function repository(name: string, files: Readonly<Record<string, string>>): string {
  const path = join(folder, name);
  mkdirSync(path);
  for (const [file, text] of Object.entries(files)) writeFileSync(join(path, file), text);
  const git = (...words: string[]) => spawnSync('git', ['-C', path, ...words], { encoding: 'utf8' });
  git('init', '--quiet');
  git('add', '--all');
  git('-c', 'user.name=t', '-c', 'user.email=t@example.com', 'commit', '--quiet', '--message', 'all');
  return path;
}

/** Runs the script on a repository. Its temporary files are in a folder that nothing else uses. */
function newcomer(source: string) {
  const temporary = join(folder, 'temporary');
  mkdirSync(temporary, { recursive: true });
  const env = { ...process.env, TMPDIR: temporary };
  const { status, stdout } = spawnSync(process.execPath, ['tools/newcomer.mjs', '--here', source], {
    cwd: root,
    encoding: 'utf8',
    env,
  });
  return { status, stdout, left: readdirSync(temporary).filter((name) => name.startsWith('burgee-newcomer-')) };
}

const readme = readFileSync(join(root, 'README.md'), 'utf8');

describe('the script that tries README as a new user (its whole way is tried in trees: node tools/newcomer.mjs)', () => {
  it('says at which step README’s first command failed, with its output, and leaves nothing behind', () => {
    const start = 'node -e "console.error(40+2);process.exit(3)"';
    const source = repository('ends', { 'README.md': readme, 'package.json': JSON.stringify({ scripts: { start } }) });
    const { status, stdout, left } = newcomer(source);
    expect(status).toBe(1);
    expect(stdout).toMatch(/^FAIL .*Node v\d+/);
    expect(stdout).toContain(
      'npm install && npm start, until /health is good: "npm install && npm start" ended with 3:',
    );
    expect(stdout).toContain('\n42\n');
    expect(left).toEqual([]);
  });

  it('fails if README no longer has a command that it tries, or if there is nothing to clone', () => {
    const text = readme.replace('npm install && npm test', 'make test');
    const source = repository('other', { 'README.md': text });
    expect(newcomer(source)).toMatchObject({
      status: 1,
      stdout: expect.stringContaining('README.md has no line "npm install && npm test"'),
    });
    expect(newcomer(join(folder, 'nowhere'))).toMatchObject({
      status: 1,
      stdout: expect.stringContaining('git clone'),
      left: [],
    });
  });

  it('finds the SDK’s program in README, with the address and the token that it replaces', () => {
    const script = readFileSync(join(root, 'tools/newcomer.mjs'), 'utf8');
    const [, snippet = ''] = /```js\n([\s\S]*?)```/.exec(readme) ?? [];
    for (const text of ['http://localhost:4242', '*:development.my-client-secret']) {
      expect(script).toContain(`replace('${text}'`);
      expect(snippet.split(text).length).toBe(2);
    }
    expect(snippet).toContain("from 'unleash-client'");
  });
});
