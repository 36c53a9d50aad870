import type { Logger } from '../../base/logger.ts';
import { UpstreamError } from './upstream-error.ts';

export interface AnswerMemoryLimits {
  /** Of one answer, or of one event of a stream, unpacked. */
  readonly eachBytes: number;
  /** Of all that are in memory at a time; at least as much. */
  readonly totalBytes: number;
}

/** What a piece costs beside its bytes: an answer may come byte by byte. */
export const PIECE_BYTES = 256;

/** How often it is logged that answers wait. */
const QUIET_MS = 60_000;

/** Who waits for room, and for how much. */
interface Waiting {
  readonly share: AnswerShare;
  readonly bytes: number;
  readonly granted: () => void;
}

/**
 * Bounds what answers of upstream take in memory at a time, from their first byte until what they say is part of the state. An answer that finds no room
 * waits and is read no further. One of them at a time has a reserve of its own, as large as an answer may be: whatever the others need, one can always be
 * read to its end, so none waits for ever.
 */
export class AnswerMemory {
  readonly limits: AnswerMemoryLimits;
  readonly #logger: Pick<Logger, 'warn'>;
  #pooledBytes = 0;
  #ownPlace: AnswerShare | undefined;
  readonly #waiting: Waiting[] = [];
  #bytes = 0;
  #quietUntilMs = Number.NEGATIVE_INFINITY;
  /** Answers that were given up because they were larger than one may be, since this process began. */
  tooLarge = 0;

  constructor(limits: AnswerMemoryLimits, logger: Pick<Logger, 'warn'>) {
    this.limits = limits;
    this.#logger = logger;
  }

  /** What is in memory now. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Answers that wait for room now. */
  get waiting(): number {
    return this.#waiting.length;
  }

  /** For one answer, which takes what it needs as it comes. The code that begins it gives it back. */
  begin(): AnswerShare {
    return new AnswerShare(this);
  }

  /** @internal Undefined: there was room. @throws UpstreamError when it is more than one answer may be */
  take(share: AnswerShare, bytes: number): Promise<void> | undefined {
    const { eachBytes } = this.limits;
    if (share.bytes + bytes > eachBytes) {
      this.tooLarge++;
      throw new UpstreamError(`one answer is larger than ${eachBytes} bytes (UPSTREAM_ANSWER_MB)`);
    }
    // Others may wait for the one that has the reserve.
    const isNext = this.#waiting.length === 0 || this.#ownPlace === share;
    if (isNext && this.#grant(share, bytes)) return undefined;
    this.#tell();
    return new Promise((granted) => this.#waiting.push({ share, bytes, granted }));
  }

  /** @internal */
  give(share: AnswerShare): void {
    this.#bytes -= share.bytes;
    if (this.#ownPlace === share) this.#ownPlace = undefined;
    else this.#pooledBytes -= share.bytes;
    share.bytes = 0;
    const at = this.#waiting.findIndex((waiting) => waiting.share === share);
    if (at >= 0) for (const { granted } of this.#waiting.splice(at, 1)) granted();
    for (let [first] = this.#waiting; first && this.#grant(first.share, first.bytes); [first] = this.#waiting) {
      this.#waiting.shift();
      first.granted();
    }
  }

  /** Many lists that come at once wait again and again until all are read. */
  #tell(): void {
    const nowMs = performance.now();
    if (nowMs < this.#quietUntilMs) return;
    this.#quietUntilMs = nowMs + QUIET_MS;
    this.#logger.warn(
      { bytes: this.#bytes },
      'answers of upstream wait for memory: they come to as much as UPSTREAM_MEMORY_MB allows',
    );
  }

  #grant(share: AnswerShare, bytes: number): boolean {
    const { eachBytes, totalBytes } = this.limits;
    if (this.#ownPlace !== share) {
      if (this.#pooledBytes + bytes <= totalBytes - eachBytes) this.#pooledBytes += bytes;
      else if (this.#ownPlace) return false;
      else {
        this.#ownPlace = share;
        this.#pooledBytes -= share.bytes;
      }
    }
    share.bytes += bytes;
    this.#bytes += bytes;
    return true;
  }
}

/** What one answer holds. */
class AnswerShare {
  readonly #memory: AnswerMemory;
  #isOver = false;
  bytes = 0;

  constructor(memory: AnswerMemory) {
    this.#memory = memory;
  }

  /** Takes room for what has come; a promise to wait for where there is none. @throws UpstreamError when the answer is larger than one may be */
  take(bytes: number): Promise<void> | undefined {
    return this.#isOver || bytes === 0 ? undefined : this.#memory.take(this, bytes);
  }

  /** Nothing of the answer is in memory any more, and nothing of it is taken later. */
  give(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#memory.give(this);
  }
}
