import { createHash, randomBytes } from 'node:crypto';
import { chmodSync, closeSync, linkSync, mkdirSync, openSync, readdirSync, realpathSync, unlinkSync } from 'node:fs';
import { connect, createServer, type Server } from 'node:net';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { isoTime, systemClock } from '../../base/clock.ts';
import type { Logger } from '../../base/logger.ts';
import { PRIVATE_DIRECTORY_MODE, PRIVATE_FILE_MODE } from '../local/private-files.ts';
import { StoreError } from '../store.ts';

/** How long a holder may take to say who it is. One that is stopped never does; it holds the lock all the same. */
const ANSWER_TIMEOUT_MS = 1_000;
/** Rounds against other starters. Each lost round means that another one got further. */
const MAX_ROUNDS = 20;
/** Dead generations that stay. A listing that misses the newest one while it changes would have to miss this many. */
const KEPT_GENERATIONS = 4;
/** What fits into a socket address on every platform: 104 bytes with the final zero on macOS, 108 on Linux. */
const MAX_SOCKET_PATH_BYTES = 103;
/** The longest name in the socket directory, `starting-…`, with its slash. */
const MAX_NAME_BYTES = 36;

/** How file systems say that they make no sockets, or give them no second name. */
const NO_SOCKETS_CODES: ReadonlySet<string> = new Set([
  'EPERM',
  'ENOTSUP',
  'EOPNOTSUPP',
  'EINVAL',
  'ENOSYS',
  'ENAMETOOLONG',
]);

export interface DirectoryLock {
  /** Gives the directory back. */
  release(): Promise<void>;
}

/** What a holder says of itself to whoever finds the lock taken. */
interface Holder {
  readonly pid: number;
  readonly host: string;
  readonly since: string;
}

/**
 * Makes this process the only one on `directory`, until `release` or its end, however sudden: the lock is a listening socket, and the
 * kernel closes that. Containers that share a volume see each other's sockets as well.
 *
 * In `lock/`, sockets are numbered. Only the highest number counts: it is alive, and then the directory is taken, or dead, and then the
 * next number may be linked. Linking fails when the number exists, and the highest number is never removed. So whoever linked a number
 * and then still sees it as the highest holds the lock: a starter that came earlier is found alive by this one, and one that comes later
 * finds this one alive.
 * @param listenIn Makes a socket in the directory; tests stand in for file systems that cannot.
 * @throws StoreError when another process holds it.
 */
export async function lockDirectory(
  directory: string,
  logger: Logger,
  listenIn: (address: string) => Promise<Server> = listen,
): Promise<DirectoryLock> {
  if (process.platform === 'win32') return lockName(pipeName(directory), directory);
  const sockets = join(directory, 'lock');
  mkdirSync(sockets, { recursive: true, mode: PRIVATE_DIRECTORY_MODE });
  const names = new SocketNames(sockets);
  try {
    return await lockWithin(names, directory, listenIn);
  } catch (error) {
    if (error instanceof StoreError) throw error;
    const { code } = error as NodeJS.ErrnoException;
    if (!NO_SOCKETS_CODES.has(code ?? '')) throw cannotLock(directory, error);
    return await lockElsewhere(directory, error, logger);
  } finally {
    names.close();
  }
}

async function lockWithin(
  names: SocketNames,
  directory: string,
  listenIn: (address: string) => Promise<Server>,
): Promise<DirectoryLock> {
  const ownName = `starting-${process.pid}-${randomBytes(6).toString('hex')}`;
  const server = await listenIn(names.address(ownName));
  try {
    names.restrict(ownName);
    await claim(names, ownName, directory);
    names.remove(ownName);
    await tidy(names);
    return { release: () => close(server) };
  } catch (error) {
    names.remove(ownName);
    await close(server);
    throw error;
  }
}

async function claim(names: SocketNames, ownName: string, directory: string): Promise<void> {
  for (let round = 0; round < MAX_ROUNDS; round += 1) {
    const highest = names.highest();
    if (highest > 0) {
      const state = await probe(names.address(String(highest)));
      if (state.alive) throw taken(directory, state.holder);
    }
    const mine = highest + 1;
    if (!names.link(ownName, String(mine))) continue;
    if (names.highest() === mine) return;
    names.remove(String(mine));
  }
  throw taken(directory, null);
}

/** Removes what crashed starters left, and dead numbers well below the highest. */
async function tidy(names: SocketNames): Promise<void> {
  const highest = names.highest();
  for (const name of names.list()) {
    const generation = Number(name);
    if (Number.isInteger(generation)) {
      if (generation <= highest - KEPT_GENERATIONS) names.remove(name);
    } else if (name.startsWith('starting-') && !(await probe(names.address(name))).alive) names.remove(name);
  }
}

