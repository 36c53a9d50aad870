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

  /** The position of the state, plus what this replica appended and is about to apply: so it detects a history that continues without that. */
  get known(): LogPosition {
    return this.#known;
  }

  /** The position of the state. */
  get applied(): LogPosition {
    return this.#applied;
  }

  /** The line that was last used, as it was found then, whether the server can be used now or not. */
  get followed(): LogPosition | null {
    return this.#followed;
  }

  follow(line: LogPosition): void {
    this.#followed = line;
  }

  /** This replica appended up to `seq` in that epoch. Later entries of others may have been applied already, before the answer arrived. */
  advance(epoch: string, seq: number, writeId: string): void {
    if (seq > this.#known.seq) this.#known = this.#onward(epoch, seq, writeId) ?? this.#known;
  }

  /** The caller applies the entry to the state. False when the entry is not part of the followed line: then it must not be applied. */
  take(epoch: string, seq: number, writeId: string): boolean {
    const position = this.#onward(epoch, seq, writeId);
    if (!position) return false;
    if (seq > this.#applied.seq) this.#applied = position;
    if (seq > this.#known.seq) this.#known = position;
    return true;
  }

  /** The state has only what was applied to it: nothing after that is reported as known any longer. */
  retract(): void {
    this.#known = this.#applied;
  }

  /** Nothing is known any more: the server's history is adopted. */
  forget(): void {
    this.#known = ROOT;
    this.#applied = ROOT;
  }

  /** The position of the entry on the followed line. Null when the line does not have it in that epoch. */
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
