import { extend, type LogPosition } from '../lineage.ts';
import type { NewestCommit } from './newest-commit.ts';

/** A state is at most one batch behind its store: the next batch is written after the state has applied it. */
const WRITES_MAX = 4;

/** Which writes put the newest entries into a log that has one line. */
export class RecentWrites {
  readonly #line: LogPosition;
  /** Oldest first: a write and the last of its entries. */
  readonly #writes: NewestCommit[];

  /** `line`: as it was found when the store was opened. */
  constructor(line: LogPosition) {
    this.#line = line;
    this.#writes = [line];
  }

  get epoch(): string {
    return this.#line.epoch;
  }

  add(seq: number, writeId: string): NewestCommit {
    const write = { epoch: this.epoch, seq, writeId };
    this.#writes.push(write);
    if (this.#writes.length > WRITES_MAX) this.#writes.shift();
    return write;
  }

  /** As `Store.lineAt`. */
  lineAt(seq: number): LogPosition {
    const at = this.#writes.findIndex((write) => write.seq >= seq);
    const write = this.#writes[at];
    // Where the oldest write begins is not known.
    const isKnown = at > 0 || write?.seq === seq;
    return extend(this.#line, seq, isKnown ? (write?.writeId ?? '') : '');
  }
}
