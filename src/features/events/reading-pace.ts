import type { EventEntry } from '../../stores/store.ts';

/** The intended size of one read of events. One event may have a hundred bytes or a megabyte. */
const READ_BYTES = 256 * 1024;
const READ_EVENTS_FIRST = 4;
/** Limits one read when large events follow small ones. */
const READ_EVENTS_MAX = 16;

/**
 * Decides how many events to read at a time for a consumer that processes them one by one. The size of the last read estimates the size of the next.
 */
export class ReadingPace {
  readonly #eventsMax: number;
  eventsPerRead = READ_EVENTS_FIRST;

  constructor(eventsMax = READ_EVENTS_MAX) {
    this.#eventsMax = eventsMax;
  }

  /** Records the events that were read, and sets `eventsPerRead` for the next read. */
  recordRead(entries: readonly EventEntry[]): void {
    const sizeBytes = entries.reduce((sum, { bytes }) => sum + bytes.length, 0);
    const fittingEvents = Math.floor((READ_BYTES * entries.length) / Math.max(1, sizeBytes));
    // An empty read gives no estimate.
    const next = entries.length === 0 ? this.eventsPerRead : Math.min(2 * this.eventsPerRead, fittingEvents);
    this.eventsPerRead = Math.max(1, Math.min(this.#eventsMax, next));
  }
}
