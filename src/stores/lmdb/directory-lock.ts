import { createHash, randomBytes } from 'node:crypto';
import { accessSync, chmodSync, constants, linkSync, mkdirSync, readdirSync, realpathSync, unlinkSync } from 'node:fs';
import { connect, createServer, type Server } from 'node:net';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { isoTime, systemClock } from '../../base/clock.ts';
import { PRIVATE_DIRECTORY_MODE, PRIVATE_FILE_MODE } from '../local/private-files.ts';
import { StoreError } from '../store.ts';

/** The codes of errors whose message says why nothing can be created in the directory. The store adds advice to such an error. */
const REFUSED_WRITE_CODES: ReadonlySet<unknown> = new Set(['EACCES', 'EPERM', 'EROFS', 'ENOSPC', 'EDQUOT']);
/** How long a holder may take to report who it is. A suspended process never answers, but still has the lock. */
const ANSWER_TIMEOUT_MS = 1_000;
/** The most attempts to get the lock while other processes start as well. Each failed attempt means that another process made progress. */
const MAX_ROUNDS = 20;
/**
 * The number of dead generations that are kept. A directory listing during a change may miss the newest generation, but it will not miss this many.
 */
const KEPT_GENERATIONS = 4;
/** The longest socket address that every platform accepts: macOS allows 104 bytes with the final zero, Linux 108. */
const MAX_SOCKET_PATH_BYTES = 103;
/** The longest name in the socket directory, `starting-…`, with its slash. */
const MAX_NAME_BYTES = 18;

export interface DirectoryLock {
  /** Releases the directory. */
  release(): Promise<void>;
}

/** The information that the holder of a lock sends to a process that finds the directory locked. */
interface Holder {
  readonly pid: number;
  readonly host: string;
  readonly since: string;
}

/**
 * Makes this process the only one on `directory`, until `release` or until the process ends, even by a crash: the lock is a listening socket, which
 * the kernel closes then. Containers that share a volume see each other's sockets as well.
 *
 * In `lock/`, sockets are numbered. Only the highest number counts: if its socket is alive, the directory is locked; if it is dead, the next number
 * may be linked. Linking fails when the number exists, and the highest number is never removed. So a process has the lock when it linked a number and
 * then still sees it as the highest: it would have found the socket of an earlier process alive, and a later process finds its socket alive.
 * @throws StoreError when another process has the lock, or the file system cannot create sockets there.
 */
export async function lockDirectory(directory: string): Promise<DirectoryLock> {
  if (process.platform === 'win32') return lockPipe(directory);
  const sockets = join(directory, 'lock');
  try {
    try {
      mkdirSync(sockets, { recursive: true, mode: PRIVATE_DIRECTORY_MODE });
    } catch (error) {
      // On a read-only file system, Node reports a missing directory. `accessSync` throws the error of the system instead.
      accessSync(directory, constants.W_OK);
      throw error;
    }
    return await lockWithin(new SocketNames(sockets), directory);
  } catch (error) {
    throw error instanceof StoreError || refusesWrites(error) ? error : lockError(directory, error);
  }
}

async function lockWithin(names: SocketNames, directory: string): Promise<DirectoryLock> {
  const ownName = `starting-${randomBytes(4).toString('hex')}`;
  const server = await listen(names.address(ownName));
  try {
    names.restrict(ownName);
    await linkHighestNumber(names, ownName, directory);
    names.remove(ownName);
    await removeDeadSockets(names);
    return { release: () => close(server) };
  } catch (error) {
    names.remove(ownName);
    await close(server);
    throw error;
  }
}

/** Links the own socket under the next number, and so gets the lock. @throws StoreError when another process has the lock */
async function linkHighestNumber(names: SocketNames, ownName: string, directory: string): Promise<void> {
  for (let round = 0; round < MAX_ROUNDS; round += 1) {
    const highest = names.highest();
    if (highest > 0) {
      const state = await probe(names.address(String(highest)));
      if (state.alive) throw inUseError(directory, state.holder);
    }
    const ownNumber = highest + 1;
    if (!names.link(ownName, String(ownNumber))) continue;
    if (names.highest() === ownNumber) return;
    names.remove(String(ownNumber));
  }
  throw inUseError(directory, null);
}

/** Removes sockets of processes that crashed while starting, and dead numbers well below the highest. */
async function removeDeadSockets(names: SocketNames): Promise<void> {
  const highest = names.highest();
  for (const name of names.list()) {
    const generation = Number(name);
    if (Number.isInteger(generation)) {
      if (generation <= highest - KEPT_GENERATIONS) names.remove(name);
    } else if (name.startsWith('starting-') && !(await probe(names.address(name))).alive) names.remove(name);
  }
}

