import { setTimeout as wait } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import Type from 'typebox';
import { afterEach, describe, expect, it } from 'vitest';
import { bodyOf, preparedAnswer } from '../../../src/base/prepared-answer.ts';
import { CHECKS_WITHOUT_READ_MAX } from '../../../src/http/sending/reader-watch.ts';
import type { HttpServer } from '../../../src/http/server.ts';
import { endpoint, prepared, startTestServer, streamed } from '../../support/http/http-server.ts';
import { head, RawConnection } from '../../support/http/raw-http.ts';
import { ManualClock } from '../../support/manual-clock.ts';

setFlagsFromString('--expose_gc');
const collectGarbage = runInNewContext('gc') as () => void;

const COMMON = { tag: 'Test', summary: '', access: { permission: 'NONE' }, errors: [] } as const;
const OK = { 200: { description: '', schema: Type.Unknown() } };

/** Far more than the kernel buffers for a reader that reads nothing. */
const BYTES = Buffer.alloc(40_000_000, 'abcdefghijklmnopqrstuvwxyz');
const PIECE = 100_000;

const large = prepared('GET /large', 'large', {
  ...COMMON,
  responses: OK,
  serve: () => preparedAnswer(200, {}, bodyOf(BYTES)),
});

function* pieces(): Generator<string> {
  for (let at = 0; at < BYTES.length; at += PIECE) yield BYTES.toString('latin1', at, at + PIECE);
}

const made = endpoint({
  ...COMMON,
  operationId: 'made',
  method: 'get',
  path: '/made',
  responses: OK,
  handle: () => ({ status: 200, pieces: pieces() }),
});

async function* chunks(): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < BYTES.length; at += PIECE) yield BYTES.subarray(at, at + PIECE);
}

const flowing = streamed('POST /flowing', 'flowing', {
  ...COMMON,
  contentTypes: [],
  responses: OK,
  handle: async () => ({ status: 200, headers: {}, chunks: chunks() }),
});

const REQUESTS = [
  ['prepared bytes', 'GET /large'],
  ['an answer that is generated while it is sent', 'GET /made'],
  ['a streamed answer', 'POST /flowing'],
] as const;

const servers: HttpServer<null>[] = [];

afterEach(async () => {
  await Promise.all(servers.splice(0).map((server) => server.close()));
});

async function start() {
  const clock = new ManualClock();
  const { url, server } = await startTestServer([large, made, flowing], { clock, drainMs: 600_000 });
  server.open();
  servers.push(server);
  /** Advances the clock by this number of checks of the readers. */
  const look = async (times = 1) => {
    for (let time = 0; time < times; time++) {
      clock.advance(5_000);
      await wait(1);
    }
  };
  return { url, server, look };
}

/** Reads a part of an answer, and then nothing. */
class Reader {
  readonly connection: RawConnection;
  takenBytes = 0;
  #isClosed = false;

  private constructor(connection: RawConnection) {
    this.connection = connection;
    const { socket } = connection;
    socket.removeAllListeners('data');
    socket.on('data', (bytes: Buffer) => {
      this.takenBytes += bytes.byteLength;
    });
    void connection.closed.then(() => {
      this.#isClosed = true;
    });
  }

  static async open(url: string, request: string): Promise<Reader> {
    const reader = new Reader(await RawConnection.open(url));
    reader.connection.write(head(`${request} HTTP/1.1`, 'content-length: 0'));
    await reader.take(1);
    return reader;
  }

  /**
   * Reads at least `bytes` more bytes, unless the connection is closed before. `look` is called every three seconds, because the service checks its
   * readers at least as often. Without these checks, uWS disconnects the readers on a machine that is blocked for ten seconds.
   */
  async take(bytes: number, look?: () => Promise<void>): Promise<void> {
    const { socket } = this.connection;
    const enough = this.takenBytes + bytes;
    let lookMs = performance.now() + 3_000;
    socket.resume();
    while (this.takenBytes < enough && !this.#isClosed) {
      await wait(1);
      if (performance.now() < lookMs) continue;
      lookMs = performance.now() + 3_000;
      await look?.();
    }
    socket.pause();
  }
}

