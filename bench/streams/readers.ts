import { connect, type Socket } from 'node:net';
import { requestBytes, targetOf } from '../support/connection.ts';

/** Connections that are opened at a time: more and the listen queue is what is measured. */
const OPENING_AT_ONCE = 200;

/** Readers of one stream each, which do as little as can be done: look for the end of an event in what arrives. */
export class Readers {
  readonly #sockets: Socket[] = [];
  readonly #requestOf: (index: number) => Buffer;
  readonly #target: ReturnType<typeof targetOf>;
  /** Of the event that is waited for: how many of the readers have it, and when they got it. */
  #arrivedMs: number[] = [];
  #marker = '';
  #wake = () => {};
  #failure: Error | undefined;
  /** Bytes that arrived at all of them. */
  bytes = 0;

  /** `path` may be another one for each reader. */
  constructor(url: string, path: string | ((index: number) => string), headers: Readonly<Record<string, string>> = {}) {
    const target = targetOf(url);
    const pathOf = typeof path === 'string' ? () => path : path;
    this.#target = target;
    this.#requestOf = (index) => requestBytes('GET', target, pathOf(index), headers);
  }

  get count(): number {
    return this.#sockets.length;
  }

  /** Opens so many and waits until each was sent `marker`. Milliseconds until each was, from the beginning. */
  async open(count: number, marker: string): Promise<readonly number[]> {
    const startedMs = this.#expect(marker);
    for (let opened = 0; opened < count; ) {
      const some = Math.min(OPENING_AT_ONCE, count - opened);
      for (let index = 0; index < some; index++) this.#open();
      opened += some;
      await this.#until(opened);
    }
    return this.#arrivedMs.map((at) => at - startedMs);
  }

  /** Waits until every reader was sent `marker` as a consequence of `cause`. Milliseconds until each was, from then. */
  async told(marker: string, cause: () => Promise<unknown>): Promise<readonly number[]> {
    const startedMs = this.#expect(marker);
    await Promise.all([cause(), this.#until(this.count)]);
    return this.#arrivedMs.map((at) => at - startedMs);
  }

  /** So many of them do not read any more. */
  stall(count: number): void {
    for (const socket of this.#sockets.splice(0, count)) {
      socket.pause();
      this.#stalled.push(socket);
    }
  }

  readonly #stalled: Socket[] = [];

  close(): void {
    this.#failure = new Error('closed');
    for (const socket of [...this.#sockets, ...this.#stalled]) socket.destroy();
    this.#sockets.length = 0;
  }

  #expect(marker: string): number {
    this.#marker = marker;
    this.#arrivedMs = [];
    return performance.now();
  }

  async #until(count: number): Promise<void> {
    while (this.#arrivedMs.length < count) {
      if (this.#failure) throw this.#failure;
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }

  #open(): void {
    const socket = connect({ host: this.#target.host, port: this.#target.port });
    socket.setNoDelay(true);
    socket.write(this.#requestOf(this.#sockets.length));
    /** What may be the beginning of the marker. */
    let tail = '';
    socket.on('data', (bytes: Buffer) => {
      this.bytes += bytes.byteLength;
      const text = tail + bytes.toString('latin1');
      if (text.includes(this.#marker)) {
        this.#arrivedMs.push(performance.now());
        tail = '';
        this.#wake();
      } else tail = text.slice(-this.#marker.length);
    });
    const failed = () => {
      this.#failure ??= new Error('a stream was ended');
      this.#wake();
    };
    socket.on('error', failed);
    socket.on('close', failed);
    this.#sockets.push(socket);
  }
}
