import type { Replica } from '../../../engine/replica.ts';
import { decodeEventHead, type EventHead } from '../../../state/commit.ts';
import type { EventEntry, Store } from '../../../stores/store.ts';
import { ReadingPace } from '../../events/reading-pace.ts';

/** Events that are kept for the next add-on: nearly always, all add-ons read the same newest events. */
const KEPT_BYTES = 512 * 1024;

/** Events from an id on, in order. */
interface Chunk {
  readonly fromId: number;
  /** The chunk contains every event up to this id. */
  readonly throughId: number;
  readonly entries: readonly EventEntry[];
  /** The oldest event of the audit log, if events from `fromId` on were deleted; otherwise 0. */
  readonly deletedBefore: number;
}

/** Reads the events of the audit log in order, for all add-ons. At most one chunk is kept in memory. */
export class EventFeed {
  readonly #replica: Replica;
  readonly #store: Store;
  readonly #pace = new ReadingPace(64);
  #kept: Chunk | undefined;
  #reading: { readonly fromId: number; readonly chunk: Promise<Chunk> } | undefined;

  constructor(replica: Replica, store: Store) {
    this.#replica = replica;
    this.#store = store;
    // Events of another history may have the same ids.
    replica.onReplaced(() => {
      this.#kept = undefined;
      this.#reading = undefined;
    });
  }

  /** The events after this id, oldest first, and how far they reach; the next events may be read from there. @throws StoreError */
  async after(id: number): Promise<Chunk> {
    const fromId = id + 1;
    const kept = this.#kept;
    if (kept && fromId >= kept.fromId && fromId <= kept.throughId) return kept;
    if (this.#reading?.fromId === fromId) return this.#reading.chunk;
    const chunk = this.#read(fromId);
    this.#reading = { fromId, chunk };
    try {
      return await chunk;
    } finally {
      if (this.#reading?.chunk === chunk) this.#reading = undefined;
    }
  }

  async #read(fromId: number): Promise<Chunk> {
    const { lastEventId, generation } = this.#replica.state;
    const limit = Math.min(this.#pace.eventsPerRead, lastEventId - fromId + 1);
    if (limit <= 0) return { fromId, throughId: lastEventId, entries: [], deletedBefore: 0 };
    const read = await this.#store.readEventsForward(fromId, limit);
    this.#pace.recordRead(read);
    const entries = read.filter((entry) => entry.id <= lastEventId);
    const throughId = read.length < limit ? lastEventId : (entries.at(-1)?.id ?? lastEventId);
    const isGap = entries[0] !== undefined && entries[0].id > fromId;
    const firstId = isGap ? ((await this.#store.firstEventId()) ?? 0) : 0;
    const chunk = { fromId, throughId, entries, deletedBefore: firstId > fromId ? firstId : 0 };
    const sizeBytes = entries.reduce((sum, { bytes }) => sum + bytes.length, 0);
    if (this.#replica.state.generation === generation) this.#kept = sizeBytes <= KEPT_BYTES ? chunk : undefined;
    return chunk;
  }
}

/** The head of an event; undefined if this version cannot decode it. Such an event is not sent, so that it does not stop the events after it. */
export function headOf({ bytes }: EventEntry): EventHead | undefined {
  try {
    return decodeEventHead(bytes);
  } catch {
    return undefined;
  }
}
