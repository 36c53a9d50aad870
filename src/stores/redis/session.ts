import { createHash } from 'node:crypto';
import { isIP } from 'node:net';
import { Redis } from 'ioredis';
import type { HostAndPort, RedisTarget } from './connection-string.ts';

export type Reply = Buffer | number | null | Reply[];
export type Argument = string | number | Uint8Array;

interface Script {
  readonly source: string;
  readonly sha: string;
}

export function script(source: string): Script {
  return { source, sha: createHash('sha1').update(source).digest('hex') };
}

export interface SessionTimeouts {
  /** The limit for connecting and signing in, in milliseconds. */
  readonly connectMs: number;
  /** The limit for one command and its answer, in milliseconds. */
  readonly commandMs: number;
}

/** The server read the command and refused it: it had no effect. `code` is the first word of its answer, for example `READONLY`. */
export class RefusedError extends Error {
  override readonly name = 'RefusedError';
  readonly code: string;

  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = message.split(' ', 1)[0] ?? '';
  }

  /** Whether another server is the one to ask now, or this one soon. */
  get isOfOtherServer(): boolean {
    return WRONG_SERVER.has(this.code);
  }
}

/** The connection had ended before the command was handed to it: it had no effect, and never will. */
export class NotSentError extends Error {
  override readonly name = 'NotSentError';
}

/** There is no answer: the command may have taken effect, or may still do so. */
export class LostAnswerError extends Error {
  override readonly name = 'LostAnswerError';
}

/** The error codes of a server that is no longer the one to write to. A new session locates the server again. */
const WRONG_SERVER = new Set([
  'READONLY',
  'MOVED',
  'ASK',
  'MASTERDOWN',
  'CLUSTERDOWN',
  'TRYAGAIN',
  'LOADING',
  'NOAUTH',
]);

/** A socket that is being closed is destroyed after this time. */
const DISCONNECT_MS = 20;

/**
 * One connection to one server, from sign-in to its end. It never reconnects: a client that reconnects silently repeats commands whose effect is
 * not known, or drops them without an answer. A caller that needs another connection opens another session.
 */
export class Session {
  readonly address: HostAndPort;
  /** Resolves with the reason when the connection has ended. Never rejects. */
  readonly endReason: Promise<string>;
  readonly #client: Redis;
  readonly #endListeners = new Set<() => void>();
  #reason: string | undefined;
  #end: (reason: string) => void = () => {};

