import { connect, type Socket } from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { Connection, requestBytes, targetOf } from '../support/connection.ts';
import type { Process } from '../support/service.ts';
import { whileStopped } from '../support/stopped.ts';

/** Connections that are opened at a time. With more of them, the listen queue would be measured. */
const CONNECTING_AT_ONCE = 200;
/** A bench that hangs measures nothing. */
const TOLD_TIMEOUT_MS = 120_000;

/** Beginnings of the events that readers wait for; an event ends with an empty line. */
const CONNECTED = 'event: unleash-connected\n';
export const UPDATED = 'event: unleash-updated\n';
/** The first line of every stream, whether its reader lacks anything or not. */
export const BEGUN = 'retry: ';

const NOTHING = Buffer.alloc(0);
/** Enough for the line before an event's name, which is its id. */
const TAIL_BYTES = 512;
/** An empty line, and the end of its chunk. */
const END_BYTES = 4;

type Headers = Readonly<Record<string, string>>;

interface Reader {
  readonly index: number;
  readonly socket: Socket;
  /** The end of what arrived, in which an event may begin. */
  tail: Buffer;
  /** Whether the awaited event has begun. */
  isTold: boolean;
}

interface Opening {
  /** Milliseconds until each reader had the whole event, from when the server could read the first request. */
  readonly ms: readonly number[];
  /** Requests that had arrived when the server could read the first one: none was answered before. */
  readonly waiting: number;
}

/** Readers of one stream each. They do as little as possible: they only look for the beginning and the end of an event. */
export class Readers {
  readonly #requestOf: (index: number) => Buffer;
  readonly #target: ReturnType<typeof targetOf>;
  #readers: Reader[] = [];
  /** The last event ids that readers send when they connect again. */
  readonly #lastEventIds: string[] = [];
  #marker = Buffer.from(CONNECTED);
  #notesIds = true;
  /** When each awaited reader had the event, how many readers are awaited, and what settles the wait. */
  #printedMs: number[] = [];
  #wanted = 0;
  #settle: (error?: Error) => void = () => {};
  #failure: Error | undefined;
  /** Bytes that all readers received. */
  bytes = 0;

  /** `path` and `headers` may differ for each reader. */
  constructor(
    url: string,
    path: string | ((index: number) => string),
    headers: Headers | ((index: number) => Headers) = {},
  ) {
    const pathOf = typeof path === 'string' ? () => path : path;
    const headersOf = typeof headers === 'function' ? headers : () => headers;
    this.#target = targetOf(url);
    this.#requestOf = (index) => {
      const id = this.#lastEventIds[index];
      const all = id === undefined ? headersOf(index) : { ...headersOf(index), 'last-event-id': id };
      return requestBytes('GET', this.#target, pathOf(index), all);
    };
  }

  get count(): number {
    return this.#readers.length;
  }

  /** The id of the event with which the first reader was connected; undefined before. */
  get lastEventId(): string | undefined {
    return this.#lastEventIds[0];
  }

