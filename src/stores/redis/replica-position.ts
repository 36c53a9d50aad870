import { epochAt, extend, type LogPosition, positionAt, ROOT } from '../lineage.ts';

/** The position of a replica on its line, and the line that it follows. */
export class ReplicaPosition {
  #knownPosition: LogPosition;
  #appliedPosition: LogPosition;
  #followedLine: LogPosition | null = null;

  constructor(position: LogPosition) {
    this.#knownPosition = position;
    this.#appliedPosition = position;
  }

  /**
   * The position of the state, plus the entries that this replica appended and is about to apply. With them, it detects a history that continues
   * without these entries.
   */
  get knownPosition(): LogPosition {
    return this.#knownPosition;
  }

  /** The position of the state. */
  get appliedPosition(): LogPosition {
    return this.#appliedPosition;
  }

  /** The line that was last used, as it was found at that time, even if the server cannot be used now. Null before the first use. */
  get followedLine(): LogPosition | null {
    return this.#followedLine;
  }

  follow(line: LogPosition): void {
    this.#followedLine = line;
  }

  /** Notes that this replica appended up to `seq` in that epoch. Later entries of other replicas may have been applied before the answer arrived. */
  advance(epoch: string, seq: number, writeId: string): void {
    if (seq > this.#knownPosition.seq)
      this.#knownPosition = this.#positionOf(epoch, seq, writeId) ?? this.#knownPosition;
  }

  /**
   * Notes that the caller applies the entry to the state. Returns false when the entry is not part of the followed line: such an entry must not be
   * applied.
   */
  take(epoch: string, seq: number, writeId: string): boolean {
    const position = this.#positionOf(epoch, seq, writeId);
    if (!position) return false;
    if (seq > this.#appliedPosition.seq) this.#appliedPosition = position;
    if (seq > this.#knownPosition.seq) this.#knownPosition = position;
    return true;
  }

  /** Sets the known position to the position of the state: later entries are no longer reported as known. */
  retract(): void {
    this.#knownPosition = this.#appliedPosition;
  }

  /** Forgets the known position: the server's history is adopted. */
  forget(): void {
    this.#knownPosition = ROOT;
    this.#appliedPosition = ROOT;
  }

  /** The position of the entry on the followed line; null when the line does not have the entry in that epoch. */
  #positionOf(epoch: string, seq: number, writeId: string): LogPosition | null {
    const line = this.#followedLine;
    if (!line || entryEpoch(line, seq) !== epoch) return null;
    return positionAt(seq > line.seq ? extend(line, seq, writeId) : line, seq, writeId);
  }
}

/** The epoch in which the line has the entry. Entries after the end of the line, as of its last check, are in its newest epoch. */
export function entryEpoch(line: LogPosition, seq: number): string {
  return seq > line.seq ? line.epoch : epochAt(line, seq);
}
