/** A generator of pseudo-random numbers: the same seed gives the same numbers on every machine. */
export class Mulberry32 {
  /** The whole state of the generator: the next number depends only on it. */
  seed: number;

  constructor(seed: number) {
    this.seed = seed >>> 0;
  }

  /** Uniform in [0, 1). */
  next(): number {
    this.seed = (this.seed + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(this.seed ^ (this.seed >>> 15), this.seed | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }
}
