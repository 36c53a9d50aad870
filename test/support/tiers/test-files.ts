import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const TEST = fileURLToPath(new URL('../..', import.meta.url));
const ROOT = dirname(TEST.replace(/\/$/, ''));
const REDIS = join(TEST, 'support', 'programs', 'redis.ts');
const DEPTH = join(TEST, 'support', 'tiers', 'depth.ts');
const IMPORTED = /from '(\.[^']+)'/g;

export function hasRedis(): boolean {
  return spawnSync('redis-server', ['--version'], { stdio: 'ignore' }).status === 0;
}

/** The files of all tiers; paths from the repository's root. */
export function testFiles(): string[] {
  const files = readdirSync(TEST, { recursive: true, encoding: 'utf8' });
  return files.filter((file) => /\.(test|torture)\.ts$/.test(file)).map((file) => join('test', file));
}

/** Test files that start a redis-server, themselves or by what they import; paths from the repository's root. */
export function testsThatNeedRedis(): string[] {
  return testsThatImport(REDIS);
}

/** Test files that are run again at full depth; paths from the repository's root. */
export function testsWithDepth(): string[] {
  return testsThatImport(DEPTH).filter((file) => file.endsWith('.test.ts'));
}

function testsThatImport(target: string): string[] {
  return testFiles()
    .filter((file) => reaches(join(ROOT, file), target, new Set()))
    .sort();
}

function reaches(file: string, target: string, seen: Set<string>): boolean {
  if (file === target) return true;
  if (seen.has(file) || !file.startsWith(TEST) || !file.endsWith('.ts') || !existsSync(file)) return false;
  seen.add(file);
  const imported = readFileSync(file, 'utf8').matchAll(IMPORTED);
  return [...imported].some(([, path = '']) => reaches(resolve(dirname(file), path), target, seen));
}
