import { spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import module from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, expect, it } from 'vitest';

const PROGRAM = fileURLToPath(new URL('../../dist/packed/program/main.js', import.meta.url));
const IS_KEPT = 'enableCompileCache' in module;

let folder: string;
let directory: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'burgee-compiled-test-'));
  directory = join(folder, `burgee-compiled-${process.getuid?.()}`);
});

afterEach(() => rmSync(folder, { recursive: true, force: true }));

function run(): void {
  const env = { PATH: process.env.PATH, TMPDIR: folder };
  const { status, stderr } = spawnSync(process.execPath, [PROGRAM, '--help'], { env, encoding: 'utf8' });
  expect([status, stderr]).toEqual([0, '']);
}

it('compiled code is kept in a directory that only the user can read, when Node supports it', () => {
  run();
  expect(statSync(directory).mode & 0o777).toBe(0o700);
  expect(readdirSync(directory).length > 0).toBe(IS_KEPT);
  run();
});

it('compiled code is neither kept nor read in a directory that others can write to', () => {
  mkdirSync(directory);
  chmodSync(directory, 0o777);
  run();
  expect(readdirSync(directory)).toEqual([]);
});

it('the program runs without compiled code when a file has the name of the directory', () => {
  writeFileSync(directory, 'of somebody');
  run();
  expect(readFileSync(directory, 'utf8')).toBe('of somebody');
});
