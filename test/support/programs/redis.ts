import { type ChildProcess, spawn } from 'node:child_process';
import {
  copyFileSync,
  cpSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { Redis } from 'ioredis';
import { freePort } from '../../../bench/support/free-port.ts';

const CONFIG = fileURLToPath(new URL('../../../redis.conf', import.meta.url));
/** A connection for one command, which is sent once, and never again after a failure. */
const ONE_COMMAND = {
  lazyConnect: true,
  enableReadyCheck: false,
  disableClientInfo: true,
  maxRetriesPerRequest: 0,
  retryStrategy: () => null,
} as const;

export interface RedisServerOptions {
  /** In addition to the repository's redis.conf: `['--appendonly', 'no']`. */
  readonly args?: readonly string[];
  /** Starts it as a sentinel with these lines of configuration, without redis.conf. */
  readonly sentinel?: readonly string[];
}

/** A real redis-server with the repository's redis.conf, on a free port, in its own directory. */
export class RedisServer {
  readonly directory = mkdtempSync(join(tmpdir(), 'burgee-redis-'));
  readonly #options: RedisServerOptions;
  port = 0;
  #child: ChildProcess | undefined;
  #ended: Promise<unknown> = Promise.resolve();
  /** Whether the test has killed or stopped it. */
  #isHeld = false;

  private constructor(options: RedisServerOptions) {
    this.#options = options;
  }

  static async start(options: RedisServerOptions = {}): Promise<RedisServer> {
    const server = new RedisServer(options);
    for (let tries = 1; ; tries += 1) {
      server.port = await freePort();
      try {
        await server.start();
        return server;
      } catch (error) {
        await server.kill();
        if (tries < 5) continue;
        await server.dispose();
        throw error;
      }
    }
  }

  get url(): string {
    return `redis://127.0.0.1:${this.port}`;
  }

  /** Starts it (again), on the same port and files, and waits until it answers. */
  async start(): Promise<void> {
    const child = spawn('redis-server', this.#arguments(), { stdio: 'ignore', cwd: this.directory });
    this.#child = child;
    this.#isHeld = false;
    this.#ended = new Promise((resolve) => child.once('close', resolve));
    for (let tries = 0; tries < 400 && child.exitCode === null; tries += 1) {
      // The port was free a moment ago: another test's server may have it now, and must not be mistaken for this one.
      if ((await this.#serverInfo()).includes(`process_id:${child.pid}\r`)) return;
      await sleep(10);
    }
    throw new Error(`redis-server on port ${this.port} does not answer`);
  }

  /**
   * Its answer to a command, as redis-cli writes it: a line for each element of a list, and the text of an error. Empty if the test killed or stopped it.
   * @throws Error if it should run and does not answer
   */
  command(...words: readonly string[]): Promise<string> {
    return this.commandAs({}, ...words);
  }

  /** As `command`, on a connection that first states a password or chooses a database. */
  async commandAs(login: { password?: string; db?: number }, ...words: readonly string[]): Promise<string> {
    const [name = '', ...rest] = words;
    const timeoutMs = this.#isHeld ? 5_000 : 60_000;
    const times = { connectTimeout: timeoutMs, commandTimeout: timeoutMs };
    const connection = new Redis(this.port, '127.0.0.1', { ...login, ...ONE_COMMAND, ...times });
    connection.on('error', () => {});
    try {
      await connection.connect();
      return `${textOf(await connection.call(name, rest))}\n`;
    } catch (error) {
      if (error instanceof Error && error.name === 'ReplyError') return `${error.message}\n`;
      if (!this.#isHeld) throw error;
      return '';
    } finally {
      connection.disconnect();
    }
  }

  /**
   * Several commands in one step: a store of this process can react between two of `command`.
   * @throws Error if one of them is refused
   */
  async together(...commands: readonly (readonly string[])[]): Promise<void> {
    const script = `for _, words in ipairs(cjson.decode(ARGV[1])) do redis.call(unpack(words)) end return 'done'`;
    const answer = await this.command('EVAL', script, '0', JSON.stringify(commands));
    if (answer !== 'done\n') throw new Error(answer);
  }

  /** What it says about itself once it serves; empty until then. A server that starts is asked often: this is the cheapest way. */
  #serverInfo(): Promise<string> {
    return new Promise((resolve) => {
      let text = '';
      const socket = connect(this.port, '127.0.0.1', () => socket.write('PING\r\nINFO server\r\nQUIT\r\n'));
      socket.setTimeout(5_000, () => socket.destroy());
      socket.on('data', (piece) => {
        text += piece;
        // A sentinel refuses QUIT, and leaves the connection open.
        if (/process_id:\d+\r/.test(text)) socket.destroy();
      });
      socket.on('error', () => {});
      socket.on('close', () => resolve(text.startsWith('+PONG') ? text : ''));
    });
  }

  signal(signal: NodeJS.Signals): void {
    this.#isHeld = signal !== 'SIGCONT';
    this.#child?.kill(signal);
  }

  async kill(): Promise<void> {
    this.#isHeld = true;
    // Also ends a stopped server, which must not answer anything before.
    this.#child?.kill('SIGKILL');
    await this.#ended;
  }

  /** Cuts the end off the append-only file of a server that is not running. */
  truncateLog(bytes: number): void {
    const directory = join(this.directory, 'appendonlydir');
    const name = readdirSync(directory).find((file) => file.endsWith('.incr.aof')) ?? '';
    const path = join(directory, name);
    truncateSync(path, Math.max(0, statSync(path).size - bytes));
  }

  /** Keeps a copy of its append-only file, as a backup would. There must be no writes meanwhile. */
  backUp(name: string): void {
    cpSync(join(this.directory, 'appendonlydir'), join(this.directory, name), { recursive: true });
  }

  /** Starts it again, as a new run, with the append-only file that was kept. */
  async restore(name: string): Promise<void> {
    await this.kill();
    rmSync(join(this.directory, 'appendonlydir'), { recursive: true, force: true });
    cpSync(join(this.directory, name), join(this.directory, 'appendonlydir'), { recursive: true });
    await this.start();
  }

  /** Ends it and removes its files. */
  async dispose(): Promise<void> {
    await this.kill();
    rmSync(this.directory, { recursive: true, force: true });
  }

  #arguments(): string[] {
    // A replica is synchronised at once, instead of five seconds later in case another one connects.
    const common = [
      '--repl-diskless-sync-delay',
      '0',
      '--port',
      String(this.port),
      '--bind',
      '127.0.0.1',
      '--dir',
      this.directory,
    ];
    if (!this.#options.sentinel) return [this.#copyOfConfig(), ...common, ...(this.#options.args ?? [])];
    const path = join(this.directory, 'sentinel.conf');
    writeFileSync(path, [`port ${this.port}`, `dir ${this.directory}`, ...this.#options.sentinel, ''].join('\n'));
    return [path, '--sentinel'];
  }

  /** Sentinels make a server rewrite its configuration file, so it never uses the repository's file. A rewritten file is kept over restarts. */
  #copyOfConfig(): string {
    const path = join(this.directory, 'redis.conf');
    if (!existsSync(path)) copyFileSync(CONFIG, path);
    return path;
  }
}

const textOf = (answer: unknown): string =>
  Array.isArray(answer) ? answer.map(textOf).join('\n') : String(answer ?? '');
