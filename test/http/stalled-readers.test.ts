import { setTimeout as wait } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import Type from 'typebox';
import { afterEach, describe, expect, it } from 'vitest';
import { bodyOf, preparedAnswer } from '../../src/base/prepared-answer.ts';
import { STILL_LOOKS_MAX } from '../../src/http/sending/reader-watch.ts';
import type { HttpServer } from '../../src/http/server.ts';
import { endpoint, prepared, startTestServer, streamed } from '../support/http-server.ts';
import { ManualClock } from '../support/manual-clock.ts';
import { head, RawConnection } from '../support/raw-http.ts';

setFlagsFromString('--expose_gc');
const collectGarbage = runInNewContext('gc') as () => void;

const FACTS = { tag: 'Test', summary: '', access: { permission: 'NONE' }, errors: [] } as const;
const OK = { 200: { description: '', schema: Type.Unknown() } };

/** Far more than the kernel keeps for a reader who takes nothing. */
const BYTES = Buffer.alloc(40_000_000, 'abcdefghijklmnopqrstuvwxyz');
const PIECE = 100_000;

const large = prepared({
  ...FACTS,
  operationId: 'large',
  method: 'get',
  path: '/large',
  responses: OK,
  serve: () => preparedAnswer(200, {}, bodyOf(BYTES)),
});

function* pieces(): Generator<string> {
  for (let at = 0; at < BYTES.length; at += PIECE) yield BYTES.toString('latin1', at, at + PIECE);
}

const made = endpoint({
  ...FACTS,
  operationId: 'made',
  method: 'get',
  path: '/made',
  responses: OK,
  handle: () => ({ status: 200, pieces: pieces() }),
});

async function* chunks(): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < BYTES.length; at += PIECE) yield BYTES.subarray(at, at + PIECE);
}

const flowing = streamed({
  ...FACTS,
  operationId: 'flowing',
  method: 'post',
  path: '/flowing',
  contentTypes: [],
  responses: OK,
  handle: async () => ({ status: 200, headers: {}, chunks: chunks() }),
});

const REQUESTS = [
  ['bytes that were ready', 'GET /large'],
  ['an answer that is made while it is sent', 'GET /made'],
  ['an answer that flows', 'POST /flowing'],
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
  /** Time for so many looks at readers. */
  const look = async (times = 1) => {
    for (let time = 0; time < times; time++) {
      clock.advance(5_000);
      await wait(1);
    }
  };
  return { url, server, look };
}

/** Takes something of an answer, and then nothing. */
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
   * Takes at least so many bytes more, unless the connection is closed before. `look` is called every three seconds: the service looks at its readers at least so
   * often, and without that the server underneath cuts them on a machine that stands still for ten.
   */
  async take(bytes: number, look?: () => Promise<void>): Promise<void> {
    const { socket } = this.connection;
    const enough = this.takenBytes + bytes;
    let lookedMs = performance.now();
    socket.resume();
    while (this.takenBytes < enough && !this.#isClosed) {
      await wait(1);
      if (performance.now() - lookedMs < 3_000) continue;
      lookedMs = performance.now();
      await look?.();
    }
    socket.pause();
  }
}

describe.each(REQUESTS)('a reader of %s', (_, request) => {
  it('who takes nothing for a minute is cut', async () => {
    const { url, server, look } = await start();
    const reader = await Reader.open(url, request);
    // Resolves when nothing is under way any more.
    let isOver = false;
    const closing = server.close().then(() => {
      isOver = true;
    });
    let looks = 0;
    for (; !isOver; looks++) await look();
    await closing;
    expect(looks).toBeGreaterThan(STILL_LOOKS_MAX);
    // It was not uWS: ten seconds have not gone by.
    expect(looks).toBeLessThan(1_000);
    await reader.take(BYTES.length);
    expect(reader.takenBytes).toBeLessThan(BYTES.length);
  });

  it('who takes something now and then gets all of it, however long that takes', async () => {
    const { url, look } = await start();
    const reader = await Reader.open(url, request);
    for (let round = 0; round < 4; round++) {
      await look(STILL_LOOKS_MAX - 2);
      await reader.take(6_000_000, look);
    }
    await reader.take(BYTES.length - reader.takenBytes, look);
    expect(reader.takenBytes).toBeGreaterThanOrEqual(BYTES.length);
    reader.connection.destroy();
  });

  it('who leaves while he is held leaves nothing behind', async () => {
    const { url, server, look } = await start();
    const reader = await Reader.open(url, request);
    await wait(50);
    await look(2);
    reader.connection.destroy();
    await server.close();
  });

  it('who leaves while he is waited for leaves nothing behind', async () => {
    const { url, server } = await start();
    const reader = await Reader.open(url, request);
    await wait(50);
    reader.connection.destroy();
    // Were it not noticed, this would wait for it.
    await server.close();
  });
});

it('a reader who takes nothing for longer than the server underneath waits gets all of an answer, and may ask again', async () => {
  const { url, look } = await start();
  const readers = await Promise.all(REQUESTS.map(([, request]) => Reader.open(url, request)));
  await Promise.all(readers.map((reader) => reader.take(6_000_000)));
  for (let time = 0; time < STILL_LOOKS_MAX - 2; time++) {
    await look();
    // uWS cuts after ten seconds, which it looks at every four, whatever our clock says.
    await wait(1_800);
  }
  // All at once: on a busy machine the last one would wait for the others longer than the server underneath does.
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

it('a slow reader keeps the parts of a body, which it shares with others, and not the copy that it was offered first', async () => {
  let copy = new WeakRef<Uint8Array>(BYTES);
  const copied = prepared({
    ...FACTS,
    operationId: 'copied',
    method: 'get',
    path: '/copied',
    responses: OK,
    serve: () => {
      const whole = Buffer.from(BYTES);
      copy = new WeakRef(whole);
      return preparedAnswer(200, {}, { ...bodyOf(BYTES), whole });
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
