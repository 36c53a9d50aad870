import { invalid, type Rejection } from '../base/rejection.ts';

/** Lines that go to a worker together. */
export interface LineBatch {
  /** The lines with their newlines, in memory of their own: it is given away to a worker. */
  readonly bytes: Uint8Array;
  readonly firstLine: number;
  readonly lineCount: number;
  /** Whether the body ended with this batch. */
  readonly last: boolean;
}

/** A longer line is no context. Bounds what has to be held before a line is complete. */
export const LINE_LENGTH_MAX_BYTES = 64 * 1024;

const NEWLINE = 0x0a;

/**
 * Cuts a body into batches of at most `linesPerBatch` lines, reading no further than the consumer asks. Yields a rejection, as the last
 * thing, when a line is too long to be one.
 */
export async function* lineBatches(
  body: AsyncIterable<Uint8Array>,
  linesPerBatch: number,
): AsyncGenerator<LineBatch | Rejection> {
  let pending: Uint8Array[] = [];
  let pendingBytes = 0;
  let lineCount = 0;
  let sinceNewline = 0;
  let firstLine = 1;
  const take = (last: boolean): LineBatch => {
    const bytes = new Uint8Array(pendingBytes);
    let offset = 0;
    for (const part of pending) {
      bytes.set(part, offset);
      offset += part.byteLength;
    }
    const batch = { bytes, firstLine, lineCount: lineCount + (sinceNewline > 0 ? 1 : 0), last };
    firstLine += lineCount;
    pending = [];
    pendingBytes = 0;
    lineCount = 0;
    return batch;
  };
  for await (const chunk of body) {
    let start = 0;
    for (let end = chunk.indexOf(NEWLINE); end >= 0; end = chunk.indexOf(NEWLINE, end + 1)) {
      lineCount++;
      sinceNewline = 0;
      if (lineCount < linesPerBatch) continue;
      pending.push(chunk.subarray(start, end + 1));
      pendingBytes += end + 1 - start;
      start = end + 1;
      yield take(false);
    }
    const rest = chunk.subarray(start);
    if (rest.byteLength === 0) continue;
    pending.push(rest);
    pendingBytes += rest.byteLength;
    sinceNewline = rest.byteLength - (rest.lastIndexOf(NEWLINE) + 1) + (rest.includes(NEWLINE) ? 0 : sinceNewline);
    if (sinceNewline > LINE_LENGTH_MAX_BYTES) {
      yield invalid(`Line ${firstLine + lineCount} is longer than ${LINE_LENGTH_MAX_BYTES} bytes.`);
      return;
    }
  }
  yield take(true);
}
