import { isShared } from '../stores/shared-store.ts';
import { type AppendBatch, type AppendOutcome, type EventEntry, type Store, StoreError } from '../stores/store.ts';
import type { Replica } from './replica.ts';

/**
 * When the buffer of audit events has grown to twice this number or size, it is cut back to it. A refill puts the buffered events back into a shared
 * store that lost them.
 */
const KEPT_EVENTS_MAX = 1_000;
const KEPT_BYTES_MAX = 4 * 1024 * 1024;

/** Called with the outcome of each append. */
export interface AppendWitness {
  /** Not called for a conflict: a store that refuses to write may still report one. */
  appended(): void;
  failed(error: StoreError): void;
}

/**
 * The writer appends through this gate. The gate refuses appends while the state belongs to another history than the store's: a commit that was
 * decided on that state must not become part of the store's history, even if its sequence number happens to fit.
 */
export class AppendGate implements Pick<Store, 'append'> {
  readonly #store: Store;
  readonly #replica: Replica;
  readonly #refusals: AppendWitness | undefined;
  readonly #underWay = new Set<Promise<unknown>>();
  #events: EventEntry[] = [];
  #eventBytes = 0;

  constructor(store: Store, replica: Replica, refusals?: AppendWitness) {
    this.#store = store;
    this.#replica = replica;
    this.#refusals = refusals;
  }

  /**
   * The newest audit events of this replica's own commits, oldest first. Events of other replicas are not buffered: they are only in the store. Empty
   * if the store is not shared.
   */
  get events(): readonly EventEntry[] {
    return this.#events;
  }

  async append(batch: AppendBatch): Promise<AppendOutcome> {
    if (this.#replica.isForeign) {
      throw new StoreError('the state is being loaded anew from another history', 'not-appended', {
        refusal: 'loading',
      });
    }
    const appending = this.#store.append(batch);
    this.#underWay.add(appending);
    try {
      const outcome = await appending;
      if (outcome.status === 'appended') this.#refusals?.appended();
      if (outcome.status === 'appended' && isShared(this.#store)) this.#keep(batch.events);
      return outcome;
    } catch (error) {
      if (error instanceof StoreError) this.#refusals?.failed(error);
      throw error;
    } finally {
      this.#underWay.delete(appending);
    }
  }

  /** Drops the buffered events: they belong to a discarded history and to no other. */
  forget(): void {
    this.#events = [];
    this.#eventBytes = 0;
  }

  /** Resolves when no append is in progress. */
  async settled(): Promise<void> {
    while (this.#underWay.size > 0) await Promise.allSettled(this.#underWay);
  }

  #keep(events: readonly EventEntry[]): void {
    for (const { id, bytes } of events) {
      // The bytes are copied: encoded bytes are a view of a slab, and a buffered event would keep the whole slab in memory.
      this.#events.push({ id, bytes: new Uint8Array(bytes) });
      this.#eventBytes += bytes.byteLength;
    }
    // The buffer is not cut back at every append: to drop its first events copies all others.
    if (this.#events.length <= 2 * KEPT_EVENTS_MAX && this.#eventBytes <= 2 * KEPT_BYTES_MAX) return;
    let dropped = 0;
    for (const event of this.#events) {
      if (this.#events.length - dropped <= KEPT_EVENTS_MAX && this.#eventBytes <= KEPT_BYTES_MAX) break;
      this.#eventBytes -= event.bytes.byteLength;
      dropped++;
    }
    this.#events = this.#events.slice(dropped);
  }
}