/** The socket directory. */
class SocketNames {
  readonly #directory: string;

  constructor(directory: string) {
    // Node would cut off a longer path, and create the socket somewhere else.
    if (Buffer.byteLength(directory) + MAX_NAME_BYTES > MAX_SOCKET_PATH_BYTES) {
      throw new Error(`its path is longer than ${MAX_SOCKET_PATH_BYTES - MAX_NAME_BYTES - '/lock'.length} bytes`);
    }
    this.#directory = directory;
  }

  address(name: string): string {
    return join(this.#directory, name);
  }

  list(): string[] {
    return readdirSync(this.#directory);
  }

  /** The highest number, 0 when there is none. */
  highest(): number {
    return this.list().reduce((highest, name) => (/^\d+$/.test(name) ? Math.max(highest, Number(name)) : highest), 0);
  }

  /** Gives a socket a second name. Returns false when that name exists already. */
  link(from: string, to: string): boolean {
    try {
      linkSync(join(this.#directory, from), join(this.#directory, to));
      return true;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
      throw error;
    }
  }

  /** Removes the rights of other users: the umask may have allowed them to connect. */
  restrict(name: string): void {
    chmodSync(join(this.#directory, name), PRIVATE_FILE_MODE);
  }

  remove(name: string): void {
    try {
      unlinkSync(join(this.#directory, name));
    } catch {
      // Already removed.
    }
  }
}

/** Locks the directory on Windows: a named pipe can exist only once. */
async function lockPipe(directory: string): Promise<DirectoryLock> {
  const hash = createHash('sha256').update(realpathSync(directory).toLowerCase()).digest('hex').slice(0, 24);
  const address = `\\\\.\\pipe\\burgee-${hash}`;
  try {
    const server = await listen(address);
    return { release: () => close(server) };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE') throw lockError(directory, error);
    throw inUseError(directory, (await probe(address)).holder);
  }
}

/** Listens without keeping the process alive. Every client receives who has the lock. */
function listen(address: string): Promise<Server> {
  const holder: Holder = { pid: process.pid, host: hostname(), since: isoTime(systemClock.nowMs()) };
  const server = createServer((socket) => {
    socket.unref();
    socket.on('error', () => {});
    socket.end(JSON.stringify(holder));
    // Without this, a client that never disconnects would delay `close`.
    socket.destroySoon();
  });
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen({ path: address }, () => {
      server.off('error', reject);
      // A failed accept must not end the process: the socket continues to listen, and that keeps the lock.
      server.on('error', () => {});
      server.unref();
      resolve(server);
    });
  });
}

function close(server: Server): Promise<void> {
  return new Promise((resolve) => server.close(() => resolve()));
}

/** Whether a process listens at `address`, and which one. Unless the system clearly reports that no process listens, the answer is yes. */
function probe(address: string): Promise<{ alive: boolean; holder: Holder | null }> {
  return new Promise((resolve) => {
    const chunks: Buffer[] = [];
    const socket = connect({ path: address });
    const settle = (alive: boolean) => {
      clearTimeout(timer);
      socket.destroy();
      resolve({ alive, holder: parseHolder(Buffer.concat(chunks).toString('utf8')) });
    };
    const timer = setTimeout(() => settle(true), ANSWER_TIMEOUT_MS);
    socket.on('data', (chunk) => chunks.push(chunk));
    socket.on('end', () => settle(true));
    socket.on('error', ({ code }: NodeJS.ErrnoException) => settle(code !== 'ECONNREFUSED' && code !== 'ENOENT'));
  });
}

function parseHolder(text: string): Holder | null {
  try {
    const holder = JSON.parse(text) as Holder;
    return typeof holder.pid === 'number' ? holder : null;
  } catch {
    return null;
  }
}

function inUseError(directory: string, holder: Holder | null): StoreError {
  const who = holder ? `process ${holder.pid} on ${holder.host} since ${holder.since}` : 'another process';
  return new StoreError(
    `${directory} is in use by ${who}. A data directory belongs to one Burgee at a time: stop the other one, or set DATA_DIR to another directory`,
    'not-appended',
  );
}

/** Whether the error means that the system refuses all writes to the directory. The advice to use a local disk would not help against it. */
function refusesWrites(error: unknown): boolean {
  return REFUSED_WRITE_CODES.has((error as NodeJS.ErrnoException).code);
}

function lockError(directory: string, cause: unknown): StoreError {
  const reason = cause instanceof Error ? cause.message : String(cause);
  return new StoreError(
    `cannot lock ${directory}: ${reason}. Set DATA_DIR to a directory on a local disk`,
    'not-appended',
    { cause },
  );
}
