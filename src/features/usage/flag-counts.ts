/** How often a flag was on, off, and each of its variants, as it is sent. */
interface FlagReport {
  readonly yes?: number | null;
  readonly no?: number | null;
  readonly variants?: Readonly<Record<string, number>> | null;
}

const TIMES_MAX = 1e12;

/** A whole number of times, whatever an SDK sends. */
export function timesOf(sent: number | null | undefined): number {
  return sent ? Math.min(TIMES_MAX, Math.max(0, Math.trunc(sent))) : 0;
}

/**
 * What one report tells of flags, in columns: a flag is a number in the first four of them, its variants are those from `variantsEnd` of the flag before it
 * up to its own. Whoever reads a report fills one, whoever counts reads it, and nobody keeps it: the next report may stand in the same columns.
 */
export class FlagCounts {
  /** How many flags. */
  length = 0;
  readonly names: string[] = [];
  readonly yes: number[] = [];
  readonly no: number[] = [];
  /** Where a flag's variants end. */
  readonly variantsEnd: number[] = [];
  readonly variants: string[] = [];
  readonly times: number[] = [];
  /** How many variants, of all flags. */
  variantsLength = 0;

  /** Nothing is told. */
  clear(): void {
    this.length = 0;
    this.variantsLength = 0;
  }

  /** Where the variants of a flag begin. */
  variantsBegin(at: number): number {
    return at === 0 ? 0 : (this.variantsEnd[at - 1] as number);
  }

  /** A flag. Its variants come before it, with `addVariant`. */
  add(name: string, yes: number, no: number): void {
    const at = this.length++;
    this.names[at] = name;
    this.yes[at] = yes;
    this.no[at] = no;
    this.variantsEnd[at] = this.variantsLength;
  }

  addVariant(name: string, times: number): void {
    const at = this.variantsLength++;
    this.variants[at] = name;
    this.times[at] = times;
  }

  /** A flag as it is sent. */
  addReport(name: string, { yes, no, variants }: FlagReport): void {
    for (const variant in variants) this.addVariant(variant, timesOf(variants[variant]));
    this.add(name, timesOf(yes), timesOf(no));
  }
}

/** What an object of the wire tells. */
export function countsOf(flags: Readonly<Record<string, FlagReport>>): FlagCounts {
  const counts = new FlagCounts();
  for (const name in flags) counts.addReport(name, flags[name] as FlagReport);
  return counts;
}
