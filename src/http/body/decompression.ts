import { pipeline, Readable, type Transform } from 'node:stream';
import { constants, createGunzip, createInflate, createInflateRaw, type ZlibOptions } from 'node:zlib';
import { invalid, Rejection, RejectionError } from '../../base/rejection.ts';
import { BodyCollector } from './body-collector.ts';
import { bodyTooLarge } from './stated-body.ts';

/** How the bytes of a body are compressed. */
export type BodyCoding = 'gzip' | 'deflate';

/** The values of `content-encoding` that are accepted. `x-gzip` is an old name of gzip (RFC 9110, 8.4.1.3). */
const CODINGS: ReadonlyMap<string, BodyCoding | undefined> = new Map([
  ['', undefined],
  ['identity', undefined],
  ['gzip', 'gzip'],
  ['x-gzip', 'gzip'],
  ['deflate', 'deflate'],
]);

/**
 * Bytes that compressed bodies may have together after decompression, until they are parsed; at least the largest body. Without this limit, a caller
 * could fill the memory with a thousandth of the bytes.
 */
export const DECOMPRESSED_BYTES_MAX = 64_000_000;

/** Maximum number of bodies that are decompressed at the same time. zlib has fewer threads, and to begin all at once would block the event loop. */
const DECOMPRESSED_MAX = 8;

/** The bytes of `DECOMPRESSED_BYTES_MAX` that a body counts, because its size is not known before. */
export function countedBytes(limitBytes: number): number {
  return Math.max(limitBytes, DECOMPRESSED_BYTES_MAX / DECOMPRESSED_MAX);
}

/** Larger than the default of zlib: a body of a megabyte needs 16 turns of the event loop, not 64. */
const CHUNK_BYTES = 64 * 1024;

/**
 * The largest factor by which deflate data grows. A buffer of this size never has to grow: copying 32 MB would block the event loop. Memory that is not
 * written costs nothing.
 */
const GROWTH_MAX = 1_032;

const OPTIONS: ZlibOptions = { chunkSize: CHUNK_BYTES, finishFlush: constants.Z_FINISH };

/** How a body with this header is compressed; undefined: it is not. */
export function bodyCodingOf(contentEncoding: string): BodyCoding | undefined | Rejection {
  const name = contentEncoding.trim().toLowerCase();
  if (CODINGS.has(name)) return CODINGS.get(name);
  return new Rejection(
    'ContentTypeerror',
    `We do not accept the content-encoding "${contentEncoding.slice(0, 100)}". Send the body compressed with gzip or deflate, or not compressed.`,
  );
}

/**
 * Decompresses a body at the pace of its reader. zlib works on another thread, one chunk at a time, so that neither the event loop nor memory depends on
 * how much the body grows. The iteration throws `RejectionError` if the body is damaged, or larger than the limit before or after decompression.
 */
export async function* decompressed(
  source: Iterable<Uint8Array> | AsyncIterable<Uint8Array>,
  coding: BodyCoding,
  limitBytes: number,
): AsyncGenerator<Uint8Array, void, void> {
  const received = new ReceivedBytes(source, limitBytes);
  const inflater = inflaterFor(coding, await received.first());
  // An error of one end destroys the other one; the reader below gets it.
  pipeline(Readable.from(received), inflater, () => {});
  let sizeBytes = 0;
  try {
    for await (const chunk of inflater as AsyncIterable<Uint8Array>) {
      sizeBytes += chunk.byteLength;
      if (sizeBytes > limitBytes) throw tooLarge(limitBytes);
      yield chunk;
    }
  } catch (error) {
    throw isZlibError(error) ? damaged(coding, error.code) : error;
  }
  if (inflater.bytesWritten < received.sizeBytes) {
    throw new RejectionError(invalid(`The body has further bytes after the end of its ${coding} data.`));
  }
}

/** The body, decompressed and in one piece; undefined if `isOver` became true before its end. */
export async function decompressedWhole(
  bytes: Uint8Array,
  coding: BodyCoding,
  limitBytes: number,
  isOver: () => boolean,
): Promise<Uint8Array | Rejection | undefined> {
  let first: Uint8Array | undefined;
  let collector: BodyCollector | undefined;
  try {
    for await (const chunk of decompressed([bytes], coding, limitBytes)) {
      if (isOver()) return undefined;
      if (first === undefined) {
        first = chunk;
        continue;
      }
      if (collector === undefined) {
        collector = new BodyCollector(limitBytes, bytes.byteLength * GROWTH_MAX);
        collector.add(first);
      }
      collector.add(chunk);
    }
    return collector?.take() ?? first ?? new Uint8Array(0);
  } catch (error) {
    if (error instanceof RejectionError) return error.rejection;
    throw error;
  }
}

/** The compressed chunks. Counts them, and refuses more than the limit: a body may be long although it decompresses to nothing. */
class ReceivedBytes implements AsyncIterable<Uint8Array> {
  readonly #chunks: AsyncIterator<Uint8Array> | Iterator<Uint8Array>;
  readonly #limitBytes: number;
  #first: Uint8Array | undefined;
  sizeBytes = 0;

  constructor(source: Iterable<Uint8Array> | AsyncIterable<Uint8Array>, limitBytes: number) {
    this.#chunks = Symbol.asyncIterator in source ? source[Symbol.asyncIterator]() : source[Symbol.iterator]();
    this.#limitBytes = limitBytes;
  }

  /** The first chunk, which the iteration also returns; undefined if the body is empty. */
  async first(): Promise<Uint8Array | undefined> {
    const { done, value } = await this.#chunks.next();
    this.#first = done ? undefined : value;
    return this.#first;
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Uint8Array, void, void> {
    for (let chunk = this.#first; chunk; ) {
      this.sizeBytes += chunk.byteLength;
      if (this.sizeBytes > this.#limitBytes) throw tooLarge(this.#limitBytes);
      yield chunk;
      const { done, value } = await this.#chunks.next();
      chunk = done ? undefined : value;
    }
  }
}

type Inflater = Transform & { readonly bytesWritten: number };

/** `deflate` means the format of zlib (RFC 1950), but some clients send its content without a head (RFC 1951). The first byte of a head ends with 8. */
function inflaterFor(coding: BodyCoding, first: Uint8Array | undefined): Inflater {
  if (coding === 'gzip') return createGunzip(OPTIONS);
  const hasHead = first === undefined || ((first[0] ?? 0) & 0x0f) === 8;
  return hasHead ? createInflate(OPTIONS) : createInflateRaw(OPTIONS);
}

function tooLarge(limitBytes: number): RejectionError {
  return new RejectionError(bodyTooLarge(limitBytes));
}

function isZlibError(error: unknown): error is Error & { readonly code: string } {
  const { code } = error as { code?: unknown };
  return typeof code === 'string' && code.startsWith('Z_');
}

function damaged(coding: BodyCoding, code: string): RejectionError {
  return new RejectionError(
    invalid(
      code === 'Z_BUF_ERROR'
        ? `The body ends before its ${coding} data does.`
        : `The body is not valid ${coding} data, as its content-encoding says.`,
    ),
  );
}
