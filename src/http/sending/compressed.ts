import { promisify } from 'node:util';
import { gzip, gzipSync, type ZlibOptions } from 'node:zlib';
import { responseHead } from '../../base/response-head.ts';
import type { Exchange } from '../exchange.ts';
import { acceptsGzip } from './accept-encoding.ts';
import type { EncodedAnswer } from './encoded-answer.ts';

/** Shorter answers are not compressed: with their head, they fit into one packet anyway. */
const GZIP_BYTES_MIN = 1_000;

/** Longer texts are compressed on another thread. This length takes about 0.3 ms, hardly more than passing it to another thread. */
const SYNC_BYTES_MAX = 32 * 1024;

/** The fastest level. The objects of a list are very similar to each other, so a higher level saves only a tenth of the size, for twice the work. */
export const GZIP_LEVEL = 1;

const OPTIONS: ZlibOptions = { level: GZIP_LEVEL, chunkSize: 64 * 1024 };

const gzipAside = promisify(gzip) as (bytes: Uint8Array, options: ZlibOptions) => Promise<Buffer>;

export const GZIPPED = { 'content-encoding': 'gzip' };

/** Whether the answer is compressed if it is long enough: it is JSON, and the caller asks for gzip. */
export function mayCompress({ acceptEncoding }: Exchange, { headers }: EncodedAnswer): boolean {
  return acceptEncoding !== '' && acceptsGzip(acceptEncoding) && (headers['content-type']?.includes('json') ?? false);
}

/** Whether a text is so long that compressing it saves something. */
export function isLongEnough(text: string): boolean {
  return text.length >= GZIP_BYTES_MIN || Buffer.byteLength(text) >= GZIP_BYTES_MIN;
}

/** Whether this answer with a text is sent by `sendCompressed`. */
export function isCompressed(exchange: Exchange, answer: EncodedAnswer): boolean {
  return answer.text !== undefined && mayCompress(exchange, answer) && isLongEnough(answer.text);
}

/**
 * Compresses the text of an answer and sends it. A short one is sent in this turn of the event loop, because another request may follow immediately on the
 * connection.
 */
export function sendCompressed(
  exchange: Exchange,
  answer: EncodedAnswer,
  closeConnection: boolean,
): Promise<void> | undefined {
  const { response, headers, headOnly } = exchange;
  const { heads } = answer.packed ?? {};
  const head = heads?.get(headers) ?? responseHead(answer.status, headers, answer.headers, GZIPPED);
  heads?.set(headers, head);
  const send = (bytes: Uint8Array | undefined) => {
    if (exchange.over) return;
    response.cork(() => {
      response.writeHead(head);
      // The length of the body is not known, because nothing is compressed for a HEAD request.
      if (bytes === undefined) response.endHead(undefined, closeConnection);
      else response.endBody(bytes, closeConnection);
    });
    exchange.end();
  };
  const bytes = headOnly ? undefined : compressedOnce(answer);
  if (bytes instanceof Promise) return bytes.then(send);
  send(bytes);
  return undefined;
}

function compressedOnce({ text = '', packed }: EncodedAnswer): Uint8Array | Promise<Uint8Array> {
  if (packed?.bytes) return packed.bytes;
  const made = compressed(Buffer.from(text));
  if (packed) {
    packed.bytes = made;
    if (made instanceof Promise) made.then((bytes) => (packed.bytes = bytes)).catch(() => delete packed.bytes);
  }
  return made;
}

function compressed(bytes: Buffer): Uint8Array | Promise<Uint8Array> {
  return bytes.byteLength > SYNC_BYTES_MAX ? gzipAside(bytes, OPTIONS) : gzipSync(bytes, OPTIONS);
}