  /**
   * Connects `count` readers, sends all requests before the server reads the first one, and waits until each reader was sent `marker`. After `leave`,
   * readers send the last event id that they had.
   */
  async open(server: Process, count: number, marker = CONNECTED): Promise<Opening> {
    for (let made = 0; made < count; made = this.count) {
      const some = Math.min(CONNECTING_AT_ONCE, count - made);
      await Promise.all(Array.from({ length: some }, () => this.#connect()));
    }
    await this.#untilAccepted();
    const sent = this.#expect(marker);
    sent.catch(() => {});
    const bytesBefore = this.bytes;
    let waiting = 0;
    const startedMs = await whileStopped(server, async () => {
      for (const { socket, index } of this.#readers) socket.write(this.#requestOf(index));
      // An answer would have arrived after one turn of the loop.
      await nextTurn();
      if (this.bytes === bytesBefore)
        waiting = this.#readers.filter(({ socket }) => socket.writableLength === 0).length;
      return performance.now();
    });
    if (waiting !== count) throw new Error(`${waiting} of ${count} asked before the first was answered`);
    const printedMs = await sent;
    return { ms: printedMs.map((at) => at - startedMs), waiting };
  }

  /** Calls `cause` and waits until every reader was sent `marker`. Returns the milliseconds until each was. */
  async sent(marker: string, cause: () => Promise<unknown>): Promise<readonly number[]> {
    const startedMs = performance.now();
    const [, printedMs] = await Promise.all([cause(), this.#expect(marker)]);
    return printedMs.map((at) => at - startedMs);
  }

  /** Closes all readers; `open` connects them again. */
  leave(): void {
    const left = this.#readers;
    this.#readers = [];
    for (const { socket } of left) socket.destroy();
  }

  close(): void {
    this.leave();
    this.#fail(new Error('closed'));
  }

  #connect(): Promise<void> {
    const socket = connect({ host: this.#target.host, port: this.#target.port });
    const reader: Reader = { index: this.count, socket, tail: NOTHING, isTold: false };
    this.#readers.push(reader);
    socket.setNoDelay(true);
    socket.on('data', (bytes: Buffer) => this.#take(reader, bytes));
    const lost = () => {
      if (this.#readers[reader.index] === reader) this.#fail(new Error('a stream was ended'));
    };
    socket.on('error', lost);
    socket.on('close', lost);
    return new Promise((resolve, reject) => {
      socket.once('connect', resolve);
      socket.once('error', reject);
    });
  }

  /** Connections are accepted in the order in which they were opened: when the last one is answered, all are accepted. */
  async #untilAccepted(): Promise<void> {
    const last = new Connection(this.#target);
    await last.ask(requestBytes('GET', this.#target, '/ready', {}));
    last.close();
  }

  #take(reader: Reader, bytes: Buffer): void {
    this.bytes += bytes.byteLength;
    const { tail } = reader;
    const isWhole = tail.byteLength === 0 || (reader.isTold && bytes.byteLength >= END_BYTES);
    const seen = isWhole ? bytes : Buffer.concat([tail, bytes]);
    if (!reader.isTold) this.#lookForBegin(reader, seen);
    if (reader.isTold && endsWithEvent(seen)) {
      reader.isTold = false;
      reader.tail = NOTHING;
      this.#printedMs.push(performance.now());
      if (this.#printedMs.length === this.#wanted) this.#settle();
    } else reader.tail = Buffer.from(seen.subarray(reader.isTold ? -END_BYTES : -TAIL_BYTES));
  }

  #lookForBegin(reader: Reader, seen: Buffer): void {
    const at = seen.indexOf(this.#marker);
    if (at < 0) return;
    reader.isTold = true;
    // Not in changes: the events of the floor have no ids.
    const idAt = this.#notesIds ? seen.lastIndexOf('id: ', at) : -1;
    if (idAt >= 0) this.#lastEventIds[reader.index] = seen.toString('latin1', idAt + 4, seen.indexOf('\n', idAt));
  }

  /** Resolves when all readers were sent `marker`, with the time of each. */
  async #expect(marker: string): Promise<readonly number[]> {
    if (this.#failure) throw this.#failure;
    this.#marker = Buffer.from(marker);
    this.#notesIds = marker === CONNECTED;
    this.#printedMs = [];
    this.#wanted = this.count;
    const timeout = setTimeout(
      () => this.#settle(new Error(`${this.#printedMs.length} of ${this.#wanted} readers were sent the event in time`)),
      TOLD_TIMEOUT_MS,
    );
    try {
      await new Promise<void>((resolve, reject) => {
        this.#settle = (error) => (error ? reject(error) : resolve());
      });
    } finally {
      clearTimeout(timeout);
    }
    return this.#printedMs;
  }

  #fail(error: Error): void {
    this.#failure ??= error;
    this.#settle(this.#failure);
  }
}

/** Whether an event ends with these bytes. The JSON of an event has no line breaks, so an empty line is always the end of an event. */
function endsWithEvent(bytes: Buffer): boolean {
  const end = bytes.toString('latin1', Math.max(0, bytes.byteLength - END_BYTES));
  return end.endsWith('\n\n') || end.endsWith('\n\n\r\n');
}
