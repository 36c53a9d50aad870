import { isShared } from '../stores/shared-store.ts';
import { type AppendBatch, type AppendOutcome, type EventEntry, type Store, StoreError } from '../stores/store.ts';
import type { Replica } from './replica.ts';

/**
 * When the buffer of audit events has grown to twice one of these limits, it is cut back to the limits. A refill puts the buffered events back into a
 * shared store that lost them.
 */
const BUFFERED_EVENTS_MAX = 1_000;
const BUFFERED_BYTES_MAX = 4 * 1024 * 1024;

/** An observer that is called with the outcome of each append. */
export interface AppendWitness {
  /** Not called for a conflict: a store may report a conflict even while it refuses writes, so a conflict does not show that writes are accepted. */
  appended(): void;
  failed(error: StoreError): void;
}

/**
 * The writer appends through this gate. The gate refuses appends while the state belongs to another history than the store's: a commit that was
 * decided on that state must not become part of the store's history, even if its sequence number is the next one of the store.
 */
export class AppendGate implements Pick<Store, 'append'> {
  readonly #store: Store;
  readonly #replica: Replica;
  readonly #witness: AppendWitness | undefined;
  readonly #appends = new Set<Promise<unknown>>();
  #events: EventEntry[] = [];
  #eventBytes = 0;

  constructor(store: Store, replica: Replica, witness?: AppendWitness) {
    this.#store = store;
    this.#replica = replica;
    this.#witness = witness;
    if (isShared(store)) store.keepsEvents(() => this.#events);
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
    this.#appends.add(appending);
    try {
      const outcome = await appending;
      if (outcome.status === 'appended') this.#witness?.appended();
      if (outcome.status === 'appended' && isShared(this.#store)) this.#buffer(batch.events);
      return outcome;
    } catch (error) {
      if (error instanceof StoreError) this.#witness?.failed(error);
      throw error;
    } finally {
      this.#appends.delete(appending);
    }
  }

  /** Drops the buffered events, because they belong only to a history that was discarded. */
  forget(): void {
    this.#events = [];
    this.#eventBytes = 0;
  }

  /** Resolves when no append is in progress. */
  async settled(): Promise<void> {
    while (this.#appends.size > 0) await Promise.allSettled(this.#appends);
  }

  #buffer(events: readonly EventEntry[]): void {
    for (const { id, bytes } of events) {
      // The bytes are copied: encoded bytes are a view of a slab, and a buffered event would keep the whole slab in memory.
      this.#events.push({ id, bytes: new Uint8Array(bytes) });
      this.#eventBytes += bytes.byteLength;
    }
    // The buffer is not cut back at every append, because dropping its first events copies all later events.
    if (this.#events.length <= 2 * BUFFERED_EVENTS_MAX && this.#eventBytes <= 2 * BUFFERED_BYTES_MAX) return;
    let dropped = 0;
    for (const event of this.#events) {
      if (this.#events.length - dropped <= BUFFERED_EVENTS_MAX && this.#eventBytes <= BUFFERED_BYTES_MAX) break;
      this.#eventBytes -= event.bytes.byteLength;
      dropped++;
    }
    this.#events = this.#events.slice(dropped);
  }
}
