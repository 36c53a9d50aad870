export interface RawAnswer {
  readonly status: number;
  /** Status line and headers, as sent. */
  readonly head: string;
  /** Bytes on the wire, head included. */
  readonly wireBytes: number;
  readonly bodyBytes: number;
  /** The body without its transfer encoding, when bodies are kept. */
  readonly body: Buffer | undefined;
  /** Whether the server closes the connection after this answer. */
  readonly closes: boolean;
}

const HEAD_END = Buffer.from('\r\n\r\n');
const HEAD_MAX_BYTES = 64 * 1024;

/** The value of a header in a head, or undefined. `name` in lower case. */
export function headerOf(head: string, name: string): string | undefined {
  for (let at = head.indexOf('\r\n'); at >= 0; ) {
    const end = head.indexOf('\r\n', at + 2);
    const colon = at + 2 + name.length;
    if (head[colon] === ':' && head.slice(at + 2, colon).toLowerCase() === name)
      return head.slice(colon + 1, end < 0 ? undefined : end).trim();
    at = end;
  }
  return undefined;
}

/**
 * Reads the answers of one connection, one after the other, with a content length or in chunks. Counts the bytes of bodies, and keeps the bodies if
 * `keepBody` is set.
 */
export class AnswerParser {
  readonly #keepBody: boolean;
  #pending: Buffer | undefined;
  #head: string | undefined;
  #wireBytes = 0;
  #bodyBytes = 0;
  #bodyLeft = 0;
  #chunked: ChunkReader | undefined;
  #parts: Buffer[] = [];

  constructor(keepBody: boolean) {
    this.#keepBody = keepBody;
  }

  /** Returns the answer when its last byte has arrived. @throws Error when the bytes are not HTTP. */
  push(bytes: Buffer): RawAnswer | undefined {
    this.#wireBytes += bytes.byteLength;
    let rest = bytes;
    if (this.#head === undefined) {
      const data = this.#pending ? Buffer.concat([this.#pending, bytes]) : bytes;
      const end = data.indexOf(HEAD_END);
      if (end < 0) {
        if (data.byteLength > HEAD_MAX_BYTES) throw new Error('the head of the answer is too long');
        this.#pending = data;
        return undefined;
      }
      this.#pending = undefined;
      this.#begin(data.toString('latin1', 0, end));
      rest = data.subarray(end + HEAD_END.byteLength);
    }
    if (this.#chunked) return this.#chunked.push(rest, (part) => this.#take(part)) ? this.#finish() : undefined;
    this.#bodyLeft -= rest.byteLength;
    this.#take(rest);
    if (this.#bodyLeft < 0) throw new Error('more bytes than the answer has');
    return this.#bodyLeft === 0 ? this.#finish() : undefined;
  }

  #begin(head: string): void {
    this.#head = head;
    if (!head.startsWith('HTTP/1.1 ')) throw new Error('the answer is not HTTP/1.1');
    const status = statusOf(head);
    if (status === 204 || status === 304) this.#bodyLeft = 0;
    else if (headerOf(head, 'transfer-encoding') === 'chunked') this.#chunked = new ChunkReader();
    else {
      const length = headerOf(head, 'content-length');
      if (length === undefined) throw new Error('the answer has no content-length');
      this.#bodyLeft = Number(length);
    }
  }

  #take(part: Buffer): void {
    this.#bodyBytes += part.byteLength;
    if (this.#keepBody && part.byteLength > 0) this.#parts.push(part);
  }

  #finish(): RawAnswer {
    const head = this.#head ?? '';
    const answer = {
      status: statusOf(head),
      head,
      wireBytes: this.#wireBytes,
      bodyBytes: this.#bodyBytes,
      body: this.#keepBody ? Buffer.concat(this.#parts) : undefined,
      closes: headerOf(head, 'connection') === 'close',
    };
    this.#head = undefined;
    this.#chunked = undefined;
    this.#wireBytes = 0;
    this.#bodyBytes = 0;
    this.#bodyLeft = 0;
    this.#parts = [];
    return answer;
  }
}

const statusOf = (head: string): number => Number(head.slice(9, 12));

const CARRIAGE_RETURN = 0x0d;

/** Chunked transfer encoding: sizes in hexadecimal, each followed by as many bytes, the last one 0. */
class ChunkReader {
  #line = '';
  #left = 0;
  #state: 'size' | 'data' | 'after' | 'trailer' = 'size';

  /** Returns whether the last chunk has arrived. */
  push(bytes: Buffer, take: (part: Buffer) => void): boolean {
    let at = 0;
    while (at < bytes.byteLength) {
      if (this.#state === 'data') {
        const part = bytes.subarray(at, at + this.#left);
        take(part);
        at += part.byteLength;
        this.#left -= part.byteLength;
        if (this.#left === 0) this.#state = 'after';
        continue;
      }
      const code = bytes[at++] ?? 0;
      if (code === CARRIAGE_RETURN) continue;
      if (code !== 0x0a) {
        this.#line += String.fromCharCode(code);
        continue;
      }
      if (this.#endLine()) return true;
    }
    return false;
  }

  #endLine(): boolean {
    const line = this.#line;
    this.#line = '';
    if (this.#state === 'after') this.#state = 'size';
    else if (this.#state === 'trailer') return line === '';
    else {
      this.#left = Number.parseInt(line, 16);
      if (Number.isNaN(this.#left)) throw new Error('a chunk has no size');
      this.#state = this.#left === 0 ? 'trailer' : 'data';
    }
    return false;
  }
}
