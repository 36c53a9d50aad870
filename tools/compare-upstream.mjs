// compare-upstream [--refs v20.60.0,v20.52.0] [--from URL] [--most N] [--list FILE]: looks for each binary that tools/uwebsockets.sha256 (or FILE) lists
// in the releases of upstream, the project uWebSockets.js, by SHA-256. The package that Burgee installs is a copy by a third party
// (docs/reference/dependencies.md). Without --refs it asks upstream which releases there are, and reads the newest N (60) until every binary was found; an archive
// has more than 100 MB. A ref may be a tag, a branch or a commit.
//
// Prints a line for each binary, then "N passed, N failed". Exit code 1: binaries are in none of these releases, 2: wrong usage, 3: nothing could be
// compared, because upstream cannot be reached.
import { spawnSync } from 'node:child_process';
import { createWriteStream, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { parseArgs } from 'node:util';
import { LIST, recordedHashes, sha256Of } from './pinned-binaries.mjs';

const UPSTREAM = 'https://github.com/uNetworking/uWebSockets.js';
/** The archive of a release is sent in a minute or two. */
const ARCHIVE_TIMEOUT_MS = 10 * 60_000;
/** After so many archives that cannot be had, upstream counts as unreachable. */
const PROBLEMS_MAX = 3;

/** Upstream could not be asked. The message says why. */
class Unreachable extends Error {}

function options() {
  try {
    const withDefault = (value) => ({ type: 'string', default: value });
    const { values } = parseArgs({ options: { refs: { type: 'string' }, from: withDefault(UPSTREAM), most: withDefault('60'), list: withDefault(LIST) } });
    if (!/^[1-9]\d*$/.test(values.most)) throw new Error('--most is a number above 0');
    return { ...values, most: Number(values.most), refs: values.refs?.split(',') };
  } catch (error) {
    process.stderr.write(`compare-upstream: ${error.message}\n`);
    process.exit(2);
  }
}

/** The tags of releases, newest first. */
function releases(from) {
  const { status, stdout, stderr, error } = spawnSync('git', ['ls-remote', '--tags', '--refs', from], { encoding: 'utf8', timeout: 60_000, env: { ...process.env, GIT_TERMINAL_PROMPT: '0' } });
  if (status !== 0) throw new Unreachable(`git cannot list the releases of ${from}: ${(error?.message ?? stderr).trim()}`);
  const tags = [...stdout.matchAll(/refs\/tags\/(v\d+\.\d+\.\d+)$/gm)].map(([, tag]) => tag);
  const numbers = (tag) => tag.slice(1).split('.').map(Number);
  return tags.sort((left, right) => numbers(right).map((number, at) => number - numbers(left)[at]).find((difference) => difference !== 0) ?? 0);
}

/** The files in the archive of a release: SHA-256 → names. */
async function hashesOf(from, ref) {
  const folder = mkdtempSync(join(tmpdir(), 'burgee-upstream-'));
  try {
    const archive = join(folder, 'archive.tar.gz');
    const url = `${from}/archive/${ref}.tar.gz`;
    try {
      const answer = await fetch(url, { signal: AbortSignal.timeout(ARCHIVE_TIMEOUT_MS) });
      if (!answer.ok) throw new Error(`answered ${answer.status}`);
      await pipeline(Readable.fromWeb(answer.body), createWriteStream(archive));
    } catch (error) {
      throw new Unreachable(`${url}: ${error.cause?.message ?? error.message}`);
    }
    const { status, stderr } = spawnSync('tar', ['-xzf', archive, '-C', folder], { encoding: 'utf8' });
    if (status !== 0) throw new Unreachable(`${url} is no archive: ${stderr.trim()}`);
    const paths = readdirSync(folder, { recursive: true }).filter((path) => path.endsWith('.node'));
    return new Map(paths.map((path) => [sha256Of(join(folder, path)), basename(path)]));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function compare({ refs, from, most, list }) {
  const binaries = [...recordedHashes(list)].filter(([name]) => name.endsWith('.node'));
  const missing = new Map(binaries);
  const problems = [];
  let compared = 0;
  for (const ref of refs ?? releases(from).slice(0, most)) {
    if (missing.size === 0 || problems.length === PROBLEMS_MAX) break;
    try {
      const upstream = await hashesOf(from, ref);
      compared++;
      for (const [name, hash] of missing) {
        if (!upstream.has(hash)) continue;
        missing.delete(name);
        console.log(`ok    ${name} is ${upstream.get(hash)} of ${ref}`);
      }
    } catch (error) {
      if (!(error instanceof Unreachable)) throw error;
      problems.push(error.message);
    }
  }
  if (compared === 0) throw new Unreachable(problems.join('; ') || `${from} has no releases`);
  for (const problem of problems) console.log(`--    not compared: ${problem}`);
  for (const [name] of missing) console.log(`FAIL  ${name} is in none of the ${compared} releases that were compared`);
  console.log(`${binaries.length - missing.size} passed, ${missing.size} failed`);
  return missing.size > 0 ? 1 : 0;
}

try {
  process.exitCode = await compare(options());
} catch (error) {
  if (!(error instanceof Unreachable)) throw error;
  console.log(`NOT COMPARED with upstream, so nobody knows from here whether the binaries are upstream's: ${error.message}`);
  process.exitCode = 3;
}
