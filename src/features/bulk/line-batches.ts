import { pushAll } from '../../base/lists/push-all.ts';
/** Lines that are sent to a worker together. */
export interface LineBatch {
  /** The lines with their newlines, in separate memory, because it is transferred to a worker. */
  readonly bytes: Uint8Array;
  readonly firstLine: number;
  readonly lineCount: number;
  /** Whether the body ended with this batch. */
  readonly isLast: boolean;
}

/** Maximum length of a line. A longer line is skipped and answered with an error. This limits the memory for an incomplete line. */
export const LINE_LENGTH_MAX_BYTES = 64 * 1024;

const NEWLINE = 0x0a;

/** A batch ends when it has this size, even if it has few lines. This limits the memory of a request. */
const BATCH_BYTES_MAX = 256 * 1024;

/** The number of a line that was skipped because it is too long for a context. */
export interface LongLine {
  readonly longLine: number;
}

/**
 * Splits a body into batches of at most `linesPerBatch` lines, and reads no further than the consumer requests. A line that is too long is skipped,
 * and its number is yielded at its position among the batches; the following lines are read as usual.
 */
export async function* lineBatches(
  body: AsyncIterable<Uint8Array>,
  linesPerBatch: number,
): AsyncGenerator<LineBatch | LongLine> {
  const collector = new LineCollector();
  for await (const chunk of body) {
    for (let start = 0; start < chunk.byteLength; ) {
      const newline = chunk.indexOf(NEWLINE, start);
      const end = newline < 0 ? chunk.byteLength : newline + 1;
      collector.add(chunk.subarray(start, end));
      start = end;
      if (newline < 0) continue;
      const { isTooLong } = collector;
      if (isTooLong && collector.lineCount > 0) yield collector.take(false);
      if (isTooLong) yield collector.skipLine();
      else collector.endLine();
      if (collector.lineCount >= linesPerBatch || collector.batchBytes >= BATCH_BYTES_MAX) yield collector.take(false);
    }
  }
  if (collector.isTooLong) {
    yield collector.take(false);
    yield collector.skipLine();
  } else if (collector.hasLine) collector.endLine();
  yield collector.take(true);
}

/** Collects complete lines, and the line that is not complete yet. */
class LineCollector {
  #batch: Uint8Array[] = [];
  #line: Uint8Array[] = [];
  #lineBytes = 0;
  #firstLine = 1;
  batchBytes = 0;
  lineCount = 0;

  get hasLine(): boolean {
    return this.#lineBytes > 0;
  }

  get isTooLong(): boolean {
    return this.#lineBytes > LINE_LENGTH_MAX_BYTES;
  }

  /** Adds bytes of the current line. The bytes of a line that is too long are dropped. */
  add(bytes: Uint8Array): void {
    this.#lineBytes += bytes.byteLength;
    if (this.isTooLong) this.#line = [];
    else this.#line.push(bytes);
  }

  endLine(): void {
    pushAll(this.#batch, this.#line);
    this.batchBytes += this.#lineBytes;
    this.lineCount++;
    this.#line = [];
    this.#lineBytes = 0;
  }

  /** Skips the current line. The batch must be empty: its complete lines must have been taken before. */
  skipLine(): LongLine {
    this.#line = [];
    this.#lineBytes = 0;
    return { longLine: this.#firstLine++ };
  }

  /** Returns the complete lines, and starts a new batch. */
  take(isLast: boolean): LineBatch {
    const bytes = new Uint8Array(this.batchBytes);
    let offset = 0;
    for (const part of this.#batch) {
      bytes.set(part, offset);
      offset += part.byteLength;
    }
    const batch = { bytes, firstLine: this.#firstLine, lineCount: this.lineCount, isLast };
    this.#firstLine += this.lineCount;
    this.#batch = [];
    this.batchBytes = 0;
    this.lineCount = 0;
    return batch;
  }
}
