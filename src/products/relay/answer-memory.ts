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
interface Waiting {
  readonly share: AnswerShare;
  readonly bytes: number;
  readonly granted: () => void;
}

/**
 * Limits the memory for answers of upstream, from their first byte until their content is part of the state. An answer waits while there is no
 * capacity, and is not read further. One answer at a time may use a reserve with the maximum size of an answer: it can always be read to its
 * end, independent of the others, so no answer waits forever.
 */
export class AnswerMemory {
  readonly limits: AnswerMemoryLimits;
  readonly #logger: Pick<Logger, 'warn'>;
  #pooledBytes = 0;
  #ownNetwork: AnswerShare | undefined;
  readonly #waiting: Waiting[] = [];
  #bytes = 0;
  #quietUntilMs = Number.NEGATIVE_INFINITY;
  /** Number of answers that were discarded because they exceeded `eachBytes`, since the start of the process. */
  tooLarge = 0;

  constructor(limits: AnswerMemoryLimits, logger: Pick<Logger, 'warn'>) {
    this.limits = limits;
    this.#logger = logger;
  }

  /** Memory in use now. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Number of answers that wait for memory now. */
  get waiting(): number {
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
      this.tooLarge++;
      throw new UpstreamError(`one answer is larger than ${eachBytes} bytes (UPSTREAM_ANSWER_MB)`);
    }
    // The answer with the reserve must not queue: the others may wait for it.
    const isNext = this.#waiting.length === 0 || this.#ownNetwork === share;
    if (isNext && this.#grant(share, bytes)) return undefined;
    this.#report();
    return new Promise((granted) => this.#waiting.push({ share, bytes, granted }));
  }

  /** @internal */
  give(share: AnswerShare): void {
    this.#bytes -= share.bytes;
    if (this.#ownNetwork === share) this.#ownNetwork = undefined;
    else this.#pooledBytes -= share.bytes;
    share.bytes = 0;
    const at = this.#waiting.findIndex((waiting) => waiting.share === share);
    if (at >= 0) for (const { granted } of this.#waiting.splice(at, 1)) granted();
    for (let [first] = this.#waiting; first && this.#grant(first.share, first.bytes); [first] = this.#waiting) {
      this.#waiting.shift();
      first.granted();
    }
  }

  /** Logs with a minimum interval: when many lists arrive at the same time, answers wait repeatedly. */
  #report(): void {
    const nowMs = performance.now();
    if (nowMs < this.#quietUntilMs) return;
    this.#quietUntilMs = nowMs + QUIET_MS;
    this.#logger.warn(
      { bytes: this.#bytes },
      'answers of upstream wait for memory: the limit UPSTREAM_MEMORY_MB is reached',
    );
  }

  #grant(share: AnswerShare, bytes: number): boolean {
    const { eachBytes, totalBytes } = this.limits;
    if (this.#ownNetwork !== share) {
      if (this.#pooledBytes + bytes <= totalBytes - eachBytes) this.#pooledBytes += bytes;
      else if (this.#ownNetwork) return false;
      else {
        this.#ownNetwork = share;
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
  #isOver = false;
  bytes = 0;

  constructor(memory: AnswerMemory) {
    this.#memory = memory;
  }

  /** Takes memory for received bytes; returns a promise if the caller must wait. @throws UpstreamError when the answer is too large */
  take(bytes: number): Promise<void> | undefined {
    return this.#isOver || bytes === 0 ? undefined : this.#memory.take(this, bytes);
  }

  /** Releases the memory of the answer; later calls of `take` have no effect. */
  give(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#memory.give(this);
  }
}
