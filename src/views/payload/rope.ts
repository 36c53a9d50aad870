/** Of more runs than this one is made: half a chunk's flags have changed by then, and each copy is of that many changes. */
const RUNS_MAX = 64;

/**
 * A row of bytes that lies in several runs of memory: one with a part replaced shares all the rest with the one before, so that a change costs what is
 * put in. Immutable to whoever looks; joined when somebody wants the bytes in one run, and then kept so. Holds at most the memory of the row
 * it once was, and of what was put in since.
 */
export class Rope {
  readonly lengthBytes: number;
  #runs: readonly Uint8Array[];
  #runsBehindFirst: readonly Uint8Array[] | undefined;

  private constructor(runs: readonly Uint8Array[], lengthBytes: number) {
    this.#runs = runs;
    this.lengthBytes = lengthBytes;
  }

  static of(bytes: Uint8Array): Rope {
    return new Rope([bytes], bytes.byteLength);
  }

  /** All of them, in one run. */
  get bytes(): Uint8Array {
    const [first] = this.#runs;
    if (first && this.#runs.length === 1) return first;
    // Not from the shared pool: a row lives long and would pin it.
    const joined = Buffer.allocUnsafeSlow(this.lengthBytes);
    this.copyTo(joined, 0, this.lengthBytes);
    this.#runs = [joined];
    // They are kept by those who hold them, and by nobody else.
    this.#runsBehindFirst = undefined;
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
    const runs = this.#within(0, start);
    if (put) runs.push(put);
    runs.push(...this.#within(end, this.lengthBytes));
    const rope = new Rope(runs, this.lengthBytes - (end - start) + (put?.byteLength ?? 0));
    if (runs.length > RUNS_MAX) void rope.bytes;
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
