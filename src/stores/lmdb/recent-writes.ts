import { extend, type LogPosition } from '../lineage.ts';
import type { NewestCommit } from './newest-commit.ts';

/**
 * The number of newest writes that are remembered. A state is at most one batch behind its store, because the next batch is written only after the
 * state has applied the previous one.
 */
const WRITES_MAX = 4;

/** The writes that put the newest entries into a log with one line. */
export class RecentWrites {
  readonly #line: LogPosition;
  /** The writes, oldest first, each with the sequence number of its last entry. */
  readonly #writes: NewestCommit[];

  /** `line`: the line of the log when the store was opened. */
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

  /** Same as `Store.lineAt`. */
  lineAt(seq: number): LogPosition {
    const at = this.#writes.findIndex((write) => write.seq >= seq);
    const write = this.#writes[at];
    // The first entry of the oldest remembered write is not known.
    const isKnown = at > 0 || write?.seq === seq;
    return extend(this.#line, seq, isKnown ? (write?.writeId ?? '') : '');
  }
}
