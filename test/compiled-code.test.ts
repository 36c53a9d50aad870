import { spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import module from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, expect, it } from 'vitest';

const PROGRAM = fileURLToPath(new URL('../dist/packed/program/main.js', import.meta.url));
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

it('is kept in a directory of one user alone, where Node can keep it', () => {
  run();
  expect(statSync(directory).mode & 0o777).toBe(0o700);
  expect(readdirSync(directory).length > 0).toBe(IS_KEPT);
  run();
});

it('is neither kept nor read where others may write', () => {
  mkdirSync(directory);
  chmodSync(directory, 0o777);
  run();
  expect(readdirSync(directory)).toEqual([]);
});

it('is not missed where something else has its name', () => {
  writeFileSync(directory, 'of somebody');
  run();
  expect(readFileSync(directory, 'utf8')).toBe('of somebody');
});
