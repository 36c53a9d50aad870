import { type Clock, isoTime } from '../base/clock.ts';
import type { Logger } from '../base/logger.ts';
import { REFUSALS, type RefusalReason, type WriteRefusal } from '../stores/refusal-texts.ts';
import { type Store, StoreError } from '../stores/store.ts';
import type { AppendWitness } from './append-gate.ts';

/** How often the store is asked whether it would accept a write. So the reported reason is not older than this, even if there are no writes. */
const PROBE_MS = 1_000;

/** A reason for which writes are refused. */
export interface Obstacle {
  readonly reason: RefusalReason;
  readonly message: string;
  /** Since when writes are refused, as an RFC 3339 time; missing if it is not known. */
  readonly since?: string;
}

interface WriteRefusalParts {
  readonly store: Pick<Store, 'status' | 'probe'>;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Returns why this process cannot write, even if the store accepts writes; null when it can. */
  readonly obstacle: () => Obstacle | null;
}

/**
 * The only source of information about refused writes: whether writes are refused, why, since when, and the advice for operators. Its inputs are the
 * results of appends from the append gate, the store's status, the obstacles of this process itself, and a check of the store every second.
 */
export class WriteRefusals implements AppendWitness {
  readonly #parts: WriteRefusalParts;
  readonly #closing = new AbortController();
  /** Why the newest append or probe was refused; null when it was accepted. */
  #storeObstacle: Obstacle | null = null;
  #since: string | null = null;
  #reported: RefusalReason | null = null;
  #probing: Promise<void> | undefined;

  constructor(parts: WriteRefusalParts) {
    this.#parts = parts;
  }

  /** Why writes are refused, and since when; null when writes are accepted. */
  get current(): WriteRefusal | null {
    const obstacle = this.#obstacle();
    if (!obstacle) {
      this.#since = null;
      return null;
    }
    const { reason, message } = obstacle;
    this.#since ??= obstacle.since ?? isoTime(this.#parts.clock.nowMs());
    return { reason, since: this.#since, message, advice: REFUSALS[reason].advice };
  }

  appended(): void {
    this.#storeObstacle = null;
    this.#report();
  }

  failed({ refusal: reason, message }: StoreError): void {
    if (!reason) return;
    this.#storeObstacle = { reason, message };
    this.#report();
  }

  start(): void {
    this.#probing ??= this.#probeRegularly();
  }

  async close(): Promise<void> {
    this.#closing.abort();
    await this.#probing;
  }

  async #probeRegularly(): Promise<void> {
    const { store, clock, logger } = this.#parts;
    const { signal } = this.#closing;
    while (!signal.aborted) {
      try {
        await store.probe();
        this.appended();
      } catch (error) {
        if (error instanceof StoreError) this.failed(error);
        else logger.error({ err: error }, 'it is not known whether the store accepts writes: the check failed');
      }
      await clock.sleep(PROBE_MS, signal);
    }
  }

  #obstacle(): Obstacle | null {
    const status = this.#parts.store.status();
    if (!status.reachable) {
      const { refusal = 'unreachable', reason: message, since } = status;
      return { reason: refusal, message, since };
    }
    return this.#parts.obstacle() ?? this.#storeObstacle;
  }

  #report(): void {
    const { logger } = this.#parts;
    const { current } = this;
    if (this.#reported === (current?.reason ?? null) || this.#closing.signal.aborted) return;
    this.#reported = current?.reason ?? null;
    if (current) logger.error({ ...current }, `writes are refused: ${REFUSALS[current.reason].cause}`);
    else logger.info('writes are accepted again');
  }
}