describe.each(REQUESTS)('a reader of %s', (_, request) => {
  it('that reads nothing for a minute is disconnected', async () => {
    const { url, server, look } = await start();
    const reader = await Reader.open(url, request);
    // Resolves when no answer is in progress any more.
    let isOver = false;
    const closing = server.close().then(() => {
      isOver = true;
    });
    let looks = 0;
    for (; !isOver; looks++) await look();
    await closing;
    expect(looks).toBeGreaterThan(CHECKS_WITHOUT_READ_MAX);
    // uWS did not do it: ten seconds have not passed.
    expect(looks).toBeLessThan(1_000);
    await reader.take(BYTES.length);
    expect(reader.takenBytes).toBeLessThan(BYTES.length);
  });

  it('that reads a part from time to time gets the whole answer, however long that takes', async () => {
    const { url, look } = await start();
    const reader = await Reader.open(url, request);
    // Half of the checks that disconnect: the kernel of a busy machine may tell the service late that the reader has read.
    for (let round = 0; round < 5; round++) {
      await look(CHECKS_WITHOUT_READ_MAX / 2);
      await reader.take(6_000_000, look);
    }
    await reader.take(BYTES.length - reader.takenBytes, look);
    expect(reader.takenBytes).toBeGreaterThanOrEqual(BYTES.length);
    reader.connection.destroy();
  });

  it('that disconnects after a check of the readers leaves nothing behind', async () => {
    const { url, server, look } = await start();
    const reader = await Reader.open(url, request);
    await wait(50);
    await look(2);
    reader.connection.destroy();
    await server.close();
  });

  it('that disconnects before a check of the readers leaves nothing behind', async () => {
    const { url, server } = await start();
    const reader = await Reader.open(url, request);
    await wait(50);
    reader.connection.destroy();
    // If the server did not notice it, this would wait.
    await server.close();
  });
});

it('a reader that reads nothing for longer than the timeout of uWS gets the whole answer, and may send another request', async () => {
  const { url, look } = await start();
  const readers = await Promise.all(REQUESTS.map(([, request]) => Reader.open(url, request)));
  await Promise.all(readers.map((reader) => reader.take(6_000_000)));
  for (let time = 0; time < CHECKS_WITHOUT_READ_MAX - 2; time++) {
    await look();
    // uWS disconnects after ten seconds of real time, which it checks every four seconds.
    await wait(1_800);
  }
  // All at once: in sequence, the last reader could wait longer than the timeout of uWS on a busy machine.
  const ask = async (reader: Reader, request: string) => {
    await reader.take(BYTES.length - reader.takenBytes);
    expect(reader.takenBytes).toBeGreaterThanOrEqual(BYTES.length);
    // The rest of the last bytes, and then another answer.
    await wait(50);
    const before = reader.takenBytes;
    reader.connection.write(head(`${request} HTTP/1.1`, 'content-length: 0'));
    await reader.take(BYTES.length / 2);
    expect(reader.takenBytes, request).toBeGreaterThan(before);
    reader.connection.destroy();
  };
  await Promise.all(readers.map((reader, index) => ask(reader, REQUESTS[index]?.[1] ?? '')));
}, 120_000);

it('a slow reader keeps the shared parts of a body in memory, and not the copy that it was offered first', async () => {
  let copy = new WeakRef<Uint8Array>(BYTES);
  const copied = prepared('GET /copied', 'copied', {
    ...COMMON,
    responses: OK,
    serve: () => {
      const whole = Buffer.from(BYTES);
      copy = new WeakRef(whole);
      return preparedAnswer(200, {}, { ...bodyOf(BYTES), buffer: whole });
    },
  });
  const { url, server } = await startTestServer([copied]);
  server.open();
  servers.push(server);
  const reader = await Reader.open(url, 'GET /copied');
  await wait(50);
  collectGarbage();
  expect(copy.deref()).toBeUndefined();
  await reader.take(BYTES.length - reader.takenBytes);
  expect(reader.takenBytes).toBeGreaterThanOrEqual(BYTES.length);
  reader.connection.destroy();
});