/** The socket directory. Addresses of sockets are short, its path may not be: on Linux they lead through an open descriptor. */
class SocketNames {
  readonly #directory: string;
  readonly #isLong: boolean;
  readonly #descriptor: number | null;

  constructor(directory: string) {
    this.#directory = directory;
    this.#isLong = Buffer.byteLength(directory) + MAX_NAME_BYTES > MAX_SOCKET_PATH_BYTES;
    this.#descriptor = this.#isLong && process.platform === 'linux' ? openSync(directory, 'r') : null;
  }

  address(name: string): string {
    if (this.#descriptor !== null) return `/proc/self/fd/${this.#descriptor}/${name}`;
    // Node would cut it off, and the socket would stand somewhere else.
    if (this.#isLong) throw Object.assign(new Error('the path is too long for a socket'), { code: 'ENAMETOOLONG' });
    return join(this.#directory, name);
  }

  list(): string[] {
    return readdirSync(this.#directory);
  }

  /** The highest number, 0 when there is none. */
  highest(): number {
    return this.list().reduce((highest, name) => (/^\d+$/.test(name) ? Math.max(highest, Number(name)) : highest), 0);
  }

  /** Gives a socket a second name. False when that exists. */
  link(from: string, to: string): boolean {
    try {
      linkSync(join(this.#directory, from), join(this.#directory, to));
      return true;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
      throw error;
    }
  }

  /** The umask may have let others connect. */
  restrict(name: string): void {
    chmodSync(join(this.#directory, name), PRIVATE_FILE_MODE);
  }

  remove(name: string): void {
    try {
      unlinkSync(join(this.#directory, name));
    } catch {
      // Gone already.
    }
  }

  close(): void {
    if (this.#descriptor !== null) closeSync(this.#descriptor);
  }
}

/** For file systems that hold no sockets, and paths too long for one: a socket outside, which guards this machine or container only. */
async function lockElsewhere(directory: string, reason: unknown, logger: Logger): Promise<DirectoryLock> {
  logger.warn(
    { directory, reason: String(reason) },
    'no lock socket can be made in the data directory; other machines or containers on it would not be noticed',
  );
  const hash = createHash('sha256').update(realpathSync(directory)).digest('hex').slice(0, 24);
  const address = process.platform === 'linux' ? `\0burgee-${hash}` : join(tmpdir(), `burgee-${hash}.sock`);
  return lockName(address, directory);
}

/** A lock by a name that exists once: a pipe of Windows, an abstract socket of Linux, or a socket file, whose leftover is replaced. */
async function lockName(address: string, directory: string): Promise<DirectoryLock> {
  for (let round = 0; round < 2; round += 1) {
    try {
      const server = await listen(address);
      return { release: () => close(server) };
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE') throw cannotLock(directory, error);
      const state = await probe(address);
      if (state.alive) throw taken(directory, state.holder);
      if (address.startsWith('/')) unlinkSync(address);
    }
  }
  throw taken(directory, null);
}

function pipeName(directory: string): string {
  const hash = createHash('sha256').update(realpathSync(directory).toLowerCase()).digest('hex').slice(0, 24);
  return `\\\\.\\pipe\\burgee-${hash}`;
}

/** Listens without keeping the process alive. Every caller is told who holds the lock. */
function listen(address: string): Promise<Server> {
  const holder: Holder = { pid: process.pid, host: hostname(), since: isoTime(systemClock.nowMs()) };
  const server = createServer((socket) => {
    socket.unref();
    socket.on('error', () => {});
    socket.end(JSON.stringify(holder));
    // Else a caller that never hangs up would hold back `close`.
    socket.destroySoon();
  });
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen({ path: address }, () => {
      server.off('error', reject);
      // A failed accept is no reason to end: the socket goes on listening, and that is what holds the lock.
      server.on('error', () => {});
      server.unref();
      resolve(server);
    });
  });
}

function close(server: Server): Promise<void> {
  return new Promise((resolve) => server.close(() => resolve()));
}

/** Whether somebody listens at `address`, and who. Anything but a clear no counts as yes. */
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

function taken(directory: string, holder: Holder | null): StoreError {
  const who = holder ? `process ${holder.pid} on ${holder.host} since ${holder.since}` : 'another process';
  return new StoreError(
    `${directory} is in use by ${who}. A data directory belongs to one Burgee at a time: stop that one, or set DATA_DIR to another directory`,
    'not-appended',
  );
}

function cannotLock(directory: string, cause: unknown): StoreError {
  return new StoreError(`cannot lock ${directory}: ${String(cause)}`, 'not-appended', { cause });
}
