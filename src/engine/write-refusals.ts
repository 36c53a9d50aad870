import { type Clock, isoTime } from '../base/clock.ts';
import type { Logger } from '../base/logger.ts';
import { type Store, StoreError } from '../stores/store.ts';
import { REFUSALS, type RefusalReason, type WriteRefusal } from '../stores/write-refusal.ts';
import type { AppendWitness } from './append-gate.ts';

/** How often the store is asked whether it would take a write: what is reported here is no older, also when there are no writes. */
const LOOK_MS = 1_000;

/** What keeps writes from being taken. */
export interface Obstacle {
  readonly reason: RefusalReason;
  readonly message: string;
  /** RFC 3339; left out when it was not noted. */
  readonly since?: string;
}

interface WriteRefusalParts {
  readonly store: Pick<Store, 'status' | 'probe'>;
  readonly clock: Clock;
  readonly logger: Logger;
  /** What keeps this process from writing, however well its store is. */
  readonly obstacle: () => Obstacle | null;
}

/**
 * The only source for whether writes are refused, why, since when, and what to do. Its inputs are the results of appends from the append
 * gate, the store's status, the obstacles of this process itself, and a check of the store every second.
 */
export class WriteRefusals implements AppendWitness {
  readonly #parts: WriteRefusalParts;
  readonly #closing = new AbortController();
  /** What the newest append or look met; null when it went well. */
  #met: Obstacle | null = null;
  #since: string | null = null;
  #reported: RefusalReason | null = null;
  #looking: Promise<void> | undefined;

  constructor(parts: WriteRefusalParts) {
    this.#parts = parts;
  }

  /** Null: writes are taken. */
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
    this.#met = null;
    this.#report();
  }

  failed({ refusal: reason, message }: StoreError): void {
    if (!reason) return;
    this.#met = { reason, message };
    this.#report();
  }

  start(): void {
    this.#looking ??= this.#look();
  }

  async close(): Promise<void> {
    this.#closing.abort();
    await this.#looking;
  }

  async #look(): Promise<void> {
    const { store, clock, logger } = this.#parts;
    const { signal } = this.#closing;
    while (!signal.aborted) {
      try {
        await store.probe();
        this.appended();
      } catch (error) {
        if (error instanceof StoreError) this.failed(error);
        else logger.error({ err: error }, 'it could not be found out whether writes are taken');
      }
      await clock.sleep(LOOK_MS, signal);
    }
  }

  #obstacle(): Obstacle | null {
    const status = this.#parts.store.status();
    if (!status.reachable) {
      const { refusal = 'unreachable', reason: message, since } = status;
      return { reason: refusal, message, since };
    }
    return this.#parts.obstacle() ?? this.#met;
  }

  #report(): void {
    const { logger } = this.#parts;
    const { current } = this;
    if (this.#reported === (current?.reason ?? null) || this.#closing.signal.aborted) return;
    this.#reported = current?.reason ?? null;
    if (current) logger.error({ ...current }, `writes are refused: ${REFUSALS[current.reason].says}`);
    else logger.info('writes are taken again');
  }
}