  constructor(client: Redis, address: HostAndPort) {
    this.#client = client;
    this.address = address;
    this.endReason = new Promise((resolve) => {
      this.#end = (reason) => {
        this.#reason ??= reason;
        resolve(this.#reason);
        for (const listener of this.#endListeners) listener();
        this.#endListeners.clear();
      };
    });
    let lastError = 'the connection was closed';
    client.on('error', (error: Error) => {
      lastError = error.message;
    });
    client.once('end', () => this.#end(lastError));
  }

  /** Connects and signs in; gives up when `signal` aborts. @throws Error with a message for people, without credentials. */
  static async open(
    target: RedisTarget,
    address: HostAndPort,
    timeouts: SessionTimeouts,
    signal?: AbortSignal,
  ): Promise<Session> {
    const client = new Redis({
      ...address,
      ...(target.tls ? { tls: isIP(address.host) === 0 ? { servername: address.host } : {} } : {}),
      ...(target.password === undefined ? {} : { password: target.password }),
      ...(target.username === undefined ? {} : { username: target.username }),
      protocol: 2,
      lazyConnect: true,
      disableClientInfo: true,
      enableReadyCheck: false,
      enableOfflineQueue: false,
      autoResubscribe: false,
      autoResendUnfulfilledCommands: false,
      maxRetriesPerRequest: 0,
      retryStrategy: null,
      reconnectOnError: null,
      connectTimeout: timeouts.connectMs,
      commandTimeout: timeouts.commandMs,
      disconnectTimeout: DISCONNECT_MS,
      keepAlive: 10_000,
      noDelay: true,
    });
    const session = new Session(client, address);
    const abort = () => session.drop('closed');
    signal?.addEventListener('abort', abort);
    if (signal?.aborted) abort();
    const connectProblem = await Promise.race([
      client.connect().then(
        () => '',
        (error: Error) => error.message,
      ),
      session.endReason,
    ]);
    signal?.removeEventListener('abort', abort);
    if (connectProblem !== '' || session.#reason !== undefined) {
      const reason = session.#reason ?? connectProblem;
      session.drop(reason);
      // The event with the cause may come a moment after the promise.
      const cause = connectProblem === 'Connection is closed.' ? await session.endReason : connectProblem;
      throw new Error(cause || reason);
    }
    await session.#select(target.database);
    return session;
  }

  /** The client would ignore a refusal, and use database 0 instead. */
  async #select(database: number): Promise<void> {
    if (database === 0) return;
    try {
      await this.command('SELECT', database);
    } catch (error) {
      this.drop(error instanceof Error ? error.message : String(error));
      throw error;
    }
  }

  /** Same as `Ending.onEnd`, for callers that wait repeatedly while the connection is open. */
  onEnd(listener: () => void): () => void {
    if (this.#reason === undefined) this.#endListeners.add(listener);
    else listener();
    return () => void this.#endListeners.delete(listener);
  }

  /** Runs a script. Numbers are returned as numbers, everything else as bytes. @throws RefusedError, NotSentError, LostAnswerError */
  async run({ sha, source }: Script, keys: readonly string[], args: readonly Argument[]): Promise<Reply> {
    try {
      return await this.command('EVALSHA', sha, keys.length, ...keys, ...args);
    } catch (error) {
      if (!(error instanceof RefusedError) || error.code !== 'NOSCRIPT') throw error;
      return this.command('EVAL', source, keys.length, ...keys, ...args);
    }
  }

  /** @throws RefusedError, NotSentError, LostAnswerError. Their messages do not contain the arguments. */
  async command(name: string, ...args: Argument[]): Promise<Reply> {
    this.#refuseUnlessOpen();
    try {
      return (await this.#client.callBuffer(name, args.map(asArgument))) as Reply;
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error);
      if (error instanceof Error && error.name === 'ReplyError') {
        const refusal = new RefusedError(message);
        if (refusal.isOfOtherServer) this.drop(message);
        throw refusal;
      }
      // Without an answer in time, the connection is unusable: it is half-open, or later answers would be assigned to the wrong commands.
      this.drop(message);
      throw new LostAnswerError(message);
    }
  }

  /** The client accepts a command only while this check passes, and writes it to the socket in the same turn of the event loop. */
  #refuseUnlessOpen(): void {
    const { status, stream } = this.#client;
    if (this.#reason === undefined && status === 'ready' && stream.writable) return;
    const reason = this.#reason ?? 'the connection was closed';
    this.drop(reason);
    throw new NotSentError(reason);
  }

  /** Makes this the connection of a subscriber: from then on, only `PING` may be sent. */
  async subscribe(channel: string, listener: (message: Buffer) => void): Promise<void> {
    this.#client.on('messageBuffer', (_channel: Buffer, message: Buffer) => listener(message));
    // The name is in lower case, because the client only then detects that the connection becomes a subscriber's.
    await this.command('subscribe', channel);
  }

  /** Ends the connection. Commands under way are rejected with LostAnswerError. May be called again. */
  drop(reason: string): void {
    this.#end(reason);
    this.#client.disconnect();
  }
}

function asArgument(argument: Argument): string | number | Buffer {
  if (!(argument instanceof Uint8Array) || Buffer.isBuffer(argument)) return argument;
  return Buffer.from(argument.buffer, argument.byteOffset, argument.byteLength);
}
