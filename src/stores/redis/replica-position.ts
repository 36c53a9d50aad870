import { epochAt, extend, type LogPosition, positionAt, ROOT } from '../lineage.ts';

/** The position of a replica on its line, and the line that it follows. */
export class ReplicaPosition {
  #known: LogPosition;
  #applied: LogPosition;
  #followed: LogPosition | null = null;

  constructor(known: LogPosition) {
    this.#known = known;
    this.#applied = known;
  }

  /**
   * The position of the state, plus the entries that this replica appended and is about to apply. With them, it detects a history that continues
   * without these entries.
   */
  get known(): LogPosition {
    return this.#known;
  }

  /** The position of the state. */
  get applied(): LogPosition {
    return this.#applied;
  }

  /** The line that was last used, as it was found at that time, even if the server cannot be used now. Null before the first one. */
  get followed(): LogPosition | null {
    return this.#followed;
  }

  follow(line: LogPosition): void {
    this.#followed = line;
  }

  /** Notes that this replica appended up to `seq` in that epoch. Later entries of others may have been applied already before the answer arrived. */
  advance(epoch: string, seq: number, writeId: string): void {
    if (seq > this.#known.seq) this.#known = this.#onward(epoch, seq, writeId) ?? this.#known;
  }

  /**
   * Notes that the caller applies the entry to the state. Returns false when the entry is not part of the followed line: then it must not be applied.
   */
  take(epoch: string, seq: number, writeId: string): boolean {
    const position = this.#onward(epoch, seq, writeId);
    if (!position) return false;
    if (seq > this.#applied.seq) this.#applied = position;
    if (seq > this.#known.seq) this.#known = position;
    return true;
  }

  /** Sets the known position to the position of the state: later entries are no longer reported as known. */
  retract(): void {
    this.#known = this.#applied;
  }

  /** Forgets the known position: the server's history is adopted. */
  forget(): void {
    this.#known = ROOT;
    this.#applied = ROOT;
  }

  /** The position of the entry on the followed line; null when the line does not have the entry in that epoch. */
  #onward(epoch: string, seq: number, writeId: string): LogPosition | null {
    const line = this.#followed;
    if (!line || entryEpoch(line, seq) !== epoch) return null;
    return positionAt(seq > line.seq ? extend(line, seq, writeId) : line, seq, writeId);
  }
}

/** The epoch in which the line has the entry. Entries after the end of the line, as of its last check, are in its newest epoch. */
export function entryEpoch(line: LogPosition, seq: number): string {
  return seq > line.seq ? line.epoch : epochAt(line, seq);
}
