/** Of more runs than these one is made: each copy is of half as many changes. Whoever sends a list in its runs has as many parts for each of its chunks. */
const RUNS_MAX = 24;

/** And where what the runs keep in memory is more than so many times the bytes: they may be a few of many that are gone. */
const KEPT_SHARE_MAX = 2;

/**
 * A row of bytes that lies in several runs of memory: one with a part replaced shares all the rest with the one before, so that a change costs what is
 * put in. Immutable to whoever looks; joined when somebody wants the bytes in one run, and then kept so. Holds at most the memory of the row
 * it once was, and of what was put in since.
 */
export class Rope {
  readonly lengthBytes: number;
  #runs: readonly Uint8Array[];
  #runsBehindFirst: readonly Uint8Array[] | undefined;
  /** Bytes of memory that its runs may keep: all that was ever put in since it was one. */
  #keptBytes: number;

  private constructor(runs: readonly Uint8Array[], lengthBytes: number, keptBytes: number) {
    this.#runs = runs;
    this.lengthBytes = lengthBytes;
    this.#keptBytes = keptBytes;
  }

  static of(bytes: Uint8Array): Rope {
    return new Rope([bytes], bytes.byteLength, bytes.byteLength);
  }

  /** In how many runs they lie. */
  get runCount(): number {
    return this.#runs.length;
  }

  /** All of them, in one run from now on. */
  get bytes(): Uint8Array {
    const [first] = this.#runs;
    return first && this.#runs.length === 1 ? first : this.#join();
  }

  #join(): Uint8Array {
    // Not from the shared pool: a row lives long and would pin it.
    const joined = Buffer.allocUnsafeSlow(this.lengthBytes);
    this.copyTo(joined, 0, this.lengthBytes);
    this.#runs = [joined];
    // They are kept by those who hold them, and by nobody else.
    this.#runsBehindFirst = undefined;
    this.#keptBytes = this.lengthBytes;
    return joined;
  }

  /** All of them, where they lie. */
  get runs(): readonly Uint8Array[] {
    return this.#runs;
  }

  /** All but the first one, where they lie: the same runs as long as the rope is not joined. */
  get runsBehindFirst(): readonly Uint8Array[] {
    this.#runsBehindFirst ??= this.#within(1, this.lengthBytes);
    return this.#runsBehindFirst;
  }

  /** With others in the place of those from `start` to `end`. */
  spliced(start: number, end: number, put?: Uint8Array): Rope {
    if (put && start === 0 && end === this.lengthBytes) return Rope.of(put);
    const runs = this.#within(0, start);
    if (put) runs.push(put);
    runs.push(...this.#within(end, this.lengthBytes));
    const putBytes = put?.byteLength ?? 0;
    const rope = new Rope(runs, this.lengthBytes - (end - start) + putBytes, this.#keptBytes + putBytes);
    if (runs.length > RUNS_MAX || rope.#keptBytes > KEPT_SHARE_MAX * rope.lengthBytes) rope.#join();
    return rope;
  }

  /** Those from `start` to `end`, where they lie when that is one run, else a copy. */
  slice(start: number, end: number): Uint8Array {
    const runs = this.#within(start, end);
    return runs.length === 1 ? (runs[0] as Uint8Array) : Buffer.concat(runs);
  }

  /** Copies those from `start` to `end` to the beginning of `target`. */
  copyTo(target: Uint8Array, start: number, end: number): void {
    let at = 0;
    for (const run of this.#within(start, end)) {
      target.set(run, at);
      at += run.byteLength;
    }
  }

  #within(start: number, end: number): Uint8Array[] {
    const found: Uint8Array[] = [];
    let from = 0;
    for (const run of this.#runs) {
      const to = from + run.byteLength;
      if (to > start && from < end) {
        const isWhole = from >= start && to <= end;
        found.push(isWhole ? run : run.subarray(Math.max(0, start - from), end - from));
      }
      from = to;
    }
    return found;
  }
}
