export interface ElfNeeds {
  readonly libraries: readonly string[];
  /** The newest version of each set of symbols, such as `GLIBC` → `2.38`. */
  readonly versions: Readonly<Record<string, string>>;
}

export function elfNeeds(bytes: Buffer): ElfNeeds;
export function isOlder(version: string, than: string): boolean;
