import { epochAt, extend, type LogPosition, positionAt, ROOT } from '../lineage.ts';

/** Where a replica stands, on which line, and which line it follows. */
export class Standing {
  #known: LogPosition;
  #applied: LogPosition;
  #followed: LogPosition | null = null;

  constructor(known: LogPosition) {
    this.#known = known;
    this.#applied = known;
  }

  /** What the state holds, and what this replica appended and is about to apply: with that, a history that goes on without it is noticed. */
  get known(): LogPosition {
    return this.#known;
  }

  /** What the state holds. */
  get applied(): LogPosition {
    return this.#applied;
  }

  /** The line that was gone on with last, as it was found then, whether the server can be used now or not. */
  get followed(): LogPosition | null {
    return this.#followed;
  }

  follow(line: LogPosition): void {
    this.#followed = line;
  }

  /** This replica appended up to `seq`. What others appended after that may have been taken already, before the answer was heard. */
  advance(epoch: string, seq: number, writeId: string): void {
    if (seq > this.#known.seq) this.#known = this.#onward(epoch, seq, writeId) ?? this.#known;
  }

  /** The state now holds the entry; false when it is not part of the line that is followed: then it must not. */
  take(epoch: string, seq: number, writeId: string): boolean {
    const position = this.#onward(epoch, seq, writeId);
    if (!position) return false;
    if (seq > this.#applied.seq) this.#applied = position;
    if (seq > this.#known.seq) this.#known = position;
    return true;
  }

  /** The state turned out to hold no more than was applied to it: nothing beyond is claimed any longer. */
  retract(): void {
    this.#known = this.#applied;
  }

  /** Nothing is known any more: the server's history is adopted. */
  forget(): void {
    this.#known = ROOT;
    this.#applied = ROOT;
  }

  /** The place on the line that is followed, if the epoch is the one in which the line has it. */
  #onward(epoch: string, seq: number, writeId: string): LogPosition | null {
    const line = this.#followed;
    if (!line || entryEpoch(line, seq) !== epoch) return null;
    return positionAt(seq > line.seq ? extend(line, seq, writeId) : line, seq, writeId);
  }
}

/** The epoch in which the line has the entry; those that came after it was looked at are of its newest. */
export function entryEpoch(line: LogPosition, seq: number): string {
  return seq > line.seq ? line.epoch : epochAt(line, seq);
}
