import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const TEST = fileURLToPath(new URL('..', import.meta.url));
const REDIS = join(TEST, 'support', 'redis.ts');
const IMPORTED = /from '(\.[^']+)'/g;

export function hasRedis(): boolean {
  return spawnSync('redis-server', ['--version'], { stdio: 'ignore' }).status === 0;
}

/** Test files that start a redis-server, themselves or by what they import; paths from the repository's root. */
export function testsThatNeedRedis(): string[] {
  const files = readdirSync(TEST, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.test.ts'));
  return files
    .map((file) => join(TEST, file))
    .filter((file) => reaches(file, new Set()))
    .map((file) => relative(dirname(TEST.replace(/\/$/, '')), file))
    .sort();
}

function reaches(file: string, seen: Set<string>): boolean {
  if (file === REDIS) return true;
  if (seen.has(file) || !file.startsWith(TEST) || !file.endsWith('.ts') || !existsSync(file)) return false;
  seen.add(file);
  const targets = readFileSync(file, 'utf8').matchAll(IMPORTED);
  return [...targets].some(([, target = '']) => reaches(resolve(dirname(file), target), seen));
}
