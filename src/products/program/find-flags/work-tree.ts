import { spawn } from 'node:child_process';
import { constants } from 'node:fs';
import { open, opendir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { ProgramError, type ProgramIo } from '../subcommand.ts';

/** Larger files are not read: they are generated. */
export const FILE_BYTES_MAX = 1_000_000;
/** A file with a zero byte at its beginning is binary. */
const HEAD_BYTES = 8_000;
/** Folders that are never code of the repository, where git does not say what to ignore. */
const SKIPPED_FOLDERS: ReadonlySet<string> = new Set(['.git', '.hg', '.svn', 'node_modules']);
/** No path is longer; a longer one would mean that the output is no list of paths. */
const PATH_BYTES_MAX = 65_536;
const MESSAGE_CHARS_MAX = 1_000;

type Environment = ProgramIo['environment'];

/** The files of a folder that git would commit, or all files if it is no work tree of git. */
export interface WorkTree {
  /** Paths of files, relative to the folder. */
  readonly files: () => AsyncIterable<string>;
  /** The path of the folder in its repository, with a slash at its end; empty if the folder is the root. */
  readonly prefix: string;
  readonly commit: string | null;
  readonly branch: string | null;
  /** A remark about the files; undefined if there is none. */
  readonly note?: string;
}

/** Opens a folder. @throws ProgramError */
export async function openWorkTree(folder: string, environment: Environment): Promise<WorkTree> {
  const found = await stat(folder).catch(() => undefined);
  if (!found?.isDirectory()) throw new ProgramError(`${folder} is no folder`);
  const files = () => walk(folder, '');
  const plain = { files, prefix: '', commit: null, branch: null };
  const prefix = await git(environment, folder, 'rev-parse', '--show-prefix');
  if (prefix === undefined)
    return { ...plain, note: 'git is not installed: files in .gitignore are read too, except node_modules' };
  if (prefix.code !== 0) {
    if (/not a git repository|must be run in a work tree/i.test(prefix.error)) return plain;
    throw new ProgramError(`git cannot read ${folder}: ${prefix.error.trim().split('\n')[0]}`);
  }
  const head = await git(environment, folder, 'rev-parse', '--verify', '--quiet', 'HEAD');
  const branch = await git(environment, folder, 'symbolic-ref', '--short', '--quiet', 'HEAD');
  const line = (output: Output | undefined) => (output?.code === 0 ? output.text.trim() : '') || null;
  return {
    files: () => committable(environment, folder),
    prefix: prefix.text.replace(/\n$/, ''),
    commit: line(head),
    branch: line(branch),
  };
}

/** The text of a file. Null if the file is binary, too large, no regular file, or cannot be read. */
export async function readText(folder: string, path: string): Promise<string | null> {
  try {
    // A link may lead out of the folder.
    const file = await open(join(folder, path), constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    try {
      const { size, mode } = await file.stat();
      if ((mode & constants.S_IFMT) !== constants.S_IFREG || size > FILE_BYTES_MAX) return null;
      const bytes = await file.readFile();
      const isBinary = bytes.length > FILE_BYTES_MAX || bytes.subarray(0, HEAD_BYTES).includes(0);
      return isBinary ? null : bytes.toString('utf8');
    } finally {
      await file.close();
    }
  } catch {
    return null;
  }
}

async function* walk(folder: string, path: string): AsyncGenerator<string> {
  const folders: string[] = [];
  for await (const entry of await opendir(join(folder, path))) {
    const inner = path === '' ? entry.name : `${path}/${entry.name}`;
    if (entry.isFile()) yield inner;
    else if (entry.isDirectory() && !SKIPPED_FOLDERS.has(entry.name)) folders.push(inner);
  }
  for (const inner of folders.sort()) yield* walk(folder, inner);
}

/** Tracked files, and new ones that are not ignored. */
async function* committable(environment: Environment, folder: string): AsyncGenerator<string> {
  const child = startGit(environment, folder, ['ls-files', '-z', '--cached', '--others', '--exclude-standard']);
  const ended = endOf(child);
  let rest: Buffer = Buffer.alloc(0);
  let last: string | undefined;
  let isRead = false;
  try {
    for await (const chunk of child.stdout as AsyncIterable<Buffer>) {
      let bytes = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
      for (let end = bytes.indexOf(0); end >= 0; end = bytes.indexOf(0)) {
        const path = bytes.toString('utf8', 0, end);
        bytes = bytes.subarray(end + 1);
        // A file with a conflict is listed several times in a row.
        if (path !== last) yield path;
        last = path;
      }
      if (bytes.length > PATH_BYTES_MAX) throw new ProgramError('git lists a path that is too long');
      rest = bytes;
    }
    isRead = true;
  } finally {
    // git ends by itself after its last path.
    if (!isRead) child.kill();
  }
  const { code, error } = await ended;
  if (code !== 0) throw new ProgramError(`git cannot list the files: ${error.trim().split('\n')[0]}`);
}

interface Output {
  readonly code: number | null;
  readonly text: string;
  readonly error: string;
}

function startGit(environment: Environment, folder: string, args: readonly string[]) {
  // A repository must not start programs: `core.fsmonitor` names one.
  const fixed = ['-C', folder, '-c', 'core.fsmonitor=false'];
  return spawn('git', [...fixed, ...args], { stdio: ['ignore', 'pipe', 'pipe'], env: { ...environment, LC_ALL: 'C' } });
}

function endOf(child: ReturnType<typeof startGit>): Promise<{ readonly code: number | null; readonly error: string }> {
  let error = '';
  child.stderr.on('data', (chunk: Buffer) => {
    if (error.length < MESSAGE_CHARS_MAX) error += chunk.toString('utf8');
  });
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) => resolve({ code, error }));
  });
}

/** The output of git; undefined if git is not installed. */
async function git(environment: Environment, folder: string, ...args: readonly string[]): Promise<Output | undefined> {
  const child = startGit(environment, folder, args);
  let text = '';
  child.stdout.on('data', (chunk: Buffer) => (text += chunk.toString('utf8')));
  try {
    return { ...(await endOf(child)), text };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}
