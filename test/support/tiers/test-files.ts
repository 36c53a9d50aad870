import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const TEST = fileURLToPath(new URL('../..', import.meta.url));
const ROOT = dirname(TEST.replace(/\/$/, ''));
const REDIS = join(TEST, 'support', 'programs', 'redis.ts');
const SEED = join(TEST, 'support', 'tiers', 'seed.ts');
const DEPTH = join(TEST, 'support', 'tiers', 'depth.ts');
const IMPORTED = /from '([^']+)'/g;

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

/** Test files of `npm test` with random cases, whose seed is `SEED` of seed.ts; paths from the repository's root. */
export function testsWithSeeds(): string[] {
  return testsThatImport(SEED, 'fast-check').filter((file) => file.endsWith('.test.ts'));
}

/** Test files that are run again at full depth; paths from the repository's root. */
export function testsWithDepth(): string[] {
  return testsThatImport(DEPTH).filter((file) => file.endsWith('.test.ts'));
}

function testsThatImport(...targets: readonly string[]): string[] {
  return testFiles()
    .filter((file) => reaches(join(ROOT, file), targets, new Set()))
    .sort();
}

/** Whether a file is one of these, or imports one of them, itself or by what it imports. A target is a file or a package. */
function reaches(file: string, targets: readonly string[], seen: Set<string>): boolean {
  if (targets.includes(file)) return true;
  if (seen.has(file) || !file.startsWith(TEST) || !file.endsWith('.ts') || !existsSync(file)) return false;
  seen.add(file);
  const imported = [...readFileSync(file, 'utf8').matchAll(IMPORTED)].map(([, from = '']) => from);
  return imported.some((from) => reaches(from.startsWith('.') ? resolve(dirname(file), from) : from, targets, seen));
}
