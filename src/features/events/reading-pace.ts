import type { EventEntry } from '../../stores/store.ts';

/** What is read of events at a time is meant to come to: they may have a hundred bytes or a megabyte each. */
const READ_BYTES = 256 * 1024;
const READ_EVENTS_FIRST = 4;
/** These may be large, after a hundred small ones. */
const READ_EVENTS_MAX = 16;

/** How many events are read at a time by somebody who takes them one by one, at his own pace: what was read last tells how large they are. */
export class ReadingPace {
  readonly #most: number;
  events = READ_EVENTS_FIRST;

  constructor(most = READ_EVENTS_MAX) {
    this.#most = most;
  }

  /** These were read. */
  took(entries: readonly EventEntry[]): void {
    const sizeBytes = entries.reduce((sum, { bytes }) => sum + bytes.length, 0);
    const fitting = Math.floor((READ_BYTES * entries.length) / Math.max(1, sizeBytes));
    // Of none it is not known how large they would have been.
    const next = entries.length === 0 ? this.events : Math.min(2 * this.events, fitting);
    this.events = Math.max(1, Math.min(this.#most, next));
  }
}
