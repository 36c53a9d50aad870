import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { bodyOf, type PreparedAnswer, preparedAnswer } from '../../base/prepared-answer.ts';
import type { HeaderRecord } from '../../base/response-head.ts';
import type { RequestHead } from '../../http/endpoint.ts';
import { acceptsGzip } from '../../http/sending/accept-encoding.ts';

const compress = promisify(gzip);

/** A file that is sent from memory, in both forms. */
export interface PreparedFile {
  readonly plain: PreparedAnswer;
  readonly gzip: PreparedAnswer;
}

/** Compresses the file, once for all requests. `headers` must include `vary: accept-encoding`. */
export async function preparedFile(bytes: Uint8Array, headers: HeaderRecord): Promise<PreparedFile> {
  const compressed = await compress(bytes, { level: 9 });
  return {
    plain: preparedAnswer(200, headers, bodyOf(bytes)),
    gzip: preparedAnswer(200, { ...headers, 'content-encoding': 'gzip' }, bodyOf(compressed)),
  };
}

/** The form that the caller asks for. */
export function askedForm(head: Pick<RequestHead, 'header'>): keyof PreparedFile {
  return acceptsGzip(head.header('accept-encoding')) ? 'gzip' : 'plain';
}
