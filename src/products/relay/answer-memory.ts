import type { Logger } from '../../base/logger.ts';
import { UpstreamError } from './upstream-error.ts';

export interface AnswerMemoryLimits {
  /** Maximum size of one answer, or of one event of a stream, after decompression. */
  readonly eachBytes: number;
  /** Maximum size of all answers in memory; at least `eachBytes`. */
  readonly totalBytes: number;
}

/** Memory overhead of a piece: an answer may arrive byte by byte. */
export const PIECE_BYTES = 256;

/** Minimum interval between two log messages about waiting answers. */
const QUIET_MS = 60_000;

/** An answer that waits for memory. `bytes` is the memory that it needs. */
interface WaitingAnswer {
  readonly share: AnswerShare;
  readonly bytes: number;
  readonly onGranted: () => void;
}

/**
 * Limits the memory for answers of upstream, from their first byte until their content is part of the state. An answer waits while there is no
 * capacity, and is not read further. One answer at a time may use a reserve with the maximum size of an answer: this answer can always be read to its
 * end, independent of the other answers, so no answer waits forever.
 */
export class AnswerMemory {
  readonly limits: AnswerMemoryLimits;
  readonly #logger: Pick<Logger, 'warn'>;
  #pooledBytes = 0;
  #reserveHolder: AnswerShare | undefined;
  readonly #waiting: WaitingAnswer[] = [];
  #bytes = 0;
  #quietUntilMs = Number.NEGATIVE_INFINITY;
  /** Number of answers that were discarded because they exceeded `eachBytes`, since the start of the process. */
  tooLargeCount = 0;

  constructor(limits: AnswerMemoryLimits, logger: Pick<Logger, 'warn'>) {
    this.limits = limits;
    this.#logger = logger;
  }

  /** Memory in use now. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Number of answers that wait for memory now. */
  get waitingCount(): number {
    return this.#waiting.length;
  }

  /** Starts the accounting for one answer: its memory grows with each received piece. The caller must release it with `give`. */
  begin(): AnswerShare {
    return new AnswerShare(this);
  }

  /** @internal Returns undefined when the memory is granted immediately. @throws UpstreamError when the answer exceeds `eachBytes` */
  take(share: AnswerShare, bytes: number): Promise<void> | undefined {
    const { eachBytes } = this.limits;
    if (share.bytes + bytes > eachBytes) {
      this.tooLargeCount++;
      throw new UpstreamError(`one answer is larger than ${eachBytes} bytes (UPSTREAM_ANSWER_MB)`);
    }
    // The answer with the reserve must not queue, because the waiting answers may wait for its end.
    const isNext = this.#waiting.length === 0 || this.#reserveHolder === share;
    if (isNext && this.#grant(share, bytes)) return undefined;
    this.#logWaiting();
    return new Promise((onGranted) => this.#waiting.push({ share, bytes, onGranted }));
  }

  /** @internal */
  give(share: AnswerShare): void {
    this.#bytes -= share.bytes;
    if (this.#reserveHolder === share) this.#reserveHolder = undefined;
    else this.#pooledBytes -= share.bytes;
    share.bytes = 0;
    const index = this.#waiting.findIndex((waiting) => waiting.share === share);
    if (index >= 0) for (const { onGranted } of this.#waiting.splice(index, 1)) onGranted();
    for (let [first] = this.#waiting; first && this.#grant(first.share, first.bytes); [first] = this.#waiting) {
      this.#waiting.shift();
      first.onGranted();
    }
  }

  /** Logs with a minimum interval: when many lists arrive at the same time, answers wait repeatedly. */
  #logWaiting(): void {
    const nowMs = performance.now();
    if (nowMs < this.#quietUntilMs) return;
    this.#quietUntilMs = nowMs + QUIET_MS;
    this.#logger.warn(
      { bytes: this.#bytes },
      'answers of upstream wait for memory: the limit UPSTREAM_MEMORY_MB is reached. If this lasts, raise it',
    );
  }

  #grant(share: AnswerShare, bytes: number): boolean {
    const { eachBytes, totalBytes } = this.limits;
    if (this.#reserveHolder !== share) {
      if (this.#pooledBytes + bytes <= totalBytes - eachBytes) this.#pooledBytes += bytes;
      else if (this.#reserveHolder) return false;
      else {
        this.#reserveHolder = share;
        this.#pooledBytes -= share.bytes;
      }
    }
    share.bytes += bytes;
    this.#bytes += bytes;
    return true;
  }
}

/** The memory of one answer. */
class AnswerShare {
  readonly #memory: AnswerMemory;
  #isReleased = false;
  bytes = 0;

  constructor(memory: AnswerMemory) {
    this.#memory = memory;
  }

  /** Takes memory for received bytes; returns a promise if the caller must wait. @throws UpstreamError when the answer is too large */
  take(bytes: number): Promise<void> | undefined {
    return this.#isReleased || bytes === 0 ? undefined : this.#memory.take(this, bytes);
  }

  /** Releases the memory of the answer; later calls of `take` have no effect. */
  give(): void {
    if (this.#isReleased) return;
    this.#isReleased = true;
    this.#memory.give(this);
  }
}
